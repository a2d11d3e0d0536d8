package rows

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

const table = "variant,scenario,passes,fails,tokens_n,tokens_sum,tokens_sum2,m1_name,m1_n,m1_sum,m1_sum2,sample_trace_ids\n" +
	"v,a,3,1,2,30,500,steps,4,8,20,x y\nv,b,1,0,0,0,0,steps,0,0,0,\nv,a,1,0,0,,,steps,0,,,z\n"

// The same rows in every form are the same.
func TestEveryFormOfRows(t *testing.T) {
	lines := `{"variant":"v","scenario":"a","passes":3,"fails":1,"tokens_n":2,"tokens_sum":30,"tokens_sum2":5e2,"m1_name":"steps","m1_n":"4","m1_sum":8,"m1_sum2":"20.0","sample_trace_ids":["x","y"]}` + "\n" +
		`{"variant":"v","scenario":"b","passes":1,"fails":0,"tokens_n":null}` + "\n" +
		`{"VARIANT":"v","SCENARIO":"a","PASSES":1.0,"FAILS":"0","SAMPLE_TRACE_IDS":"z"}` + "\n"
	for name, text := range map[string]string{
		"csv": table, "tabs": strings.ReplaceAll(table, ",", "\t"), "semicolons": strings.ReplaceAll(table, ",", ";"),
		"gzip": zipped(table), "capitals": strings.Replace(table, "variant,scenario", "VARIANT,Scenario", 1),
		"mark": "\xef\xbb\xbf" + table, "crlf": strings.ReplaceAll(table, "\n", "\r\n"),
		"lines": lines, "lines in gzip": zipped(lines),
		"list": "[" + strings.Join(strings.Split(strings.TrimSpace(lines), "\n"), ",\n") + "]\n",
	} {
		all, err := Read(strings.NewReader(text), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r, err := all.Recording("v")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tokens, steps := r.Moments(recording.TokensMetric), r.Groups()[0].Columns["steps"]
		if r.Len() != 6 || len(r.Tallies()) != 2 || r.Tallies()[0].Passes != 4 || tokens.N != 2 || tokens.Squares != 500 ||
			steps.Sum != 8 || fmt.Sprint(all.Samples("v")) != "[x y z]" {
			t.Errorf("%s: %+v, ids %v", name, r.Groups(), all.Samples("v"))
		}
	}
}

// What cannot be rows is refused with the place.
func TestRowsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "there is no row",
		"\n":                                 "there is no row",
		"a,b\n1,2\n":                         "x:1: there is no column scenario, passes or fails",
		"scenario,passes\na,1\n":             "there is no column fails",
		"scenario,passes,fails,PASSES\n":     `the column "passes" is given twice`,
		"scenario,passes,fails\na,1\n":       "x:2: wrong number of fields",
		"scenario,passes,fails\n,1,1\n":      "x:2: scenario is missing",
		"scenario,passes,fails\na,-1,1\n":    `x:2: passes "-1" is no number of trials`,
		"scenario,passes,fails\na,1.5,1\n":   `passes "1.5" is no number of trials`,
		"scenario,passes,fails\na,1e99,1\n":  `passes "1e99" is no number of trials`,
		"scenario,passes,fails,n\na,1,1,3\n": "n is 3, and passes, fails, errors and unjudged add up to 2",
		"scenario,passes,fails,tokens_n,tokens_sum,tokens_sum2\na,1,1,1,NaN,1\n": `tokens_sum "NaN" is no number`,
		"scenario,passes,fails,tokens_n,tokens_sum,tokens_sum2\na,1,1,2,9,1\n":   "no values have those",
		"scenario,passes,fails,m1_name,m1_n,m1_sum,m1_sum2\na,1,1,,1,1,1\n":      "m1_name is no name of a measure",
		`{"scenario":"a"}`:                            "x:1: there is no member passes",
		`{"scenario":"a","passes":1,"fails":`:         "x:1: the JSON is cut off",
		`{"scenario":{},"passes":1,"fails":1}`:        `x:1: "scenario" is no text and no number`,
		`[1]`:                                         "x:1: is no JSON object of a row",
		"{\n" + strings.Repeat(" ", mostLine+100_000): "a line is longer than",
	} {
		_, err := Read(strings.NewReader(text), "x")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: error %v, want %s", text, err, want)
		}
	}
	// What no trials have is found where they are judged.
	for text, want := range map[string]string{
		"scenario,passes,fails,tokens_n,tokens_sum,tokens_sum2\na,1,1,1,1,1\nb,1,1,3,3,3\n": "x:3: tokens is n 3",
		"scenario,passes,fails,tokens_n,tokens_sum,tokens_sum2\na,1,1,1,-1,1\n":             "x:2: tokens is n 1",
		"scenario,passes,fails,cost_usd_passes\na,1,1,1\n":                                  "x:2: cost_usd_passes is 1",
		"scenario,passes,fails\na,1100000000,1\n":                                           "x:2: passes is 1100000000",
		"scenario,passes,fails,unjudged\na,1,1,1\n": "x:2: nothing tells the " +
			"outcome of 1 trial",
	} {
		all, err := Read(strings.NewReader(text), "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := all.Recording(""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// FuzzRead: whatever is read either is refused or makes a recording or an error of it, and what it makes is judged.
func FuzzRead(f *testing.F) {
	f.Add(table)
	f.Add(`{"scenario":"a","passes":1,"fails":2,"cost_usd_n":3,"cost_usd_sum":1,"cost_usd_sum2":1,"cost_usd_passes":1}`)
	f.Add(`[{"scenario":"a","passes":1,"fails":2}]`)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Read(strings.NewReader(text), "x")
		if err != nil {
			return
		}
		for _, variant := range all.Variants() {
			r, err := all.Recording(variant)
			if err != nil {
				continue
			}
			if _, err := verdict.JudgeThreshold(t.Context(), r.Tallies(), verdict.ThresholdOptions{Threshold: 0.5}); err != nil {
				if _, is := err.(*verdict.OptionError); !is {
					t.Fatal(err)
				}
			}
		}
	})
}

