package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// work is one row: an operation of ours and the same by a peer.
type work struct {
	name, size, peer string
	said             string // how a sentence names the peer and the work; "": it does not
	operations       int    // of which a run consists: times are those of one
	ours             func() ([]float64, error)
	task             string
	args             map[string]any
	agree            func(ours, theirs []float64) (difference float64, ok bool)
}

// within accepts relative differences up to a tolerance.
func within(tolerance float64) func(ours, theirs []float64) (float64, bool) {
	return func(ours, theirs []float64) (worst float64, ok bool) {
		if len(ours) != len(theirs) {
			return math.Inf(1), false
		}
		for i, x := range ours {
			if x != theirs[i] {
				worst = math.Max(worst, math.Abs(x-theirs[i])/math.Max(math.Abs(x), math.Abs(theirs[i])))
			}
		}
		return worst, worst <= tolerance
	}
}

// below accepts maxima that the peer finds too low, as a search may, and tells by how
// much; too high they must not be.
func below(tolerance float64) func(ours, theirs []float64) (float64, bool) {
	return func(ours, theirs []float64) (float64, bool) {
		worst, ok := within(math.Inf(1))(ours, theirs)
		for i, x := range ours {
			ok = ok && theirs[i] <= x*(1+tolerance)
		}
		return worst, ok
	}
}

// chance accepts shares of so many random relabelings that differ by chance alone.
func chance(relabelings int) func(ours, theirs []float64) (float64, bool) {
	return func(ours, theirs []float64) (float64, bool) {
		difference := math.Abs(ours[0] - theirs[0])
		p := math.Max((ours[0]+theirs[0])/2, 1/float64(relabelings))
		return difference, difference <= 5*math.Sqrt(2*p*(1-p)/float64(relabelings))
	}
}

// proof is the relative error that ours is proved to have at most.
const proof = 1e-6

// works are the rows that run in process.
func works(folder string, short bool) ([]work, error) {
	list := []work{fisherWork(100, 93, 85)}
	list = append(list, boschlooWorks(30, [][2]int{{28, 22}, {24, 20}, {29, 25}, {20, 15}})...)
	list = append(list, boschlooWorks(100, [][2]int{{95, 85}, {91, 83}, {66, 55}, {89, 79}})...)
	rows, trials := 1_000_000, 1_000_000
	if short {
		rows, trials = 10_000, 10_000
	}
	list = append(list, wilsonWork(rows))
	path := filepath.Join(folder, "trials.jsonl")
	if err := writeTrials(path, trials); err != nil {
		return nil, err
	}
	for _, workers := range []int{1, 0} {
		list = append(list, judgeWork(path, trials, workers))
	}
	return append(list, behaviourWorks()...), nil
}

func fisherWork(n, baseline, candidate int) work {
	b, c := stats.Counts{Passes: baseline, Trials: n}, stats.Counts{Passes: candidate, Trials: n}
	return work{
		said: "For Fisher's test SciPy", name: "Fisher's test", size: fmt.Sprintf("%d/%d", n, n), peer: "scipy.stats.fisher_exact", operations: 1,
		ours: func() ([]float64, error) {
			p, err := stats.FisherLess(b, c)
			return []float64{p}, err
		},
		task: "fisher", args: map[string]any{"table": table(b, c)}, agree: within(1e-9),
	}
}

// table is that of SciPy, the candidate first.
func table(baseline, candidate stats.Counts) [2][2]int {
	return [2][2]int{{candidate.Passes, baseline.Passes}, {candidate.Fails(), baseline.Fails()}}
}

// boschlooWorks are the test of several tables, by SciPy as it is and with so many
// points that it is as accurate as ours is proved to be; how many is found out.
func boschlooWorks(n int, passes [][2]int) []work {
	var tables [][2][2]int
	w := work{
		name: "Boschloo's test", size: fmt.Sprintf("%d/%d", n, n), operations: len(passes), task: "boschloo",
		ours: func() (list []float64, err error) {
			for _, k := range passes {
				p, err := stats.Boschloo(stats.Counts{Passes: k[0], Trials: n}, stats.Counts{Passes: k[1], Trials: n})
				if err != nil {
					return nil, err
				}
				list = append(list, p)
			}
			return list, nil
		},
	}
	for _, k := range passes {
		tables = append(tables, table(stats.Counts{Passes: k[0], Trials: n}, stats.Counts{Passes: k[1], Trials: n}))
	}
	byDefault, accurate := w, w
	byDefault.peer, byDefault.agree = "scipy.stats.boschloo_exact", below(proof)
	byDefault.args = map[string]any{"tables": tables, "points": 32}
	accurate.peer, accurate.agree = "the same, as accurate", within(proof)
	accurate.said = fmt.Sprintf("for Boschloo's at %s, as accurate, it", w.size)
	accurate.args = map[string]any{"tables": tables, "points": searched}
	return []work{byDefault, accurate}
}

// searched stands for a number of points that is not known yet.
const searched = 0

