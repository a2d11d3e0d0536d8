package growth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// What is allocated grows no faster than the input, whatever the operation: its bytes and their number, which hardly
// depend on the machine. The bound leaves room for slices that grow by doubling.
func TestWorkIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures some seconds")
	}
	folder := t.TempDir()
	parts := 0
	r, err := Measure(t.Context(), Options{Short: true, Folder: folder, Progress: func(int, int, string) { parts++ }})
	if err != nil {
		t.Fatal(err)
	}
	const most = 1.2
	points := 0
	for _, row := range r.Rows {
		points += len(row.Points)
		if row.Allocated > most || row.Objects > most {
			t.Errorf("%s by %s: bytes grow as n^%.2f, allocations as n^%.2f: %+v", row.Operation, row.Against, row.Allocated,
				row.Objects, row.Points)
		}
	}
	if len(r.Rows) != len(works()) || parts != points {
		t.Errorf("%d rows and %d parts", len(r.Rows), parts)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%d files are left: %v", len(left), err)
	}
}

// A size is left out where time has grown so that it would take minutes: at n^2 from 1 s at 100 on that of 1,000 takes
// 100 s, and at n^1 10 s.
func TestSlowSizesAreLeftOut(t *testing.T) {
	first := Point{Size: 10, Seconds: 0.01}
	for _, c := range []struct {
		points []Point
		want   bool
	}{
		{nil, false}, {[]Point{{Size: 10, Seconds: 30}}, false},
		{[]Point{first, {Size: 100, Seconds: 1}}, true},
		{[]Point{{Size: 10, Seconds: 0.1}, {Size: 100, Seconds: 1}}, false},
		{[]Point{first, {Size: 10, Seconds: 30}, {Size: 100, Seconds: 20}}, false},
	} {
		if got := tooSlow(c.points, 1000); got != c.want {
			t.Errorf("%+v: %v", c.points, got)
		}
	}
}

// The operations of the usual and the long form have the sizes that they say.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{Short: true}, "[10 100 1000]"}, {Options{}, "[10 100 1000 10000]"},
		{Options{Long: true}, "[10 100 1000 10000 100000]"},
	} {
		if got := fmt.Sprint(upTo(10, 1000, 10_000, 100_000)(c.options)); got != c.want {
			t.Errorf("%+v: %s", c.options, got)
		}
	}
	for _, w := range works() {
		for _, o := range []Options{{Short: true}, {}, {Long: true}} {
			if sizes := w.sizes(o); len(sizes) < 2 {
				t.Errorf("%s by %s, %+v: %v", w.name, w.against, o, sizes)
			}
		}
	}
}

func TestForms(t *testing.T) {
	row := Row{
		Operation: "verdict", Against: "trials", LeftOut: true, Time: 0.98765, CPU: 1.25, Allocated: 0.5, Points: []Point{
			{Size: 1000, Seconds: 0.001, CPU: 0.0005, Allocated: 10, Objects: 1, Peak: 999},
			{Size: 1_000_000, Seconds: 1, CPU: 0.25, Allocated: 1000, Objects: 2, Peak: 12_345_678},
		},
	}
	r := &Result{System: "linux/amd64", CPUs: 2, Version: "go1.26", Rows: []Row{row}}
	var text, table bytes.Buffer
	if err := errors.Join(r.Page().WriteText(&text, 80), r.Records().WriteCSV(&table)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"How time and memory grow, on linux/amd64 with 2 processors, go1.26\n",
		"  verdict    trials  1,000,000*  0.99  1.25   0.50  1.00 s  12.3 MB\n", "\n* The next size would have",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	const want = `operation,against,size,seconds,cpu_seconds,allocated_bytes,allocations,peak_bytes,exponent
verdict,trials,1000,0.001,0.0005,10,1,999,
verdict,trials,1000000,1,0.25,1000,2,12345678,1
`
	if table.String() != want {
		t.Error(table.String())
	}
}

// The context ends a measurement, and what a command says of an input that it cannot use is told.
func TestMeasureEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, Options{Short: true, Folder: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	err := command(t.Context(), nil, "verify", "nowhere.json")
	if err == nil || !strings.Contains(err.Error(), "nowhere.json") {
		t.Error(err)
	}
}

// BenchmarkWorks does each operation at each size of the long form, or of the short one with -short, such as
// Works/report_html/scenarios=10000: for a profile of one.
func BenchmarkWorks(b *testing.B) {
	for _, w := range works() {
		b.Run(w.name, func(b *testing.B) {
			for _, size := range w.sizes(Options{Short: testing.Short(), Long: !testing.Short()}) {
				b.Run(fmt.Sprintf("%s=%d", w.against, size), func(b *testing.B) {
					run, err := w.prepare(b.Context(), &inputs{folder: b.TempDir()}, size)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						if err := run(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
