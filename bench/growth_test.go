package bench_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/bench/internal/detection"
	"github.com/tribunal-dev/tribunal/bench/internal/growth"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// work is an operation of several sizes.
type work struct {
	name    string
	against string // what a size counts
	sizes   []int
	// prepare makes an operation of a size; that is not timed.
	prepare func(size int) (func() error, error)
}

// BenchmarkGrowth follows how time and memory grow with the size of the work. From the
// second size on it reports the slope of the time in log-log since the size before, and
// always the heap at its largest above where it began. With -short there are few sizes.
func BenchmarkGrowth(b *testing.B) {
	for _, w := range works() {
		b.Run(w.name, func(b *testing.B) {
			before, seconds := 0, 0.0
			for i, size := range w.sizes {
				if testing.Short() && i == 3 {
					break
				}
				var took float64
				ran := b.Run(fmt.Sprintf("%s=%d", w.against, size), func(b *testing.B) {
					took = measure(b, w, size, before, seconds)
				})
				if ran && took > 0 {
					before, seconds = size, took
				}
			}
		})
	}
}

// measure returns the seconds of an operation.
func measure(b *testing.B, w work, size, before int, seconds float64) (took float64) {
	run, err := w.prepare(size)
	if err != nil {
		b.Fatal(err)
	}
	peak := peakOf(b, run)
	b.ReportAllocs()
	for b.Loop() {
		if err := run(); err != nil {
			b.Fatal(err)
		}
	}
	took = b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(peak), "peak-B")
	if before > 0 {
		b.ReportMetric(math.Log(took/seconds)/math.Log(float64(size)/float64(before)), "slope")
	}
	return took
}

// peakOf does the work once, and returns how far the heap rose.
func peakOf(b *testing.B, run func() error) uint64 {
	peak, err := growth.Peak(run)
	if err != nil {
		b.Fatal(err)
	}
	return peak
}

