package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/trial"
)

// agent gives trials whose failures and calls of tools are drawn.
func agent(seed uint64, scenario string, n int, failing, calls float64) []*trial.Trial {
	random := seeded.Stream(seed, uint64(len(scenario)))
	all := make([]*trial.Trial, n)
	for i := range all {
		t := &trial.Trial{Scenario: scenario, Outcome: trial.Pass, CostUSD: trial.Some(calls * (0.5 + random.Float64()))}
		if random.Float64() < failing {
			t.Outcome = trial.Fail
		}
		for range int(calls*2*random.Float64()) + 1 {
			t.Steps = append(t.Steps, trial.Step{Action: trial.CallTool, Tool: "search"})
		}
		t.Steps = append(t.Steps, trial.Step{Action: trial.Respond})
		all[i] = t
	}
	return all
}

func watch(t *testing.T, m *Monitor, trials []*trial.Trial) (alarms []*Alarm) {
	t.Helper()
	for _, x := range trials {
		more, err := m.Add(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		alarms = append(alarms, more...)
	}
	return alarms
}

func recorded(o Options, trials ...[]*trial.Trial) Baseline {
	var b Baseline
	for _, list := range trials {
		for _, x := range list {
			b.Take(o, x)
		}
	}
	return b
}

func TestAlarmOfOneStreamAndWhatMoved(t *testing.T) {
	o := Options{Watch: []Measure{Cost, Steps, Distance}, Seed: 1}
	b := recorded(o, agent(1, "refund", 400, .05, 3), agent(1, "book", 400, .05, 3))
	m, err := New(o, b)
	if err != nil {
		t.Fatal(err)
	}
	if alarms := watch(t, m, agent(2, "refund", 200, .05, 3)); len(alarms) > 0 {
		t.Fatalf("alarms of what did not change: %+v", alarms[0])
	}
	watch(t, m, agent(2, "book", 200, .05, 3))
	alarms := watch(t, m, agent(3, "refund", 200, .4, 9))
	found := map[Measure]*Alarm{}
	for _, a := range alarms {
		if a.Stream != "refund" || found[a.Measure] != nil {
			t.Errorf("alarm %+v", a)
		}
		found[a.Measure] = a
	}
	for _, measure := range []Measure{PassRate, Cost, Steps, Distance} {
		a := found[measure]
		if a == nil {
			t.Errorf("no alarm of %v", measure)
			continue
		}
		if a.Likely < 190 || a.Likely > 215 || a.Latest < 201 || a.Limit != 5000*8 || a.Evidence < a.Limit {
			t.Errorf("%v: %+v", measure, a)
		}
	}
	a := found[PassRate]
	if a == nil || a.Moved == nil || !a.Moved.Changed || !strings.Contains(strings.Join(a.Moved.Columns, "\n"), "search") {
		t.Fatalf("moved: %+v", a)
	}
	if a.Since == nil || a.Since.Trials != a.Trial-a.Likely+1 || stats.Counts(*a.Since).Rate() > .8 {
		t.Errorf("since: %+v", a.Since)
	}
	if s := m.Status(); s.Detectors != 8 || len(s.Streams) != 2 || s.Streams[0].Name != "book" || !m.Enough() ||
		len(m.Alarms()) != len(alarms) {
		t.Errorf("status %+v", s)
	}
}

// A monitor that is stored after every trial and read again says what one says that runs through.
func TestStoredMonitorGoesOn(t *testing.T) {
	for _, o := range []Options{
		{Watch: []Measure{Cost}, Seed: 3, RunLength: 200},
		{Detector: CUSUM, RunLength: 200},
		{Detector: Conformal, By: "suite", RunLength: 200},
	} {
		b := Baseline{Counts: stats.Counts{Passes: 280, Trials: 300}}
		trials := append(agent(4, "refund", 60, .05, 2), agent(5, "book", 30, .1, 2)...)
		trials = append(trials, agent(6, "refund", 120, .5, 4)...)
		through, err := New(o, b)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := New(o, b)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range trials {
			first := watch(t, through, []*trial.Trial{x})
			text, err := json.Marshal(stored)
			if err != nil {
				t.Fatal(err)
			}
			if stored, err = Restore(text, o, b); err != nil {
				t.Fatal(err)
			}
			second := watch(t, stored, []*trial.Trial{x})
			if len(first) != len(second) {
				t.Fatalf("%v, trial %d: %d and %d alarms", o.Detector, i, len(first), len(second))
			}
			if len(first) > 0 && (first[0].Likely != second[0].Likely || first[0].Evidence != second[0].Evidence) {
				t.Fatalf("%+v and %+v", first[0], second[0])
			}
		}
		if len(through.Alarms()) == 0 {
			t.Errorf("%v: no alarm", o.Detector)
		}
		one, other := through.Status(), stored.Status()
		for _, s := range []*Status{&one, &other} {
			for i := range s.Streams {
				for j := range s.Streams[i].Measures {
					s.Streams[i].Measures[j].Alarm = nil // of which the last trials are in memory alone
				}
			}
		}
		if !reflect.DeepEqual(one, other) {
			t.Errorf("status %+v\nand %+v", one, other)
		}
	}
}

func TestRestoreRefusesOtherOptions(t *testing.T) {
	o := Options{RunLength: 200}
	b := recorded(o, agent(1, "refund", 100, .1, 2))
	m, err := New(o, b)
	if err != nil {
		t.Fatal(err)
	}
	watch(t, m, agent(2, "refund", 10, .1, 2))
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(text, o, b); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]Options{
		"run length": {RunLength: 300}, "watch": {RunLength: 200, Watch: []Measure{Cost}},
		"by":       {RunLength: 200, By: "suite"},
		"detector": {RunLength: 200, Detector: CUSUM},
	} {
		if _, err := Restore(text, other, b); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Restore(text, o, recorded(o, agent(1, "refund", 101, .1, 2))); !errors.Is(err, ErrOptions) {
		t.Errorf("another baseline: %v", err)
	}
}

// An alarm stays until somebody accepts it, with a reason and trials enough.
func TestAcceptNeedsReasonAndTrials(t *testing.T) {
	m, err := New(Options{RunLength: 100}, Baseline{Counts: stats.Counts{Passes: 95, Trials: 100}})
	if err != nil {
		t.Fatal(err)
	}
	watch(t, m, agent(1, "refund", 40, .8, 2))
	if len(m.Alarms()) != 1 {
		t.Fatal("no alarm")
	}
	since := m.streams["refund"].Watchers[0].Counts.Trials
	if since >= 40 {
		t.Fatalf("%d trials since the alarm", since)
	}
	for _, a := range []Acceptance{{Stream: "book", Reason: "x"}, {Stream: "refund"}, {Stream: "refund", Reason: " "}} {
		if err := m.Accept(a); err == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
	watch(t, m, agent(2, "refund", 100, .3, 2))
	if err := m.Accept(Acceptance{Stream: "refund", Reason: "a harder task", By: "ann"}); err != nil {
		t.Fatal(err)
	}
	s := m.Status()
	if len(m.Alarms()) > 0 || len(s.Accepted) != 1 || s.Accepted[0].Baseline.Trials != since+100 {
		t.Fatalf("after it: %+v", s)
	}
	want, err := change.LowerLimit(stats.Counts(*s.Accepted[0].Baseline), .05)
	if err != nil || s.Streams[0].Measures[0].Lower != want {
		t.Errorf("limit %v, want %v (%v)", s.Streams[0].Measures[0].Lower, want, err)
	}
	if err := m.Accept(Acceptance{Stream: "refund", Reason: "again"}); err == nil {
		t.Error("what is not in alarm is accepted")
	}
	if alarms := watch(t, m, agent(3, "refund", 60, .95, 2)); len(alarms) != 1 {
		t.Errorf("%d alarms of the next change", len(alarms))
	}
}

func TestStreamsByTagAndSuite(t *testing.T) {
	tagged := func(value string) *trial.Trial {
		return &trial.Trial{Scenario: "s", Outcome: trial.Pass,
			Tags: []trial.Member{{Name: "team", Value: trial.Raw(`"` + value + `"`)}}}
	}
	for by, want := range map[string]int{"": 1, "suite": 1, "tag:team": 2, "tag:nobody": 1} {
		m, err := New(Options{By: by}, Baseline{})
		if err != nil {
			t.Fatal(err)
		}
		watch(t, m, []*trial.Trial{tagged("a"), tagged("b"), tagged("a")})
		if got := len(m.Status().Streams); got != want {
			t.Errorf("%q: %d streams, want %d", by, got, want)
		}
	}
	m, err := New(Options{}, Baseline{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range MostStreams + 1 {
		if _, err = m.Add(context.Background(), &trial.Trial{Scenario: fmt.Sprint(i), Outcome: trial.Pass}); err != nil {
			break
		}
	}
	if _, ok := errors.AsType[*StreamsError](err); !ok {
		t.Errorf("one stream too many: %v", err)
	}
}

func TestErrorsAndUnjudgedTrialsCountForNothing(t *testing.T) {
	m, err := New(Options{}, Baseline{})
	if err != nil {
		t.Fatal(err)
	}
	watch(t, m, []*trial.Trial{{Scenario: "s", Outcome: trial.Error}, {Scenario: "s"},
		{Scenario: "s", Outcome: trial.Pass}})
	s := m.Status()
	if s.Errors != 1 || s.Unjudged != 1 || s.Streams[0].Trials != 2 || s.Streams[0].Measures[0].Trials != 1 || m.Enough() {
		t.Errorf("%+v", s)
	}
}

// Whatever is read goes on, or is refused.
func FuzzRestore(f *testing.F) {
	m, err := New(Options{Watch: []Measure{Cost}, RunLength: 20}, Baseline{Counts: stats.Counts{Passes: 9, Trials: 10}})
	if err != nil {
		f.Fatal(err)
	}
	for _, x := range agent(1, "refund", 60, .7, 2) {
		if _, err := m.Add(context.Background(), x); err != nil {
			f.Fatal(err)
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"streams":[null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Stored(text)
		if err != nil {
			return
		}
		for _, s := range m.names() {
			_ = m.Accept(Acceptance{Stream: s, Reason: "x"})
		}
		for _, x := range agent(2, "refund", 5, .5, 2) {
			if _, err := m.Add(context.Background(), x); err != nil {
				return
			}
		}
		if _, err := json.Marshal(m.Status()); err != nil {
			t.Fatal(err)
		}
	})
}
