package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/looks"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// looksFlags say how judgements of one question are counted.
type looksFlags struct {
	// "" is the usual file in .tribunal, "off" counts none.
	ledger string
	// Looks that are planned, each with its part of the errors; 0 is none.
	planned  count
	newAgent bool
}

// noLedger is the word for no ledger.
const noLedger = "off"

func (f *looksFlags) register(flags *pflag.FlagSet) {
	f.planned = count{least: 1, most: suite.MostLooks}
	flags.Var(&f.planned, "looks", "take up to so many looks until a verdict stands: each gets its part of the errors")
	flags.Lookup("looks").DefValue = ""
	flags.BoolVar(&f.newAgent, "new-agent", false,
		"the agent has changed since the looks before: none of them counts")
	flags.StringVar(&f.ledger, "ledger", "",
		"`FILE` where looks are counted (default .tribunal/looks.jsonl beside the suite or the recording); off counts none")
}

// share is the part of an error that a look has.
func (f *looksFlags) share(level float64) float64 {
	return level / float64(max(f.planned.value, 1))
}

// count takes a look into the ledger and returns those before it; false where looks are not
// counted, which is told once unless it was asked for. No verdict is lost for a ledger.
func (f *looksFlags) count(a *App, folder string, e looks.Entry, sight looks.Sight) ([]verdict.Look, bool) {
	if f.ledger == noLedger {
		return nil, false
	}
	file := f.ledger
	if file == "" {
		work := filepath.Join(folder, app.WorkFolder)
		if err := workFolder(work); err != nil {
			problem, _ := explain(err)
			a.notice("note", "looks not counted: %s", problem)
			return nil, false
		}
		file = filepath.Join(work, looks.File)
	}
	e.At, e.NewAgent, e.Declared = a.Now().UTC().Format(time.RFC3339), f.newAgent, f.planned.value
	earlier, err := looks.Count(file, e, sight)
	if err != nil {
		a.notice("note", "looks not counted: %s: %v", file, withoutPath(err))
		return nil, false
	}
	return earlier, true
}

// lookAtRates counts a verdict on recorded trials. The same data with more of it is the same
// question; counts and standard input cannot be known again.
func (f *looksFlags) lookAtRates(a *App, files []string, variant string, seen *looks.Prefixes,
	r *verdict.ThresholdResult) {
	if len(files) == 0 || slices.Contains(files, "-") || seen.Trials() == 0 {
		return
	}
	name := ""
	if !seen.Told() {
		name = filepath.Base(files[0])
	}
	risk := r.Risk()
	e := looks.Entry{
		Question: looks.Digest("verdict", fmt.Sprint(r.Threshold), r.By.String(), variant, name),
		Evidence: seen.Digest(), Trials: seen.Trials(),
		Look: verdict.Look{Command: "verdict", Verdict: r.Verdict, FalsePass: risk.FalsePass, FalseFail: risk.FalseFail},
	}
	earlier, counted := f.count(a, folderOf(files[0]), e, looks.Sight{Same: seen.Same})
	if counted {
		r.Look(earlier, f.planned.value)
	}
}

// lookAtComparison counts a comparison of two recordings of a fixed number of trials. The same data with more of
// it, on either side, is the same question.
func (f *looksFlags) lookAtComparison(
	a *App, files []string, both [2]*evidence, variants [2]string, r *compare.Result,
) {
	baseline, candidate := &both[0].seen, &both[1].seen
	if len(files) == 0 || slices.Contains(files, "-") || baseline.Trials() == 0 || candidate.Trials() == 0 {
		return
	}
	parts := append([]string{"compare", fmt.Sprint(r.Delta), r.By.String()}, variants[:]...)
	if !baseline.Told() || !candidate.Told() {
		parts = append(parts, filepath.Base(files[0]), filepath.Base(files[1]))
	}
	sides := func(baseline, candidate string) string { return baseline + " " + candidate }
	e := looks.Entry{
		Question: looks.Digest(parts...), Trials: baseline.Trials() + candidate.Trials(),
		Evidence: sides(baseline.Counted(), candidate.Counted()),
		Look:     verdict.Look{Command: "compare", Verdict: r.Verdict, FalsePass: r.Beta, FalseFail: r.Alpha},
	}
	same := func(_ int, evidence string) bool {
		first, second, _ := strings.Cut(evidence, " ")
		return baseline.Began(first) && candidate.Began(second)
	}
	earlier, counted := f.count(a, folderOf(files[1]), e, looks.Sight{Same: same})
	if counted {
		r.Look(earlier, f.planned.value)
	}
}

// lookAtRun counts a run that has ended: the same task, held to the same rates, of an agent
// with the same settings and the same program. One that goes on is the same look.
func (f *looksFlags) lookAtRun(a *App, s *suite.Suite, r *runs.Result, continues bool) {
	if r.Task == nil || r.Recorded || !finished(r) {
		return
	}
	parts := []string{"run", r.Task.Digest, agentDigest(s)}
	trials := 0
	for i := range r.Tests {
		t := &r.Tests[i]
		parts = append(parts, t.Name, t.Variant, fmt.Sprint(t.Threshold, t.Regression != nil))
		trials += t.Trials
	}
	risk := r.Risk()
	e := looks.Entry{
		Question: looks.Digest(parts...), Evidence: outcomesOf(r), Trials: trials,
		Look: verdict.Look{Command: "run", Verdict: r.Verdict, FalsePass: risk.FalsePass, FalseFail: risk.FalseFail},
	}
	earlier, counted := f.count(a, s.Dir(), e, looks.Sight{Continues: continues})
	if counted {
		r.Look(earlier, f.planned.value)
	}
}

// outcomesOf is the digest of what came of a run.
func outcomesOf(r *runs.Result) string {
	evidence := []string{fmt.Sprint(r.Seed), fmt.Sprint(r.Spent.Duration, r.Spent.Attempts)}
	for i := range r.Tests {
		evidence = append(evidence, r.Tests[i].Outcomes)
	}
	return looks.Digest(evidence...)
}

// finished reports whether every test came to its end: a run that was stopped goes on.
func finished(r *runs.Result) bool {
	return r.StoppedBy == runs.StoppedByDecision || r.StoppedBy == runs.StoppedByMaxTrials
}

// agentDigest identifies an agent by what the suite says of it, and by the content of the
// files that its command names: most agents change there.
func agentDigest(s *suite.Suite) string {
	agents := map[string]suite.Agent{"": s.Agent}
	for _, v := range s.Variants {
		agents[v.Name] = v.Agent
	}
	var parts []string
	for name, agent := range agents {
		lines := append([]string{name}, agent.Settings()...)
		for _, word := range agent.Command {
			lines = append(lines, programDigest(s.Resolve(word)))
		}
		parts = append(parts, looks.Digest(lines...))
	}
	slices.Sort(parts)
	return looks.Digest(parts...)
}

// mostProgramBytes bounds what is read of a program: more is known by its size.
const mostProgramBytes = 64 << 20

// programDigest is that of a regular file; "" of anything else.
func programDigest(file string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, mostProgramBytes)); err != nil {
		return ""
	}
	return strings.Join([]string{hex.EncodeToString(h.Sum(nil)), fmt.Sprint(info.Size())}, " ")
}

// declare gives every test of a suite its part of the errors.
func (f *looksFlags) declare(s *suite.Suite) { s.Split(max(f.planned.value, 1)) }
