package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	selection "github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/race"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// raceSample is a race of four arms that the first variant won, and that is confirmed.
func raceSample() *race.Result {
	arm := func(name string, standing race.Standing, trials, passes, behind int, cost, seconds float64) race.Arm {
		a := race.Arm{Name: name, Standing: standing, Trials: trials, Passes: passes, Fails: trials - passes, Behind: behind,
			Rate: ptr(float64(passes) / float64(trials)), CostUSD: &cost, Seconds: &seconds}
		if standing == race.Dropped {
			a.Round, a.By = trials, "brief"
		}
		for round := 1; round <= trials; round += 2 {
			a.Path = append(a.Path, race.Point{Round: round, Behind: behind * round / trials})
		}
		a.Path = append(a.Path, race.Point{Round: trials, Behind: behind})
		return a
	}
	confirmed := &race.Confirmation{
		Winner:    race.Rate{Trials: 40, Passes: 38, Rate: ptr(0.95), Low: 0.7812, High: 0.9951},
		Incumbent: race.Rate{Trials: 40, Passes: 31, Errors: 1, Rate: ptr(31.0 / 39), Low: 0.5723, High: 0.9321},
	}
	r := &race.Result{
		Schema: race.Schema, Verdict: verdict.Pass, Suite: "support", Digest: "sha256:0123456789abcdef01234567",
		Reasons: []verdict.Reason{{Code: "race-chosen",
			Text: `"brief" is chosen: on new trials it passed 38 of 40, and the current version 31 of 40 ` +
				`with 1 error, so that it is not worse by 10 points; its rate is at least 78.1%`}},
		Warnings:  []verdict.Warning{{Code: "race-errors", Text: "1 trial of the race ended in an error (agent)"}},
		Asked:     race.Options{Alpha: 0.05, Beta: 0.1, Delta: 0.1, Rate: 0.75, Lead: 9, MaxRounds: 360},
		OddsRatio: 1.615, Guarantee: 0.9615, End: selection.Won, Chosen: "brief", Rounds: 86, Confirmed: confirmed,
		Arms: []race.Arm{
			arm(race.Incumbent, race.Dropped, 52, 38, 9, 0.002, 1.5), arm("brief", race.Chosen, 86, 81, 0, 0.0015, 1.2),
			arm("steps", race.Dropped, 86, 72, 9, 0.006, 4.5), arm("strict", race.Dropped, 21, 11, 9, 0.001, 0.9),
		},
		Run:          &runs.Result{Seed: 7, Spent: runs.Expense{CostUSD: ptr(0.77)}},
		Confirmation: &runs.Result{Seed: 8, Spent: runs.Expense{CostUSD: ptr(0.14)}},
	}
	r.Arms[0].Errors, r.Arms[0].Fails = 1, r.Arms[0].Fails-1
	r.Arms[1].Front, r.Arms[3].Front = true, true
	for _, a := range r.Arms {
		r.Trials += a.Trials
	}
	return r
}

// openRace is the sample as it was when its rounds were used up.
func openRace() *race.Result {
	r := raceSample()
	r.Verdict, r.ExitCode, r.End, r.Chosen, r.Confirmed, r.Confirmation = verdict.Inconclusive, 2, selection.OutOfRounds,
		"", nil, nil
	r.Reasons = []verdict.Reason{{Code: "race-left",
		Text: "all 86 rounds are used, and 2 of 4 are left, none of them 9 passes behind: brief, steps"}}
	for _, i := range []int{1, 2} {
		r.Arms[i].Standing, r.Arms[i].Round, r.Arms[i].By = race.Left, 0, ""
	}
	r.Arms[2].Behind, r.Arms[2].CostUSD, r.Arms[2].Seconds = 4, nil, nil
	return r
}

func raceRenders() map[string]render {
	return map[string]render{
		"race-won":  func(w io.Writer, o Options) error { return Write(w, raceSample(), TextFormat, o) },
		"race-open": func(w io.Writer, o Options) error { return Write(w, openRace(), TextFormat, o) },
	}
}

// Names of variants are written by others: they change no terminal, page or log.
func TestRacesAreInert(t *testing.T) {
	r := raceSample()
	const hostile = "<script>alert(1)</script>\x1b]0;x\a\n::error::x <img src=x onerror=alert(1)>"
	r.Arms[2].Name, r.Chosen, r.Arms[1].Name, r.Arms[0].By = hostile, hostile, hostile, hostile
	r.Reasons[0].Text = hostile
	for _, f := range Formats() {
		if f == metricsFormat {
			continue
		}
		var out bytes.Buffer
		if err := Write(&out, r, f, Options{}); err != nil {
			t.Fatal(f, err)
		}
		text := out.String()
		if f != JSONFormat && strings.ContainsAny(text, "\x1b\a") || strings.Contains(text, "\n::error::x") {
			t.Errorf("%v: %q", f, text)
		}
		if f == HTMLFormat && (strings.Contains(text, "<script>alert") || strings.Contains(text, "<img src=x")) {
			t.Errorf("the page has markup of others")
		}
	}
}

// On the front are those that are left and than which no other is as good and clearly cheaper or faster: what was
// dropped is not, nor does a pass or a moment decide.
func TestFrontOfARace(t *testing.T) {
	if front := frontOf(raceSample()); front != "" {
		t.Errorf("of one that is left: %q", front)
	}
	r := openRace()
	for _, x := range []struct {
		behind        int
		cost, seconds float64
		want          string
	}{
		{4, 0.0014, 1.1, "brief, steps"}, {4, 0.0016, 1.201, "brief, steps"}, {0, 0.0015, 1.5, "brief"},
		{4, 0.0015, 0.9, "brief, steps"}, {0, 0.0010, 1.25, "steps"}, {4, 0.0030, 0.9, "brief, steps"},
	} {
		r.Arms[2].Behind, r.Arms[2].CostUSD, r.Arms[2].Seconds = x.behind, &x.cost, &x.seconds
		if front := frontOf(r); front != x.want {
			t.Errorf("%+v: %q", x, front)
		}
	}
}

// The line of an arm is at the top where it leads and at the bottom where it is behind by the lead; the page draws all
// arms.
func TestLinesOfArms(t *testing.T) {
	r := raceSample()
	if line := lineOf(r.Arms[1], r, false); line != strings.Repeat("█", lineWidth) {
		t.Errorf("the leader's is %q", line)
	}
	if line := lineOf(r.Arms[2], r, true); !strings.HasSuffix(line, "_") || !strings.HasPrefix(line, "@") {
		t.Errorf("that of an arm that fell behind is %q", line)
	}
	d, err := newDocument(r, document.Detail{})
	if err != nil || len(d.Pictures) != 1 {
		t.Fatalf("%d pictures, %v", len(d.Pictures), err)
	}
	var out bytes.Buffer
	if err := d.Pictures[0].Draw(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dropped after round 21, 9 passes behind brief", ">agent<", ">steps<"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the drawing has no %q", want)
		}
	}
}