// TestGrowthWorks does every work once, at its smallest size.
func TestGrowthWorks(t *testing.T) {
	for _, w := range works() {
		run, err := w.prepare(w.sizes[0])
		if err == nil {
			err = run()
		}
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

func works() []work {
	return append(trialWorks(), append(scenarioWorks(), designWorks()...)...)
}

// trialWorks grow with the trials. What is read is made while it is read, which takes
// a few percent of the time.
func trialWorks() []work {
	reading := []int{1000, 10_000, 100_000, 1_000_000, 10_000_000}
	return []work{
		{"ReadAndJudge", "trials", reading, func(n int) (func() error, error) {
			return func() error { return judgeTrials(&trialLines{trials: n}, n) }, nil
		}},
		{"ComparePairs", "trials", []int{1000, 10_000, 100_000, 1_000_000}, func(n int) (func() error, error) {
			return func() error { return comparePairs(n) }, nil
		}},
		{"Boschloo", "trials", []int{100, 1000, 10_000, 100_000}, func(n int) (func() error, error) {
			baseline := stats.Counts{Passes: n * 93 / 100, Trials: n}
			candidate := stats.Counts{Passes: n*93/100 - n/50, Trials: n}
			return func() error {
				_, err := stats.Boschloo(context.Background(), baseline, candidate)
				return err
			}, nil
		}},
		{"CompareBehaviour", "trials", []int{30, 100, 300, 1000, 3000, 10_000}, func(n int) (func() error, error) {
			baseline, changed := behaviourSample(1, n, 0), behaviourSample(3, n, 2)
			return func() error {
				_, err := fingerprint.Compare(context.Background(), baseline, changed, fingerprint.Options{Seed: 1})
				return err
			}, nil
		}},
	}
}

// judgeTrials reads and judges so many trials, as tribunal verdict does.
func judgeTrials(r io.Reader, trials int) error {
	var tallies verdict.Tallies
	stream := ingest.NewStream(r, ingest.Options{Options: trial.Options{Fields: trial.BasicFields}})
	for t, err := range stream.Trials(context.Background()) {
		if err != nil {
			return err
		}
		tallies.Add(t)
	}
	result, err := verdict.JudgeThreshold(context.Background(), tallies.List(),
		verdict.ThresholdOptions{Threshold: 0.85})
	if err == nil && result.Suite != nil && result.Suite.Trials != trials {
		err = fmt.Errorf("%d of %d trials were judged", result.Suite.Trials, trials)
	}
	return err
}

// comparePairs reads two recordings of so many trials each, of which every one has a partner by its input, and compares
// them as tribunal compare does, but for the behaviour and the report.
func comparePairs(trials int) error {
	var sides [2]*recording.Recording
	for i := range sides {
		r := &recording.Recording{Name: fmt.Sprint("side ", i)}
		defer r.Close()
		r.PutAside(50_000)
		sides[i] = r
		lines := &trialLines{trials: trials, inputs: true, skip: i}
		stream := ingest.NewStream(lines, ingest.Options{Options: trial.Options{
			Fields: trial.BasicFields | trial.InputField | trial.UnknownFields}})
		for t, err := range stream.Trials(context.Background()) {
			if err != nil {
				return err
			}
			r.Add(t)
		}
	}
	result, err := compare.Judge(context.Background(), sides[0], sides[1], compare.Options{})
	if err == nil && (result.Pairs == nil || result.Pairs.Pairs != trials) {
		err = fmt.Errorf("not all of %d trials are pairs", trials)
	}
	return err
}

// trialLines is a recording that is written while it is read: trials in lines of about
// 120 bytes, of fifty scenarios, of which one in ten fails.
type trialLines struct {
	next, trials int
	inputs       bool   // each trial has one of its own
	skip         int    // trials by which failures come later
	text         []byte // written and not yet read
	buffer       []byte
}

// Read implements [io.Reader].
func (l *trialLines) Read(p []byte) (int, error) {
	if len(l.text) == 0 {
		if l.next == l.trials {
			return 0, io.EOF
		}
		l.buffer = l.buffer[:0]
		for end := min(l.next+500, l.trials); l.next < end; l.next++ {
			l.buffer = appendTrialLine(l.buffer, l.next, l.inputs, l.skip)
		}
		l.text = l.buffer
	}
	n := copy(p, l.text)
	l.text = l.text[n:]
	return n, nil
}

// appendTrialLine appends the line of trial i. The script of the peers writes the same.
func appendTrialLine(line []byte, i int, input bool, skip int) []byte {
	const scenarios = 50
	outcome := `"pass"`
	if (i/scenarios+skip)%10 == 0 {
		outcome = `"fail"`
	}
	line = append(line, `{"scenario":"s`...)
	line = strconv.AppendInt(line, int64(i%scenarios), 10)
	line = append(line, `","trial":`...)
	line = strconv.AppendInt(line, int64(i/scenarios), 10)
	line = append(line, `,"variant":"v","outcome":`...)
	line = append(line, outcome...)
	if input {
		line = append(line, `,"input":`...)
		line = strconv.AppendInt(line, int64(i), 10)
	}
	return append(line, `,"cost_usd":0.01,"input_tokens":123,"output_tokens":45}`+"\n"...)
}

// behaviourSample has so many trials of an agent that calls so many more tools than it
// otherwise would.
func behaviourSample(seed uint64, trials, more int) *fingerprint.Sample {
	var agent detection.Agent
	for _, a := range detection.Agents() {
		if a.Name == "correlated columns" {
			agent = a
		}
	}
	random := rand.New(rand.NewPCG(1, seed))
	sample := &fingerprint.Sample{}
	for i := range trials {
		t := agent.Draw(random, 0)
		for range more {
			t.Steps = append(t.Steps, trial.Step{Action: trial.CallTool, Tool: "read"})
		}
		t.Scenario, t.Index = "s", trial.Some(i)
		sample.Add(t)
	}
	return sample
}

// scenarioWorks grow with the scenarios, of twenty trials each.
func scenarioWorks() []work {
	sizes := []int{1, 10, 100, 1000, 10_000}
	judge := func(n int) (*verdict.ThresholdResult, error) {
		tallies := make([]verdict.Tally, n)
		for i := range tallies {
			tallies[i] = verdict.Tally{Scenario: fmt.Sprint("scenario-", i), Passes: 17 + i%4, Fails: 3 - i%4}
		}
		return verdict.JudgeThreshold(context.Background(), tallies,
			verdict.ThresholdOptions{Threshold: 0.85, By: verdict.ByScenario})
	}
	return []work{
		{"JudgeScenarios", "scenarios", sizes, func(n int) (func() error, error) {
			return func() error {
				_, err := judge(n)
				return err
			}, nil
		}},
		{"CompareRates", "scenarios", sizes, func(n int) (func() error, error) {
			baseline, candidate := scenarioRecording("baseline", n, 10), scenarioRecording("candidate", n, 7)
			return func() error {
				_, err := compare.Judge(context.Background(), baseline, candidate, compare.Options{})
				return err
			}, nil
		}},
		{"HTMLReport", "scenarios", sizes, func(n int) (func() error, error) {
			result, err := judge(n)
			return func() error { return report.Write(io.Discard, result, report.HTMLFormat, report.Options{}) }, err
		}},
	}
}

// scenarioRecording has twenty trials of each of so many scenarios, of which one in so
// many fails.
func scenarioRecording(name string, scenarios, failing int) *recording.Recording {
	r := &recording.Recording{Name: name}
	for i := range 20 * scenarios {
		t := &trial.Trial{
			Scenario: fmt.Sprint("scenario-", i%scenarios), Index: trial.Some(i / scenarios),
			Outcome: trial.Pass, CostUSD: trial.Some(0.01),
		}
		if i%failing == 0 {
			t.Outcome = trial.Fail
		}
		r.Add(t)
	}
	return r
}

// designWorks grow with the most trials of a sequential design. The drop that matters
// shrinks with them, so that a design needs about all of them.
func designWorks() []work {
	sizes := []int{50, 100, 200, 500, 1000, 2000, 5000}
	find := func(n int) (sprt.Design, error) {
		h := sprt.Hypotheses{Threshold: 0.9, Delta: 0.1 * math.Sqrt(152/float64(n)), Alpha: 0.05, Beta: 0.1}
		plan, err := sprt.Optimal(context.Background(), h, sprt.OptimalOptions{MaxTrials: n})
		return plan.Design, err
	}
	found := map[int]func() (sprt.Design, error){}
	for _, n := range sizes {
		found[n] = sync.OnceValues(func() (sprt.Design, error) { return find(n) })
	}
	with := func(do func(sprt.Design) error) func(n int) (func() error, error) {
		return func(n int) (func() error, error) {
			design, err := found[n]()
			return func() error { return do(design) }, err
		}
	}
	return []work{
		{"OptimalDesign", "max-trials", sizes, func(n int) (func() error, error) {
			return func() error {
				_, err := find(n)
				return err
			}, nil
		}},
		{"Characteristics", "max-trials", sizes, with(func(d sprt.Design) error {
			_, err := d.Boundaries.Characteristics(0.85)
			return err
		})},
		{"Certificate", "max-trials", sizes, with(func(d sprt.Design) error {
			_, err := d.Certify()
			return err
		})},
		{"Estimates", "max-trials", sizes, with(func(d sprt.Design) error {
			trials, failures, err := endOf(d)
			if err != nil {
				return err
			}
			_, err = d.Boundaries.Estimate(trials, failures, 0.05)
			return err
		})},
	}
}

// endOf is where a test ends in which every eighth trial fails.
func endOf(d sprt.Design) (trials, failures int, err error) {
	test, err := sprt.NewTest(d)
	if err != nil {
		return 0, 0, err
	}
	for i := 0; !test.Decided(); i++ {
		if err := test.Observe(i, i%8 != 7); err != nil {
			return 0, 0, err
		}
	}
	return test.Trials(), test.Failures(), nil
}
