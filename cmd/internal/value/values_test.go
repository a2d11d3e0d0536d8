package value

import (
	"math"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
)

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int{
		"1": 1, "1024": 1024, "7B": 7, "1KiB": 1024, "64MiB": 64 << 20, "1GiB": 1 << 30, "500KB": 500_000,
		"3MB": 3_000_000, "1gb": 1_000_000_000, "2 mib": 2 << 20, "2147483647": math.MaxInt32,
	} {
		var b ByteSize
		if err := b.Set(text); err != nil || int(b) != want {
			t.Errorf("%q is %d, %v; want %d", text, int(b), err, want)
		}
	}
	for _, text := range []string{"", "0", "0MiB", "-1", "+1", "1.5MiB", "MiB", "1KiBB", "1 2", "0x10", "1_000",
		"2147483648", "2GiB", "99999999999999999999", "9999999999999GB", "NaN", "1e3", "64M"} {
		var b ByteSize
		if err := b.Set(text); err == nil {
			t.Errorf("%q is accepted as %d", text, int(b))
		}
	}
}

func TestByteSizeIsWrittenBriefly(t *testing.T) {
	for size, want := range map[int]string{1: "1", 1000: "1000", 1024: "1KiB", 1536: "1536", 64 << 20: "64MiB",
		1 << 30: "1GiB", 1025 << 10: "1025KiB"} {
		b := ByteSize(size)
		if got := b.String(); got != want {
			t.Errorf("%d is written %q, want %q", size, got, want)
		}
	}
}

func TestRatio(t *testing.T) {
	for text, want := range map[string]stats.Counts{
		"93/100": {Passes: 93, Trials: 100}, "0/1": {Trials: 1}, " 3 / 4 ": {Passes: 3, Trials: 4},
		"1000000/1000000": {Passes: maxCompared, Trials: maxCompared},
	} {
		var r Ratio
		if err := r.Set(text); err != nil || stats.Counts(r) != want {
			t.Errorf("%q is %v, %v; want %v", text, stats.Counts(r), err, want)
		}
	}
	for _, text := range []string{"", "/", "1/", "/1", "0/0", "2/1", "-1/2", "1/-2", "1.0/2", "1/2/3", "93", "a/b",
		"1/1000001", "NaN/1"} {
		var r Ratio
		if err := r.Set(text); err == nil {
			t.Errorf("%q is accepted as %v", text, stats.Counts(r))
		}
	}
}

func TestLevel(t *testing.T) {
	for text, want := range map[string]float64{"0.85": 0.85, ".5": 0.5, "1e-9": 1e-9, "0.9999999": 0.9999999} {
		var l Level
		if err := l.Set(text); err != nil || float64(l) != want {
			t.Errorf("%q is %v, %v; want %v", text, float64(l), err, want)
		}
	}
	for _, text := range []string{"", "0", "-0", "1", "1.2", "-0.5", "NaN", "nan", "Inf", "-Inf", "1e-400", "85%", "0,85",
		"0.5.5"} {
		l := Level(0.25)
		if err := l.Set(text); err == nil || l != 0.25 {
			t.Errorf("%q gives %v, %v", text, float64(l), err)
		}
	}
}

func TestFinite(t *testing.T) {
	for _, text := range []string{"", "NaN", "Inf", "-Inf", "1e400", "x"} {
		var f Finite
		if err := f.Set(text); err == nil {
			t.Errorf("%q is accepted as %v", text, float64(f))
		}
	}
	for text, want := range map[string]float64{"0": 0, "-2.5": -2.5, "1e300": 1e300} {
		var f Finite
		if err := f.Set(text); err != nil || float64(f) != want {
			t.Errorf("%q is %v, %v; want %v", text, float64(f), err, want)
		}
	}
}

func TestCountKeepsItsLimits(t *testing.T) {
	for _, text := range []string{"", "0", "11", "-1", "-99999999999999999999", "99999999999999999999", "1.5", "x",
		"0x1"} {
		c := Count{Value: 5, Least: 1, Most: 10}
		if err := c.Set(text); err == nil || c.Value != 5 {
			t.Errorf("%q gives %d, %v", text, c.Value, err)
		}
	}
	for text, want := range map[string]int{"1": 1, "10": 10} {
		c := Count{Least: 1, Most: 10}
		if err := c.Set(text); err != nil || c.Value != want {
			t.Errorf("%q is %d, %v; want %d", text, c.Value, err, want)
		}
	}
}

// FuzzFlagValues: what a flag accepts it writes so that it accepts it again as the
// same value, and no text makes it panic.
func FuzzFlagValues(f *testing.F) {
	for _, seed := range []string{"64MiB", "93/100", "0.05", "NaN", "-1", "1e-320", "9223372036854775807", "0/0", "wilson",
		" 1/ 2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, fresh := range []func() pflag.Value{
			func() pflag.Value { return new(ByteSize) },
			func() pflag.Value { return new(Ratio) },
			func() pflag.Value { return new(Level) },
			func() pflag.Value { return new(Finite) },
			func() pflag.Value { return new(Seed) },
			func() pflag.Value { return &Count{Most: MaxTrials} },
			func() pflag.Value {
				return &Word[stats.IntervalMethod]{Words: []stats.IntervalMethod{stats.WilsonInterval, stats.JeffreysInterval}}
			},
		} {
			first, second := fresh(), fresh()
			if first.Set(text) != nil {
				continue
			}
			if err := second.Set(first.String()); err != nil || second.String() != first.String() {
				t.Errorf("%T %q is written %q, which is read as %q, %v", first, text, first, second, err)
			}
		}
	})
}

func TestPrintableLeavesNoControlCharacter(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ünïcödé, 日本": "plain, ünïcödé, 日本",
		"a\nb\tc\r":          `a\nb\tc\r`,
		"\x1b[31mred":        `\x1b[31mred`,
		"\u009b31m":          `\u009b31m`,
		"turn\u202ened":      `turn\u202ened`,
		"bad \xff byte":      `bad \xff byte`,
		"\x00":               `\x00`,
		"back\\slash":        "back\\slash",
		"\ufeffmark":         `\ufeffmark`,
	} {
		if got := prose.Printable(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("\x1b[2J\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := prose.Printable(text)
		for _, r := range got {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q becomes %q", text, got)
			}
		}
		if prose.Printable(got) != got {
			t.Errorf("%q becomes %q, which changes again", text, got)
		}
	})
}

func TestNearest(t *testing.T) {
	words := []string{"passes", "pass-score", "trials", "threshold", "alpha", "by", "json"}
	for typed, want := range map[string]string{
		"pases": "passes", "trails": "trials", "THRESHOLD": "threshold", "treshold": "threshold", "thresh": "threshold",
		"jsno": "json", "aplha": "alpha", "pass": "passes", "x": "", "": "", "frobnicate": "", "bx": "by",
		strings.Repeat("threshold", 100): "",
	} {
		if got := problem.Nearest(typed, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}
