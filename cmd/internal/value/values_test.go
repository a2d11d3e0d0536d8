package value

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1024": 1024, "7B": 7, "1KiB": 1024, "64MiB": 64 << 20, "1GiB": 1 << 30, "500KB": 500_000,
		"3MB": 3_000_000, "1gb": 1_000_000_000, "2 mib": 2 << 20, "2147483647": math.MaxInt32,
	} {
		if n, err := Size(text, MaxSize); err != nil || n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "0", "0MiB", "-1", "+1", "1.5MiB", "MiB", "1KiBB", "1 2", "0x10", "1_000",
		"2147483648", "2GiB", "99999999999999999999", "9999999999999GB", "NaN", "1e3", "64M"} {
		if n, err := Size(text, MaxSize); err == nil {
			t.Errorf("%q is accepted as %d", text, n)
		}
	}
}

func TestSizesAreWrittenBriefly(t *testing.T) {
	for size, want := range map[int64]string{1: "1", 1000: "1000", 1024: "1KiB", 1536: "1536", 64 << 20: "64MiB",
		1 << 30: "1GiB", 1025 << 10: "1025KiB"} {
		if got := SizeText(size); got != want {
			t.Errorf("%d is written %q, want %q", size, got, want)
		}
	}
}

func TestRatio(t *testing.T) {
	for text, want := range map[string]stats.Counts{
		"93/100": {Passes: 93, Trials: 100}, "0/1": {Trials: 1}, " 3 / 4 ": {Passes: 3, Trials: 4},
		"1000000/1000000": {Passes: maxCompared, Trials: maxCompared},
	} {
		if r, err := Ratio(text); err != nil || r != want {
			t.Errorf("%q is %v, %v; want %v", text, r, err, want)
		}
	}
	for _, text := range []string{"", "/", "1/", "/1", "0/0", "2/1", "-1/2", "1/-2", "1.0/2", "1/2/3", "93", "a/b",
		"1/1000001", "NaN/1"} {
		if r, err := Ratio(text); err == nil {
			t.Errorf("%q is accepted as %v", text, r)
		}
	}
}

func TestRisk(t *testing.T) {
	for _, text := range []string{"0", "0.5", "0.6", "1", "60", "NaN", ""} {
		if x, err := Risk(text); err == nil {
			t.Errorf("%q is accepted as %v", text, x)
		}
	}
	for text, want := range map[string]float64{"0.05": 0.05, "0.4999": 0.4999} {
		if x, err := Risk(text); err != nil || x != want {
			t.Errorf("%q is %v, %v; want %v", text, x, err, want)
		}
	}
}

func TestLevel(t *testing.T) {
	for text, want := range map[string]float64{"0.85": 0.85, ".5": 0.5, "1e-9": 1e-9, "0.9999999": 0.9999999} {
		if x, err := Level(text); err != nil || x != want {
			t.Errorf("%q is %v, %v; want %v", text, x, err, want)
		}
	}
	for _, text := range []string{"", "0", "-0", "1", "1.2", "-0.5", "NaN", "nan", "Inf", "-Inf", "1e-400", "85%", "0,85",
		"0.5.5"} {
		if x, err := Level(text); err == nil {
			t.Errorf("%q is accepted as %v", text, x)
		}
	}
}

func TestFinite(t *testing.T) {
	for _, text := range []string{"", "NaN", "Inf", "-Inf", "1e400", "x"} {
		if x, err := Finite(text); err == nil {
			t.Errorf("%q is accepted as %v", text, x)
		}
	}
	for text, want := range map[string]float64{"0": 0, "-2.5": -2.5, "1e300": 1e300} {
		if x, err := Finite(text); err != nil || x != want {
			t.Errorf("%q is %v, %v; want %v", text, x, err, want)
		}
	}
}

func TestCountKeepsItsLimits(t *testing.T) {
	for _, text := range []string{"", "0", "11", "-1", "-99999999999999999999", "99999999999999999999", "1.5", "x",
		"0x1"} {
		if n, err := Count(text, 1, 10); err == nil {
			t.Errorf("%q is accepted as %d", text, n)
		}
	}
	for text, want := range map[string]int{"1": 1, "10": 10} {
		if n, err := Count(text, 1, 10); err != nil || n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
}

// FuzzValues: what is accepted keeps its limits, and no text makes anything panic.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{"64MiB", "93/100", "0.05", "NaN", "-1", "1e-320", "9223372036854775807", "0/0", "wilson",
		" 1/ 2", "50%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := Size(text, MaxSize); err == nil {
			if again, err := Size(SizeText(n), MaxSize); n < 1 || err != nil || again != n {
				t.Errorf("the size %q is %d, which is read as %d, %v", text, n, again, err)
			}
		}
		if r, err := Ratio(text); err == nil {
			if again, err := Ratio(r.String()); r.Validate() != nil || err != nil || again != r {
				t.Errorf("the ratio %q is %v, which is read as %v, %v", text, r, again, err)
			}
		}
		if x, err := Level(text); err == nil && !(x > 0 && x < 1) {
			t.Errorf("the level %q is %v", text, x)
		}
		if x, err := Finite(text); err == nil && x-x != 0 {
			t.Errorf("the number %q is %v", text, x)
		}
		if n, err := Count(text, 0, MaxTrials); err == nil && (n < 0 || n > MaxTrials) {
			t.Errorf("the count %q is %d", text, n)
		}
		if n, err := Seed(text); err == nil && strings.TrimLeft(text, "+0") != strings.TrimLeft(strconv.FormatUint(n, 10), "0") {
			t.Errorf("the seed %q is %d", text, n)
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
