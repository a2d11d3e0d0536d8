package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// drawnFrom is an agent that answers at once, by the seed of the trial: it passes with the rate, errs sometimes, and
// costs eighths of a dollar.
func drawnFrom(rate, errs float64) AgentFunc {
	return func(_ context.Context, r Request) Attempt {
		random := rand.New(rand.NewPCG(r.Seed, uint64(len(r.Variant))))
		at := rate
		if r.Baseline {
			at = .95
		}
		t := &trial.Trial{Outcome: trial.Pass, CostUSD: trial.Some(float64(1+random.IntN(8)) / 8)}
		if random.Float64() >= at {
			t.Outcome = trial.Fail
		}
		if random.Float64() < errs {
			t.Outcome, t.Error = trial.Error, &trial.Cause{Origin: "agent", Type: "x", Message: "no luck"}
		}
		return Attempt{Trial: t}
	}
}

// shardCase are options of one kind of run.
type shardCase struct {
	name string
	make func(t *testing.T, agent Agent) Options
}

// kindsOfRuns are those of which shards are made.
func kindsOfRuns() []shardCase {
	wald := func(t *testing.T) sprt.Design {
		d, err := sprt.Wald(sprt.Hypotheses{Threshold: .9, Delta: .3, Alpha: .1, Beta: .1}, 30)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return []shardCase{
		{"sequential", func(t *testing.T, agent Agent) Options { return options(quick(t), agent, "a", "b", "c") }},
		{"fixed", func(t *testing.T, agent Agent) Options {
			d, err := sprt.Fixed(sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .2, Beta: .2}, 9)
			if err != nil {
				t.Fatal(err)
			}
			return options(d, agent, "a", "b")
		}},
		{"recording", func(t *testing.T, agent Agent) Options {
			d, err := sprt.Recording(11)
			if err != nil {
				t.Fatal(err)
			}
			return options(d, agent, "a", "b")
		}},
		{"pooled", func(t *testing.T, agent Agent) Options {
			o := options(quick(t), agent, "a", "b", "c")
			o.Tests = []Test{{Name: "all", Design: wald(t), Scenarios: []string{"a", "b", "c"}}}
			return o
		}},
		{"listed", func(t *testing.T, agent Agent) Options {
			o := options(quick(t), agent, "a", "b")
			o.Listed = true
			return o
		}},
		{"rounds", func(t *testing.T, agent Agent) Options {
			o := options(quick(t), agent, "a", "r")
			against, err := sides()
			if err != nil {
				t.Fatal(err)
			}
			o.Tests[1] = Test{Name: "r", Against: against, Scenarios: []string{"r"}}
			o.BaselineAgent = agent
			return o
		}},
		{"variants", func(t *testing.T, agent Agent) Options {
			o := options(quick(t), agent, "a", "v")
			o.Tests = o.Tests[:1]
			o.Variants = map[string]Agent{"one": agent, "three": agent}
			for name := range 2 {
				v := []string{"one", "three"}[name]
				o.Tests = append(o.Tests, Test{Name: "v " + v, Variant: v, Design: wald(t), Scenarios: []string{"v"}})
			}
			return o
		}},
	}
}

// runShards runs all shards of a run, and returns their journals.
func runShards(t testing.TB, o Options, count int) (files []string) {
	t.Helper()
	folder := t.TempDir()
	for i := range count {
		o.Shard, o.Journal = &journal.Shard{Index: i + 1, Count: count}, filepath.Join(folder, fmt.Sprint(i+1))
		r, err := Run(t.Context(), o)
		if err != nil || r.Share == nil {
			t.Fatalf("shard %d: %+v, %v", i+1, r, err)
		}
		files = append(files, o.Journal)
	}
	return files
}

