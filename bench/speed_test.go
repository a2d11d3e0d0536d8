package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFitExponent(t *testing.T) {
	for _, b := range []float64{0, 0.5, 1, 2, -1.5} {
		var x, y []float64
		for _, size := range []float64{1, 10, 50, 1e4, 1e7} {
			x, y = append(x, size), append(y, 3e-9*math.Pow(size, b))
		}
		if got, ok := fitExponent(x, y); !ok || math.Abs(got-b) > 1e-12 {
			t.Errorf("y = x^%v: exponent %v, %t", b, got, ok)
		}
	}
	// Least squares by hand: the logarithms of the points are (0,0), (1,1), (2,4).
	e := math.E
	if got, ok := fitExponent([]float64{1, e, e * e}, []float64{1, e, math.Pow(e, 4)}); !ok || math.Abs(got-2) > 1e-12 {
		t.Errorf("exponent %v, %t, want 2", got, ok)
	}
	for name, points := range map[string][2][]float64{
		"none":         {},
		"one":          {{1}, {1}},
		"one size":     {{5, 5}, {1, 2}},
		"no logarithm": {{1, 2, 3}, {0, -1, 3}},
		"infinite":     {{1, 2}, {1, math.Inf(1)}},
		"not a number": {{1, 2}, {1, math.NaN()}},
	} {
		if b, ok := fitExponent(points[0], points[1]); ok {
			t.Errorf("%s: exponent %v", name, b)
		}
	}
}

func TestSpeedCells(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0.00 ns", 1.5e-10: "0.15 ns", 2.34e-7: "234 ns", 9.996e-4: "1.00 ms", 0.0123: "12.3 ms", 75: "75.0 s", 4321: "4,321 s"} {
		if got := duration(seconds).Text; got != want {
			t.Errorf("%v s is %q, want %q", seconds, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 B", 999: "999 B", 1234: "1.23 kB", 5e6: "5.00 MB", 12e9: "12.0 GB"} {
		if got := byteSize(n).Text; got != want {
			t.Errorf("%d B is %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := inThousands(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
	small := -0.001
	if got := exponent(&small).Text; got != "n^0.00" {
		t.Errorf("-0.001 is %q", got)
	}
	if exponent(nil) != Unknown() {
		t.Error("no exponent is one")
	}
}

func TestCPUModel(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\nmodel name\t: Intel(R)  Xeon(R) @ 2.1GHz\nmodel name\t: other\n": "Intel(R) Xeon(R) @ 2.1GHz",
		"Model\t\t: Raspberry Pi 4\n": "Raspberry Pi 4",
		"processor: 1\n":              "",
		"":                            "",
	} {
		if got := cpuModel(strings.NewReader(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := (Machine{OS: "linux", Arch: "arm64", Cores: 1, Go: "go1.26"}).String(); got != "linux/arm64, 1 core, go1.26" {
		t.Error(got)
	}
}

// TestSpeed measures everything in its short form: the text fits, and the forms agree.
func TestSpeed(t *testing.T) {
	steps, most := 0, 0
	r, err := Speed(t.Context(), SpeedOptions{Short: true, Seed: 1, Progress: func(done, all int, part string) {
		if done != steps || part == "" {
			t.Errorf("step %d is told as %d, %q", steps, done, part)
		}
		steps, most = steps+1, all
	}})
	if err != nil {
		t.Fatal(err)
	}
	if steps != most {
		t.Errorf("%d steps of %d were told", steps, most)
	}
	checkSpeedText(t, r)
	checkSpeedForms(t, r)
	var svg bytes.Buffer
	if err := r.Draw(&svg); err != nil || !strings.Contains(svg.String(), "<desc>") {
		t.Errorf("the drawing: %v", err)
	}
}

func checkSpeedText(t *testing.T, r *SpeedReport) {
	var text bytes.Buffer
	if err := r.Page().WriteText(&text, 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("longer than 80: %s", line)
		}
	}
	for _, p := range r.Paths {
		if !strings.Contains(text.String(), p.Name) || !(p.LeastNS > 0 && p.MedianNS >= p.LeastNS) || p.PerSecond <= 0 {
			t.Errorf("%+v", p)
		}
	}
	for _, heading := range []string{"median", "least", "peak"} {
		if !strings.Contains(text.String(), heading) {
			t.Errorf("no column %s:\n%s", heading, text.String())
		}
	}
}

// checkSpeedForms reads the CSV and the JSON again and compares their numbers.
func checkSpeedForms(t *testing.T, r *SpeedReport) {
	var table, document bytes.Buffer
	if err := errors.Join(r.Records().WriteCSV(&table), json.NewEncoder(&document).Encode(r)); err != nil {
		t.Fatal(err)
	}
	var read SpeedReport
	if err := json.Unmarshal(document.Bytes(), &read); err != nil || read.Schema != SpeedSchema {
		t.Fatalf("schema %q, %v", read.Schema, err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows = rows[1:]
	same := func(text string, x float64) {
		if got, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(got-x) > 1e-12*math.Abs(x) {
			t.Errorf("%q in CSV and %v in JSON", text, x)
		}
	}
	for _, p := range read.Paths {
		same(rows[0][4], p.LeastNS/1e9)
		same(rows[0][5], p.MedianNS/1e9)
		same(rows[0][6], p.PerSecond)
		rows = rows[1:]
	}
	for _, g := range read.Growth {
		for _, p := range g.Points {
			same(rows[0][3], float64(p.Size))
			same(rows[0][4], p.Seconds)
			same(rows[0][8], float64(p.AllocatedBytes))
			same(rows[0][9], float64(p.PeakBytes))
			rows = rows[1:]
		}
		if g.TimeExponent == nil || g.MemoryExponent == nil {
			t.Errorf("%s: no exponents", g.Name)
		}
	}
	if len(rows) > 0 {
		t.Errorf("%d rows are left", len(rows))
	}
}

func TestSpeedStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Speed(ctx, SpeedOptions{Short: true, Progress: func(done, _ int, _ string) {
		if done == 1 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
