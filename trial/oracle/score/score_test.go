package score

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// judge is an evaluator that counts how often it is asked. It is unknown below 0.
type judge struct {
	score float64
	asked int
}

func (j *judge) Name() string { return "judge" }

func (j *judge) Evaluate(context.Context, oracle.Evidence) oracle.Result {
	j.asked++
	if j.score < 0 {
		return oracle.Result{Outcome: trial.Error, Text: "no answer"}
	}
	return oracle.Result{Outcome: trial.Pass, Score: trial.Some(j.score), Text: "because"}
}

// report has so many tests that passed, of all.
func report(passed, tests int) func(context.Context, string) (Report, error) {
	return func(context.Context, string) (Report, error) { return Report{passed, tests}, nil }
}

// condition reads one over axes.
func condition(t *testing.T, text string, axes ...string) *Condition {
	t.Helper()
	c, err := NewCondition(text, axes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The axes of "Test-Driven Termination": 63 tests, ten principles of 0 to 2, nine known pitfalls. What its agents had,
// 61 tests and 2 of 20 principles, and 63 and 18, comes to what it says, as does one that never got to be judged.
func TestAxesOfTheArticle(t *testing.T) {
	for _, c := range []struct {
		tests        int
		level        float64 // of each principle
		dirty        int     // lines with a pitfall
		want         string
		asked        int
		principleSum float64
	}{
		{61, 0.1, 4, "tests 61 of 63, scars 5 of 9, principles 2 of 20", 10, 2},
		{63, 0.9, 4, "tests 63 of 63, scars 5 of 9, principles 18 of 20", 10, 18},
		{31, 1, 0, "tests 31 of 63, scars 9 of 9, principles 0 of 20", 0, 0},
	} {
		j := &judge{score: c.level}
		principles := Axis{Name: "principles", Points: 20, OnlyIf: condition(t, "tests >= 0.5", "tests")}
		for range 10 {
			principles.Parts = append(principles.Parts, Part{Name: "p", Judge: j})
		}
		scars := Axis{Name: "scars", Points: 9}
		output := ""
		for i := range 9 {
			word := strings.Repeat("x", i+1) + "!"
			scars.Parts = append(scars.Parts, Part{Name: word, Regexp: regexp.MustCompile(`\b` + word)})
			if i < c.dirty {
				output += word + "\n"
			}
		}
		axes := Of([]Axis{principles, {Name: "tests", Points: 63, From: Tests, Report: "r"}, scars})
		e := Evidence{Folder: t.TempDir(), Read: report(c.tests, 63)}
		e.Trial = &trial.Trial{Output: trial.RawString(output + "end")}
		got := axes.Give(t.Context(), e)
		if got.String() != c.want || j.asked != c.asked {
			t.Errorf("%s, and the judge was asked %d times; want %s and %d", got, j.asked, c.want, c.asked)
		}
		if x := got.Axis("principles"); x.Gated != (c.asked == 0) {
			t.Errorf("%s: %+v", c.want, x)
		}
	}
}

// What is not known is no points: neither of the axis, nor of those whose condition rests on it, nor of the sum.
func TestUnknownIsNoPoints(t *testing.T) {
	later := &judge{score: 1}
	axes := Of([]Axis{
		{Name: "tone", Points: 2, Parts: []Part{{Name: "a", Judge: &judge{score: 1}}, {Name: "b", Judge: &judge{score: -1}}}},
		{Name: "levels", Points: 2, Parts: []Part{{Name: "a", Judge: &judge{score: 0.3}, Levels: []float64{0, 1, 2}}}},
		{Name: "more", Points: 4, Parts: []Part{{Name: "c", Judge: later}},
			OnlyIf: condition(t, "tone > 0", "tone", "levels")},
	})
	e := Evidence{}
	e.Trial = &trial.Trial{}
	got := axes.Give(t.Context(), e)
	if got.String() != "tone not known, levels not known, more not known" || later.asked != 0 {
		t.Errorf("%s; asked %d", got, later.asked)
	}
	if sum, most := got.Sum(); sum.Known || most != 8 {
		t.Errorf("sum %v of %v", sum, most)
	}
}

// A level of a judge is one of those that it may say, whatever they are.
func TestLevels(t *testing.T) {
	for score, want := range map[float64]string{0: "0 of 10", 1: "10 of 10", 0.2: "2 of 10", 0.5: "not known"} {
		axes := Axes{{Name: "x", Points: 10,
			Parts: []Part{{Name: "a", Judge: &judge{score: score}, Levels: []float64{0, 1, 5}}}}}
		e := Evidence{}
		e.Trial = &trial.Trial{}
		if got := axes.Give(t.Context(), e).String(); got != "x "+want {
			t.Errorf("%v: %s, want %s", score, got, want)
		}
	}
}

// What the agent does not leave has no points; of a recording the files are not known, and what was recorded stays.
func TestFilesThatAreNotThere(t *testing.T) {
	scar := Axis{Name: "scars", Points: 3,
		Parts: []Part{{Name: "x", Regexp: regexp.MustCompile("x"), Files: []string{"*.py"}}}}
	tests := Axis{Name: "tests", Points: 5, From: Tests, Report: "r-{id}.xml"}
	axes := Axes{tests, scar}
	folder := t.TempDir()
	read := func(_ context.Context, file string) (Report, error) {
		if file != filepath.Join(folder, "r-7.xml") {
			t.Errorf("the report is looked for at %s", file)
		}
		return Report{}, fs.ErrNotExist
	}
	e := Evidence{Folder: folder, ID: "7", Read: read}
	e.Trial = &trial.Trial{}
	if got := axes.Give(t.Context(), e).String(); got != "tests 0 of 5, scars 0 of 3" {
		t.Error(got)
	}
	e.Read = func(context.Context, string) (Report, error) { return Report{}, errors.New("no XML") }
	if got := axes.Give(t.Context(), e).String(); got != "tests 0 of 5, scars 0 of 3" {
		t.Error(got)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.py"), []byte("one\ntwo x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Read = report(4, 4)
	live := axes.Give(t.Context(), e)
	if live.String() != "tests 5 of 5, scars 0 of 3" || live.Axes[1].Parts[0].Text != "found in a.py:2" {
		t.Errorf("%s: %s", live, live.Axes[1].Parts[0].Text)
	}
	e.Folder = ""
	if got := axes.Give(t.Context(), e).String(); got != "tests not known, scars not known" {
		t.Error(got)
	}
	live.Record(e.Trial)
	if got := axes.Give(t.Context(), e); !got.Same(live) {
		t.Error(got)
	}
	axes[0].Digest = "other"
	if got := axes.Give(t.Context(), e).String(); got != "tests not known, scars 0 of 3" {
		t.Error(got)
	}
}

// A report of a part of the tests is no way to more points, and an empty one has none.
func TestReportOfAPart(t *testing.T) {
	for _, c := range []struct {
		passed, tests, all int
		want               string
	}{{5, 5, 0, "10 of 10"}, {5, 5, 10, "5 of 10"}, {5, 20, 10, "2.5 of 10"}, {0, 0, 0, "0 of 10"}, {0, 0, 3, "0 of 10"}} {
		axes := Axes{{Name: "t", Points: 10, From: Tests, Report: "r", Tests: c.all}}
		e := Evidence{Folder: "x", Read: report(c.passed, c.tests)}
		e.Trial = &trial.Trial{}
		if got := axes.Give(t.Context(), e).String(); got != "t "+c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Sources are shares of what evaluators and limits found.
func TestSources(t *testing.T) {
	contract := oracle.Result{Evaluator: "contract", Outcome: trial.Fail, Score: trial.Some(0.0), Parts: []oracle.Result{
		{Outcome: trial.Pass}, {Outcome: trial.Fail}, {Outcome: trial.Pass}, {Outcome: trial.Pass},
	}}
	e := Evidence{Judgement: oracle.Judgement{
		Results: []oracle.Result{
			{Evaluator: "contains", Outcome: trial.Pass, Score: trial.Some(1.0)},
			{Evaluator: "all", Outcome: trial.Fail, Score: trial.Some(0.5), Parts: []oracle.Result{contract}},
		},
		Limits: []oracle.LimitResult{{Outcome: trial.Pass}, {Outcome: trial.Fail}},
	}}
	e.Trial = &trial.Trial{}
	axes := Axes{{Name: "e", Points: 4, From: Evaluators}, {Name: "c", Points: 4, From: Contracts},
		{Name: "l", Points: 4, From: Limits}}
	if got := axes.Give(t.Context(), e).String(); got != "e 3 of 4, c 3 of 4, l 2 of 4" {
		t.Error(got)
	}
	e.Judgement.Limits[0].Outcome = trial.Error
	contract.Parts[0].Outcome = trial.Error
	if got := axes.Give(t.Context(), e).String(); got != "e 3 of 4, c not known, l not known" {
		t.Error(got)
	}
	e.Judgement = oracle.Judgement{}
	if got := axes.Give(t.Context(), e).String(); got != "e not known, c not known, l not known" {
		t.Error(got)
	}
}

// What no condition may be is refused, and nothing panics.
func TestConditions(t *testing.T) {
	for _, text := range []string{
		"", "tests", "test > 1", "tests >", "len(tests) > 1", "all(1..9, # > 1)", "now() > 1", "tests > '1'",
		strings.Repeat("tests > 0 and ", 200) + "true", strings.Repeat("(", 600), "tests.x > 1", "$env == 1",
	} {
		if _, err := NewCondition(text, []string{"tests"}); err == nil {
			t.Errorf("%.40q is a condition", text)
		}
	}
	for text, want := range map[string]bool{
		"tests >= 0.5": true, "tests > 0.5": false, "tests >= 0.5 and scars == 1": true, "not (tests < 1)": false,
		"tests + scars > 1.4": true, "true": true,
	} {
		holds, problem := condition(t, text, "tests", "scars").holds(map[string]float64{"tests": 0.5, "scars": 1})
		if holds != want || problem != "" {
			t.Errorf("%s is %v, %s", text, holds, problem)
		}
	}
	for name, want := range map[string]bool{
		"tests": true, "a_1": true, "not": false, "in": false, "Tests": false, "1a": false, "": false, "true": false,
		"let": false,
	} {
		if IsName(name) != want {
			t.Errorf("%q is a name: %v", name, !want)
		}
	}
}

func FuzzCondition(f *testing.F) {
	f.Add("tests >= 0.5 and not (scars < 1)")
	f.Add("1..1000000000 == nil")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := NewCondition(text, []string{"tests", "scars"}); err == nil {
			c.holds(map[string]float64{"tests": 0.5, "scars": 1})
		}
	})
}

// Series hold what trials have, and give it back but for the evidence.
func TestSeries(t *testing.T) {
	points := func(x float64) *float64 { return &x }
	record := func(found ...AxisResult) *trial.Trial {
		x := &trial.Trial{}
		(&Trial{Axes: found}).Record(x)
		return x
	}
	trials := []*trial.Trial{
		record(AxisResult{Name: "a", Max: 4, Points: points(1)}, AxisResult{Name: "b", Max: 2, Points: points(0),
			Gated: true}),
		nil,
		record(AxisResult{Name: "a", Max: 4, Points: points(4)}, AxisResult{Name: "b", Max: 2, Text: "no answer"}),
		{},
		record(AxisResult{Name: "a", Max: 4, Points: points(1)}, AxisResult{Name: "b", Max: 2, Points: points(2)}),
	}
	list, err := SeriesOf(trials)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Marks != "S.S.S" || list[1].Marks != "G.U.S" || *list[0].Mean != 2 ||
		*list[1].Mean != 1 ||
		list[1].Gated != 1 || list[1].Unknown != 1 || list[1].Known != 2 {
		t.Errorf("%+v", list)
	}
	for i, x := range trials {
		got, err := TrialOf(list, i)
		if err != nil {
			t.Fatal(err)
		}
		var want *Trial
		if x != nil {
			want = Recorded(x)
		}
		if !got.Same(want) {
			t.Errorf("trial %d: %s, want %s", i, got, want)
		}
	}
	for name, change := range map[string]func(*Series){
		"marks":   func(s *Series) { s.Marks = "S.S.X" },
		"length":  func(s *Series) { s.Marks = "S.S" },
		"unknown": func(s *Series) { s.Marks = "S.S.U" },
		"points":  func(s *Series) { s.Points[4].Value = 5 },
		"less":    func(s *Series) { s.Points[4].Value = -1 },
		"scored":  func(s *Series) { s.Points[4] = trial.Optional[float64]{} },
		"max":     func(s *Series) { s.Max = 0 },
	} {
		again, err := SeriesOf(trials)
		if err != nil {
			t.Fatal(err)
		}
		change(&again[0])
		if _, err := TrialOf(again, 4); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A record that no scoring wrote is none.
func TestRecordsOfOthers(t *testing.T) {
	axis := `{"name":"a","max":2,"points":1}`
	for _, value := range []string{
		"null", "1", "{}", `{"axes":[]}`, `{"axes":[` + axis + "," + axis + `]}`,
		`{"axes":[{"name":"a","max":2,"points":3}]}`,
		`{"axes":[{"name":"a","max":0}]}`, `{"axes":[{"name":"A","max":1}]}`, `{"axes":[{"name":"a","max":1,"gated":true}]}`,
		`{"axes":[{"name":"a","max":1,"points":-1}]}`, `{"axes":[{"name":"a","max":1,"parts":[{"max":1,"level":2}]}]}`,
		`{"axes":[` + strings.Repeat(`{"name":"a","max":1},`, 40) + `{}]}`,
	} {
		if found := Recorded(&trial.Trial{Extra: []trial.Member{{Name: member, Value: trial.Raw(value)}}}); found != nil {
			t.Errorf("%.60s is %s", value, found)
		}
	}
	x := &trial.Trial{Extra: []trial.Member{{Name: "mine", Value: trial.Raw("1")},
		{Name: member, Value: trial.Raw(`{"axes":[` + axis + `]}`)}}}
	if Recorded(x).String() != "a 1 of 2" {
		t.Errorf("%s", Recorded(x))
	}
	var none *Trial
	none.Record(x)
	if diff := cmp.Diff([]trial.Member{{Name: "mine", Value: trial.Raw("1")}}, x.Extra); diff != "" {
		t.Error(diff)
	}
}