// asResult is the result of a run as it is saved, but for what is of its clock and its journal.
func asResult(t *testing.T, r *Result) string {
	t.Helper()
	e := r.Evidence("suite", "digest", "1")
	e.Journal, e.Spent.Duration = nil, 0
	for i := range e.Tests {
		for j := range e.Tests[i].Trials {
			if record := e.Tests[i].Trials[j].Trial; record != nil {
				record.DurationSeconds = trial.Optional[float64]{}
			}
		}
	}
	result, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(result, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What the shards of a run come to is what the run comes to: for every kind of test, agents that pass, that fail and
// that err, any number of shards, in any order of their journals.
func TestMergedIsTheLocalRun(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	beyond, fewer := 0, 0
	for _, kind := range kindsOfRuns() {
		t.Run(kind.name, func(t *testing.T) {
			for seed := range uint64(5) {
				agent := drawnFrom([]float64{.95, .75, .6, .4, 0}[seed], []float64{0, .05, .1, 0, 0}[seed])
				o := kind.make(t, agent)
				o.Seed, o.Suite, o.Concurrency = seed, "s", 4
				o.Journal = filepath.Join(t.TempDir(), "local")
				local := mustRun(t, o)
				want := asResult(t, local)
				count := 1 + random.IntN(7)
				files := runShards(t, o, count)
				random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
				o.Journal = filepath.Join(t.TempDir(), "merged")
				o.Brief = seed%2 == 0
				merged, err := Merge(t.Context(), o, files)
				if err != nil {
					t.Fatalf("seed %d, %d shards: %v", seed, count, err)
				}
				beyond += merged.Beyond
				if o.Brief { // as the local run would have been
					o.Journal = filepath.Join(t.TempDir(), "brief")
					want = asResult(t, mustRun(t, o))
					o.Journal = merged.file(t, o, files)
				}
				if got := asResult(t, merged.Result); got != want {
					t.Fatalf("seed %d, %d shards: %s", seed, count, firstDifference(got, want))
				}
				// The journal is that of a run, which can be continued, and follows from it.
				history, err := journal.Read(o.Journal)
				if err != nil || !history.Decided() || history.Header.Shard != nil {
					t.Fatalf("%+v, %v", history, err)
				}
				o.Resume = true
				if got := asResult(t, mustRun(t, o)); got != want {
					t.Fatalf("seed %d, resumed: %s", seed, firstDifference(got, want))
				}
				all := 0
				for _, s := range files {
					h, err := journal.Read(s)
					if err != nil {
						t.Fatal(err)
					}
					all += h.Ended()
				}
				if all != merged.Beyond+len(merged.Trials) {
					t.Errorf("%d trials, of which %d count and %d are beyond", all, len(merged.Trials), merged.Beyond)
				}
				most := 0
				for i := range o.Tests {
					d, err := runs.NewDecider(o.Tests[i].Evidence())
					if err != nil {
						t.Fatal(err)
					}
					most += d.MaxTrials()
				}
				fewer += most - all
			}
		})
	}
	if beyond == 0 || fewer == 0 {
		t.Errorf("%d trials beyond the stop, %d spared as they were surely needless: nothing was tested", beyond, fewer)
	}
}

// file is the journal of a merge.
func (m *MergeResult) file(t *testing.T, o Options, files []string) string {
	t.Helper()
	o.Journal = filepath.Join(t.TempDir(), "merged again")
	if _, err := Merge(t.Context(), o, files); err != nil {
		t.Fatal(err)
	}
	return o.Journal
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	one, other := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			return fmt.Sprintf("line %d is %s, want %s\n%s", i, one[i], other[i], strings.Join(one[max(0, i-5):i], "\n"))
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(one), len(other))
}

// Every trial of the plan is of one shard, and what is compared within a round is of one.
func TestSharesMakeUpThePlan(t *testing.T) {
	for _, kind := range kindsOfRuns() {
		o := kind.make(t, drawnFrom(1, 0))
		for count := range 8 {
			count++
			r, err := assemble(&o)
			if err != nil {
				t.Fatal(err)
			}
			seen, rounds, sizes := map[journal.Key]bool{}, map[string]int{}, make([]int, count)
			r.plan(count, func(s *trialRun, shard int) {
				if seen[s.key()] {
					t.Errorf("%s: %v twice", kind.name, s.key())
				}
				seen[s.key()] = true
				sizes[shard-1]++
				round := fmt.Sprint(s.Scenario, s.Number)
				if other := rounds[round]; other != 0 && other != shard {
					t.Errorf("%s: %v is of shard %d, and another of its round of %d", kind.name, s.key(), shard, other)
				}
				rounds[round] = shard
			})
			most := 0
			for _, x := range r.tests {
				most += x.maxTrials()
			}
			if len(seen) != most || slices.Max(sizes)-slices.Min(sizes) > 2*len(r.tests) {
				t.Errorf("%s: %d of %d trials, as %v", kind.name, len(seen), most, sizes)
			}
		}
	}
}

// A shard ends a test early only where all trials that it leaves out are beyond the end of the test, whatever the other
// shards find: of an agent that always fails the others may have any outcomes.
func TestShardSparesOnlyWhatIsNeedless(t *testing.T) {
	design := quick(t)
	b := design.Boundaries
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 5))
		x := &shardState{stop: b.MaxTrials(), failAt: b.FailAtOrAbove}
		test, err := sprt.NewRobustTest(design)
		if err != nil {
			t.Fatal(err)
		}
		own := 1 + random.IntN(3)
		var places []int
		for place := range b.MaxTrials() {
			outcome := []trial.Outcome{trial.Pass, trial.Fail, trial.Error}[random.IntN(3)]
			if place%3 < own {
				outcome = trial.Fail
				places = append(places, place)
			}
			if err := test.Observe(place, outcome); err != nil {
				t.Fatal(err)
			}
		}
		random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		for _, place := range places {
			x.observe(place, trial.Fail)
		}
		if test.Trials() > x.stop {
			t.Fatalf("seed %d: nothing is launched from %d on, and the test ends after %d", seed, x.stop, test.Trials())
		}
	}
}