func wilsonWork(rows int) work {
	trials, passes := make([]int, rows), make([]int, rows)
	for i := range rows {
		trials[i] = 50 + i%951
		passes[i] = i * 7919 % (trials[i] + 1)
	}
	low, high := make([]float64, rows), make([]float64, rows)
	return work{
		name: "Wilson's interval", size: thousands(rows) + " rows", peer: "statsmodels proportion_confint, vectorised", operations: 1,
		ours: func() ([]float64, error) {
			for i := range trials {
				interval, err := stats.Wilson(stats.Counts{Passes: passes[i], Trials: trials[i]}, 0.05)
				if err != nil {
					return nil, err
				}
				low[i], high[i] = interval.Low, interval.High
			}
			return []float64{sample.Sum(low), sample.Sum(high)}, nil
		},
		task: "wilson", args: map[string]any{"rows": rows}, agree: within(1e-9),
	}
}

func judgeWork(path string, trials, workers int) work {
	name, said := "read and judge trials", ""
	if workers == 1 {
		name, said = name+", one reader", "to read and judge trials Python's json"
	}
	return work{
		said: said, name: name, size: thousands(trials) + " trials", peer: "Python's json, line by line", operations: 1,
		ours: func() ([]float64, error) { return judge(path, workers) },
		task: "judge", args: map[string]any{"path": path}, agree: within(1e-9),
	}
}

// judge is tribunal verdict without its report.
func judge(path string, workers int) ([]float64, error) {
	var tallies verdict.Tallies
	stream := ingest.Open([]string{path}, ingest.Options{Options: trial.Options{Fields: trial.BasicFields, Workers: workers}})
	for t, err := range stream.Trials(context.Background()) {
		if err != nil {
			return nil, err
		}
		tallies.Add(t)
	}
	result, err := verdict.JudgeThreshold(tallies.List(), verdict.ThresholdOptions{Threshold: 0.85})
	if err != nil {
		return nil, err
	}
	suite := result.Suite
	return []float64{float64(suite.Passes), float64(suite.Trials - suite.Passes), suite.Interval.Low, suite.Interval.High}, nil
}

// writeTrials writes trials of fifty scenarios, of which one in ten fails.
func writeTrials(path string, trials int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	for i := range trials {
		outcome := "pass"
		if i/50%10 == 0 {
			outcome = "fail"
		}
		fmt.Fprintf(w, `{"scenario":"s%d","trial":%d,"variant":"v","outcome":%q,"cost_usd":0.01,"input_tokens":123,"output_tokens":45}`+"\n", i%50, i/50, outcome)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

const (
	sideVectors  = 100
	vectorLength = 20
	relabelings  = 9999
)

// behaviourWorks are the permutation tests: the same statistic with all relabelings,
// which a change takes, and our default, which stops early where nothing changed.
func behaviourWorks() []work {
	baseline, same, changed := normalRows(1, 0), normalRows(2, 0), normalRows(3, 0.6)
	size := fmt.Sprintf("%d/%d, %d columns", sideVectors, sideVectors, vectorLength)
	row := func(name string, test fingerprint.Test, candidate [][]float64, agree func(ours, theirs []float64) (float64, bool)) work {
		b, c := vectors(baseline), vectors(candidate)
		return work{
			name: name, size: size, peer: "NumPy, vectorised", operations: 1,
			ours: func() ([]float64, error) {
				found, err := fingerprint.CompareVectors(context.Background(), columns(), b, c, fingerprint.Options{Test: test, Permutations: relabelings, Seed: 1})
				if err != nil {
					return nil, err
				}
				return []float64{found.P}, nil
			},
			task: "permutation", agree: agree,
			args: map[string]any{"baseline": baseline, "candidate": candidate, "permutations": relabelings, "seed": 1},
		}
	}
	list := []work{
		row("T², all "+thousands(relabelings)+" relabelings", fingerprint.ShrunkT2, changed, chance(relabelings)),
		row("T², our early stop", fingerprint.ShrunkT2, same, chance(stoppedAfter)),
		row("our default test, changed", fingerprint.PermutationT2, changed, sameVerdict),
		row("our default test, the same", fingerprint.PermutationT2, same, sameVerdict),
	}
	list[0].said = "for T² with all relabelings NumPy"
	return list
}

// stoppedAfter is how many relabelings an early stop may have seen at least: there are
// 500 hits then, at a p-value below 1.
const stoppedAfter = 500

// sameVerdict accepts p-values of different statistics on the same side of 0.05.
func sameVerdict(ours, theirs []float64) (float64, bool) {
	return math.Abs(ours[0] - theirs[0]), ours[0] <= 0.05 == (theirs[0] <= 0.05)
}

func normalRows(stream uint64, shift float64) [][]float64 {
	random := rand.New(rand.NewPCG(1, stream))
	rows := make([][]float64, sideVectors)
	for i := range rows {
		rows[i] = make([]float64, vectorLength)
		for j := range rows[i] {
			rows[i][j] = random.NormFloat64()
		}
		rows[i][0] += shift
		rows[i][1] += shift
	}
	return rows
}

func vectors(rows [][]float64) []fingerprint.Vector {
	list := make([]fingerprint.Vector, len(rows))
	for i, row := range rows {
		for _, x := range row {
			list[i].Values = append(list[i].Values, trial.Some(x))
		}
	}
	return list
}

func columns() (list []fingerprint.Column) {
	for j := range vectorLength {
		list = append(list, fingerprint.Column{Name: fmt.Sprint("column", j)})
	}
	return list
}
