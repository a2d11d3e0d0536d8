package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// hotPath is an operation that is timed, with what it does so many of.
type hotPath struct {
	name, unit string
	amount     float64
	run        func() error
}

// The sizes of the hot paths: those of everyday work.
const (
	pathTrials    = 20_000 // lines that are read
	pathTraces    = 1000   // traces that become vectors
	pathVectors   = 100    // a side, in the test of behaviour
	pathScenarios = 50     // in a report
	pathMaxTrials = 152    // of a design
)

var pathHypotheses = sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}

// hotPaths are those of all commands, in the order of the packages.
func hotPaths(ctx context.Context, seed uint64) ([]hotPath, error) {
	paths := append(intervalPaths(), testPaths()...)
	for _, more := range []func() ([]hotPath, error){
		func() ([]hotPath, error) { return designPaths(ctx) },
		readingPaths,
		func() ([]hotPath, error) { return behaviourPaths(seed) },
		reportPaths,
	} {
		list, err := more()
		if err != nil {
			return nil, err
		}
		paths = append(paths, list...)
	}
	return paths, nil
}

// discarding makes an operation of a function whose result is not looked at.
func discarding[T any](f func() (T, error)) func() error {
	return func() error {
		_, err := f()
		return err
	}
}

func intervalPaths() (paths []hotPath) {
	counts, candidate := stats.Counts{Passes: 180, Trials: 200}, stats.Counts{Passes: 170, Trials: 200}
	for _, method := range []stats.IntervalMethod{stats.WilsonInterval, stats.ClopperPearsonInterval, stats.AgrestiCoullInterval, stats.JeffreysInterval} {
		paths = append(paths, hotPath{method.String() + " interval, 200 trials", "intervals", 1,
			discarding(func() (stats.Interval, error) { return stats.RateInterval(method, counts, 0.05) })})
	}
	return append(paths, hotPath{"Miettinen-Nurminen interval, 200/200", "intervals", 1,
		discarding(func() (stats.Interval, error) { return stats.MiettinenNurminen(counts, candidate, 0.05) })})
}

func testPaths() []hotPath {
	baseline, candidate := stats.Counts{Passes: 93, Trials: 100}, stats.Counts{Passes: 85, Trials: 100}
	return []hotPath{
		{"Fisher's test, 100/100", "tests", 1, discarding(func() (float64, error) { return stats.FisherLess(baseline, candidate) })},
		{"Boschloo's test, 100/100", "tests", 1, discarding(func() (float64, error) { return stats.Boschloo(baseline, candidate) })},
		{"non-inferiority, 100/100", "tests", 1, discarding(func() (float64, error) { return stats.NonInferiority(baseline, candidate, 0.1) })},
	}
}

func designPaths(ctx context.Context) ([]hotPath, error) {
	plan, err := sprt.Optimal(ctx, pathHypotheses, sprt.OptimalOptions{MaxTrials: pathMaxTrials})
	if err != nil {
		return nil, err
	}
	within := fmt.Sprintf(", %d trials", pathMaxTrials)
	return []hotPath{
		{"optimal design" + within, "designs", 1, discarding(func() (sprt.Plan, error) {
			return sprt.Optimal(ctx, pathHypotheses, sprt.OptimalOptions{MaxTrials: pathMaxTrials})
		})},
		{"exact characteristics" + within, "rates", 1, discarding(func() (sprt.Characteristics, error) {
			return plan.Design.Boundaries.Characteristics(0.9)
		})},
		{"certificate in integers" + within, "certificates", 1, discarding(func() (sprt.Certificate, error) { return plan.Design.Certify() })},
	}, nil
}

func readingPaths() ([]hotPath, error) {
	text, err := io.ReadAll(newTrialLines(pathTrials))
	if err != nil {
		return nil, err
	}
	traces, err := traceLines(pathTraces)
	if err != nil {
		return nil, err
	}
	one, err := trial.Decode(bytes.SplitAfter(traces, []byte("\n"))[0], trial.Options{})
	if err != nil {
		return nil, err
	}
	var line []byte
	return []hotPath{
		{"read and judge trials", "trials", pathTrials, func() error { return judgeThreshold(bytes.NewReader(text), pathTrials) }},
		{"read trials", "MB", float64(len(text)) / 1e6, func() error { return readAll(bytes.NewReader(text), trial.BasicFields) }},
		{"read traces whole", "MB", float64(len(traces)) / 1e6, func() error { return readAll(bytes.NewReader(traces), 0) }},
		{"write a trace", "traces", 1, func() (err error) {
			line, err = trial.Append(line[:0], one)
			return err
		}},
	}, nil
}

// readAll reads every trial and does nothing with it.
func readAll(r io.Reader, fields trial.Fields) error {
	for _, err := range ingest.NewStream(r, ingest.Options{Options: trial.Options{Fields: fields}}).Trials(context.Background()) {
		if err != nil {
			return err
		}
	}
	return nil
}

// judgeThreshold reads and judges so many trials, as tribunal verdict does.
func judgeThreshold(r io.Reader, trials int) error {
	var tallies verdict.Tallies
	stream := ingest.NewStream(r, ingest.Options{Options: trial.Options{Fields: trial.BasicFields}})
	for t, err := range stream.Trials(context.Background()) {
		if err != nil {
			return err
		}
		tallies.Add(t)
	}
	result, err := verdict.JudgeThreshold(tallies.List(), verdict.ThresholdOptions{Threshold: 0.85})
	if err == nil && result.Suite != nil && result.Suite.Trials != trials {
		err = fmt.Errorf("%d of %d trials were judged", result.Suite.Trials, trials)
	}
	return err
}

func behaviourPaths(seed uint64) ([]hotPath, error) {
	traces, err := traceLines(pathTraces)
	if err != nil {
		return nil, err
	}
	collect := func() (*fingerprint.Sample, error) {
		return fingerprint.Collect(trial.Read(bytes.NewReader(traces), trial.Options{Fields: trial.StepFields | trial.ContentFields}))
	}
	sample, err := collect()
	if err != nil {
		return nil, err
	}
	vocabulary := fingerprint.NewVocabulary(sample)
	baseline, same, changed := behaviourSamples(seed, pathVectors)
	compare := func(candidate *fingerprint.Sample) func() error {
		return discarding(func() (*fingerprint.Comparison, error) {
			return fingerprint.Compare(context.Background(), baseline, candidate, fingerprint.Options{Seed: seed})
		})
	}
	return []hotPath{
		{"read traces for their vectors", "traces", pathTraces, discarding(collect)},
		{"vectors of traces", "vectors", pathTraces, func() error {
			vocabulary.Vectors(sample)
			return nil
		}},
		{"behaviour, 100/100, the same", "tests", 1, compare(same)},
		{"behaviour, 100/100, changed", "tests", 1, compare(changed)},
	}, nil
}

func reportPaths() (paths []hotPath, err error) {
	result, err := verdict.JudgeThreshold(scenarioTallies(pathScenarios), verdict.ThresholdOptions{Threshold: 0.85, By: verdict.ByScenario})
	if err != nil {
		return nil, err
	}
	for _, form := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{"text", func(w io.Writer) error {
			return report.Text(w, result, report.TextOptions{Width: 80, Scenarios: pathScenarios})
		}},
		{"JSON", func(w io.Writer) error { return report.JSON(w, result) }},
		{"HTML", func(w io.Writer) error { return report.HTML(w, result) }},
	} {
		paths = append(paths, hotPath{fmt.Sprintf("%s report, %d scenarios", form.name, pathScenarios), "reports", 1,
			func() error { return form.write(io.Discard) }})
	}
	return paths, nil
}