// What does not make up a run is refused, and no journal is left.
func TestMergeRefuses(t *testing.T) {
	o := options(quick(t), drawnFrom(.8, 0), "a", "b")
	o.Suite = "s"
	files := runShards(t, o, 3)
	other := o
	other.Seed = 6
	foreign := runShards(t, other, 3)
	two := runShards(t, o, 2)
	whole := filepath.Join(t.TempDir(), "whole")
	local := o
	local.Journal = whole
	mustRun(t, local)
	changed := func(change func(text string) string) string {
		text, err := os.ReadFile(files[1])
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "changed")
		if err := os.WriteFile(file, []byte(change(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	cut := changed(func(text string) string { return text[:len(text)-30] })
	lines := changed(func(text string) string {
		all := strings.SplitAfter(text, "\n")
		return strings.Join(all[:len(all)-4], "")
	})
	// Another shard's trials under the name of this one: the chain of the lines is that of a writer.
	swapped := filepath.Join(t.TempDir(), "swapped")
	relabelled(t, files[0], swapped, journal.Shard{Index: 2, Count: 3}, 0)
	lacks := filepath.Join(t.TempDir(), "lacks")
	relabelled(t, files[1], lacks, journal.Shard{Index: 2, Count: 3}, 2)
	for _, test := range []struct {
		files []string
		seed  uint64
		want  MergeFault
		text  string
	}{
		{files[:2], 5, ShardMissing, "there is no journal of shard 3/3"},
		{files[2:], 5, ShardMissing, "there is no journal of shards 1/3, 2/3"},
		{nil, 5, ShardMissing, "there is no journal of a shard"},
		{[]string{files[0], files[1], files[1]}, 5, ShardTwice, "is of shard 2/3, and so is"},
		{[]string{files[0], files[1], foreign[2]}, 5, ShardsDiffer, "its seed is 6, there it is 5"},
		{[]string{files[0], two[1]}, 5, ShardsDiffer, "is of one of 2 shards, and"},
		{[]string{files[0], files[1], whole}, 5, NoShard, "is of a whole run"},
		{files, 6, OtherRun, "its seed is 5, now it is 6"},
		{[]string{files[0], cut, files[2]}, 5, CutOff, "of shard 2/3 ends within a line"},
		{[]string{files[0], lines, files[2]}, 5, ShardUnfinished, "of shard 2/3 was not run to its end"},
		{[]string{files[0], swapped, files[2]}, 5, NotItsOwn, "which is not of shard 2/3"},
		{[]string{files[0], lacks, files[2]}, 5, TrialMissing, "says that all of its part was run"},
	} {
		o.Journal, o.Seed = filepath.Join(t.TempDir(), "merged"), test.seed
		_, err := Merge(t.Context(), o, test.files)
		fault, ok := errors.AsType[*MergeError](err)
		if !ok || fault.Fault != test.want || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%v: %v", test.want, err)
		}
		if _, err := os.Stat(o.Journal); err == nil {
			t.Errorf("%v: a journal is left", test.want)
		}
	}
}

// relabelled writes the lines of a journal as those of a shard, without those of its first trials, and with a header
// that is changed.
func relabelled(t *testing.T, from, to string, shard journal.Shard, without int, change ...func(*journal.Header)) {
	t.Helper()
	history, lines, err := journal.ReadWithLines(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	header := history.Header
	header.Shard = &shard
	for _, c := range change {
		c(&header)
	}
	w, err := journal.Create(to, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range history.Trials[without:] {
		all, err := lines.Of(x.Launch.Key())
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range all {
			w.Copy(line)
		}
	}
	w.Share(*history.Share)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A budget of a shard ends it, and the merged run ends for that where it needs more. A test that needs no more has its
// verdict.
func TestBudgetOfAShard(t *testing.T) {
	recording, err := sprt.Recording(20)
	if err != nil {
		t.Fatal(err)
	}
	const most = 2
	for _, design := range []sprt.Design{recording, quick(t)} {
		o := options(design, drawnFrom(1, 0), "a")
		o.Suite, o.Concurrency, o.Budget.MaxTrials = "s", 1, most
		files := runShards(t, o, 4)
		h, err := journal.Read(files[0])
		if err != nil || h.Share.Budget != "trials" || h.Share.Trials != most || h.Share.Needed != 5 || h.Decided() {
			t.Fatalf("%+v, %v", h.Share, err)
		}
		o.Journal = filepath.Join(t.TempDir(), "merged")
		merged, err := Merge(t.Context(), o, files)
		if err != nil {
			t.Fatal(err)
		}
		ended := merged.StoppedBy == runs.StoppedByDecision && len(merged.Trials) < 8
		if design.Kind == sprt.RecordingKind {
			ended = merged.StoppedBy == runs.StoppedByBudget && merged.Limit == trialLimit && len(merged.Trials) == 8
		}
		if !ended {
			t.Errorf("stopped by %q, limit %v, %d trials", merged.StoppedBy, merged.Limit, len(merged.Trials))
		}
		// With a larger budget a shard goes on, and only with what it has left.
		again := o
		again.Journal, again.Resume, again.Budget.MaxTrials = files[0], true, 0
		again.Shard = &journal.Shard{Index: 1, Count: 4}
		r := mustRun(t, again)
		if r.Share == nil || r.Share.Budget != "" || r.Resumed != most || len(r.Trials) != 5 {
			t.Errorf("%+v, %d resumed, %d trials", r.Share, r.Resumed, len(r.Trials))
		}
		before, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, again)
		if after, err := os.ReadFile(files[0]); err != nil || string(after) != string(before) {
			t.Errorf("a shard that has ended goes on: %v", err)
		}
	}
}

// The window of a suite is that of all shards together.
func TestShardsWithinAWindow(t *testing.T) {
	o := options(quick(t), drawnFrom(1, 0), "a")
	o.Suite, o.Window = "s", time.Hour
	files := runShards(t, o, 2)
	for _, apart := range []time.Duration{0, 59 * time.Minute, 61 * time.Minute} {
		history, err := journal.Read(files[0])
		if err != nil {
			t.Fatal(err)
		}
		began, err := time.Parse(time.RFC3339Nano, history.Header.Began)
		if err != nil {
			t.Fatal(err)
		}
		late := filepath.Join(t.TempDir(), "late")
		relabelled(t, files[1], late, journal.Shard{Index: 2, Count: 2}, 0, func(h *journal.Header) {
			h.Began = began.Add(apart).UTC().Format(time.RFC3339Nano)
		})
		o.Journal = filepath.Join(t.TempDir(), "merged")
		_, err = Merge(t.Context(), o, []string{files[0], late})
		fault, _ := errors.AsType[*MergeError](err)
		if within := apart < o.Window; within != (err == nil) || !within && (fault == nil || fault.Fault != OutOfWindow) {
			t.Errorf("%v apart: %v", apart, err)
		}
		if err != nil {
			continue
		}
		// The merged run began with the first shard.
		if h, err := journal.HeaderOf(o.Journal); err != nil || h.Began != history.Header.Began {
			t.Errorf("%+v, %v", h, err)
		}
	}
}

// What the machines of the shards were is in the result: files that differ, and what was not held.
func TestMergeTellsOfMachines(t *testing.T) {
	o := options(quick(t), drawnFrom(1, 0), "a")
	o.Suite, o.Programs = "s", []journal.Program{{File: "agent.sh", SHA256: "one"}}
	files := runShards(t, o, 2)
	other := filepath.Join(t.TempDir(), "other")
	relabelled(t, files[1], other, journal.Shard{Index: 2, Count: 2}, 0, func(h *journal.Header) {
		h.Programs = []journal.Program{{File: "agent.sh", SHA256: "other"}}
		h.Unconfined = []string{"agent: network"}
	})
	o.Journal = filepath.Join(t.TempDir(), "merged")
	merged, err := Merge(t.Context(), o, []string{files[0], other})
	if err != nil || !slices.Equal(merged.Changed, []string{"agent.sh"}) ||
		!slices.Equal(merged.Unconfined, []string{"agent.confine: network"}) {
		t.Fatalf("%+v, %v", merged, err)
	}
	if h, err := journal.HeaderOf(o.Journal); err != nil || !slices.Equal(h.Unconfined, []string{"agent: network"}) {
		t.Errorf("%+v, %v", h, err)
	}
}

// 20,000 trials of eight shards, all of which count.
func BenchmarkMerge(b *testing.B) {
	design, err := sprt.Recording(20_000)
	if err != nil {
		b.Fatal(err)
	}
	o := options(design, drawnFrom(.9, 0), "a")
	o.Suite, o.Brief = "s", true
	files := runShards(b, o, 8)
	for b.Loop() {
		o.Journal = filepath.Join(b.TempDir(), "merged")
		if _, err := Merge(b.Context(), o, files); err != nil {
			b.Fatal(err)
		}
	}
}