// manyRows are rows of two variants, of so many trials each.
func manyRows(n, trials int) string {
	var b strings.Builder
	b.WriteString("variant,scenario,passes,fails,errors,n,cost_usd_n,cost_usd_sum,cost_usd_sum2,cost_usd_passes\n")
	for i := range n {
		passes := trials*88/100 + 17*i%max(trials*8/100, 1)
		fmt.Fprintf(&b, "%s,scenario %d,%d,%d,0,%d,%[5]d,%v,%v,%[3]d\n", []string{"base", "next"}[i%2], i/2, passes,
			trials-passes, trials, float64(trials)/10, float64(trials)/90+float64(i%7)/1e3)
	}
	return b.String()
}

// Ten thousand rows, of a hundred trials each, and for a verdict of 25,000: a quarter of a billion trials in all.
func BenchmarkRows(b *testing.B) {
	for _, trials := range []int{100, 25_000} {
		text := manyRows(10_000, trials)
		b.Run(fmt.Sprintf("verdict of %d", trials), func(b *testing.B) {
			for b.Loop() {
				all, err := Read(strings.NewReader(text), "rows.csv")
				if err != nil {
					b.Fatal(err)
				}
				tallies, err := all.Tallies("next")
				if err != nil {
					b.Fatal(err)
				}
				o := verdict.ThresholdOptions{Threshold: 0.9}
				if _, err := verdict.JudgeThreshold(context.Background(), tallies, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, trials := range []int{100, 10_000, 100_000} {
		text := manyRows(10_000, trials)
		b.Run(fmt.Sprintf("compare of %d", trials), func(b *testing.B) {
			for b.Loop() {
				all, err := Read(strings.NewReader(text), "rows.csv")
				if err != nil {
					b.Fatal(err)
				}
				base, err := all.Recording("base")
				if err != nil {
					b.Fatal(err)
				}
				next, err := all.Recording("next")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := compare.Judge(context.Background(), base, next, compare.Options{Delta: 0.01}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
