package looking

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Looks say how judgements of one question are counted.
type Looks struct {
	Ledger   string // file; "" is the usual one in .tribunal, "off" counts none
	Planned  int    // looks, each with its part of the errors; 0 is none
	NewAgent bool   // the agent has changed: do not count earlier analyses
}

// NoLedger is the word for no ledger.
const NoLedger = "off"

// Share is the part of an error that a look has.
func (f *Looks) Share(level float64) float64 {
	return level / float64(max(f.Planned, 1))
}

// Count takes a look into the ledger in a folder and returns those before it; false where looks are not
// counted, which is told once unless it was asked for. No verdict is lost for a ledger.
func (f *Looks) Count(a *world.World, folder string, e looks.Entry, sight looks.Sight) ([]verdict.Look, bool) {
	in, file, err := f.file(folder)
	if err != nil || in == nil {
		f.uncounted(a, err)
		return nil, false
	}
	_, missing := os.Stat(file)
	e.At, e.NewAgent, e.Declared = a.Now().UTC().Format(time.RFC3339), f.NewAgent, f.Planned
	earlier, err := looks.Count(in, e, sight)
	if err != nil {
		f.uncounted(a, fmt.Errorf("%s: %w", file, problem.WithoutPath(err)))
		return nil, false
	}
	if missing != nil && f.Ledger == "" {
		a.Notice("note", "analyses are counted in the new file %s, beside the trials, so that those from any folder "+
			"count together; --ledger FILE names another, --ledger off counts none", file)
	}
	return earlier, true
}

// file is the ledger in a file, which stands in a folder unless it is named; nil is none.
func (f *Looks) file(folder string) (in looks.Ledger, name string, err error) {
	switch f.Ledger {
	case NoLedger:
		return nil, "", nil
	case "":
		work := filepath.Join(folder, app.WorkFolder)
		if err := outfile.WorkFolder(work); err != nil {
			return nil, "", err
		}
		name = filepath.Join(work, looks.File)
	default:
		name = f.Ledger
	}
	return looks.InFile(name), name, nil
}

// uncounted says why looks are not counted; nil is that nobody wants it.
func (f *Looks) uncounted(a *world.World, err error) {
	if err == nil {
		return
	}
	wrong, _ := problem.Explain(err)
	a.Notice("note", "analyses not counted: %s", wrong)
}

// LookAtRates counts a verdict on recorded trials. The same data with more of it, new trials of the same agent, or
// another rate that is asked for is the same question; counts and standard input cannot be known again.
func (f *Looks) LookAtRates(a *world.World, files []string, variant string, seen *looks.Prefixes,
	r *verdict.ThresholdResult) {
	if len(files) == 0 || slices.Contains(files, "-") || seen.Trials() == 0 {
		return
	}
	agent, name := agentOf(files), ""
	if !seen.Told() {
		name = filepath.Base(files[0])
	}
	question := []string{"verdict", r.By.String(), variant, name}
	if agent != "" {
		question = append(append(question, agent), seen.Scenarios()...)
	}
	risk := r.Risk()
	e := looks.Entry{
		// What is asked for is none of the question: whoever lowers it until it is passed has looked as often.
		Question: looks.Digest(question...),
		Evidence: fmt.Sprint(seen.Digest(), " ", r.Threshold), Trials: seen.Trials(),
		Look: verdict.Look{Command: "verdict", Verdict: r.Verdict, FalsePass: risk.FalsePass, FalseFail: risk.FalseFail},
	}
	same := func(trials int, evidence string) bool {
		digest, _, _ := strings.Cut(evidence, " ")
		return agent != "" || seen.Same(trials, digest)
	}
	earlier, counted := f.Count(a, folderOf(files[0]), e, looks.Sight{Same: same})
	if counted {
		r.Look(earlier, f.Planned)
	}
}

// LookAtComparison counts a comparison of two recordings of a fixed number of trials. The same data with more of
// it, or new trials of the same agent, on either side, is the same question.
func (f *Looks) LookAtComparison(
	a *world.World, files []string, seen [2]*looks.Prefixes, variants [2]string, r *compare.Result,
) {
	baseline, candidate := seen[0], seen[1]
	if len(files) == 0 || slices.Contains(files, "-") || baseline.Trials() == 0 || candidate.Trials() == 0 {
		return
	}
	parts := append([]string{"compare", r.By.String()}, variants[:]...)
	if !baseline.Told() || !candidate.Told() {
		parts = append(parts, filepath.Base(files[0]), filepath.Base(files[1]))
	}
	agents := [2]string{agentOf(files[:1]), agentOf(files[1:])}
	for i, agent := range agents {
		if agent != "" {
			parts = append(append(parts, agent), seen[i].Scenarios()...)
		}
	}
	sides := func(baseline, candidate string) string { return baseline + " " + candidate }
	e := looks.Entry{
		Question: looks.Digest(parts...), Trials: baseline.Trials() + candidate.Trials(),
		Evidence: sides(baseline.Counted(), candidate.Counted()) + fmt.Sprint(" ", r.Delta),
		Look:     verdict.Look{Command: "compare", Verdict: r.Verdict, FalsePass: r.Beta, FalseFail: r.Alpha},
	}
	same := func(_ int, evidence string) bool {
		first, rest, _ := strings.Cut(evidence, " ")
		second, _, _ := strings.Cut(rest, " ")
		return (agents[0] != "" || baseline.Began(first)) && (agents[1] != "" || candidate.Began(second))
	}
	earlier, counted := f.Count(a, folderOf(files[1]), e, looks.Sight{Same: same})
	if counted {
		r.Look(earlier, f.Planned)
	}
}

// folderOf is the folder of a file; of one in the work folder of a suite it is that of the suite.
func folderOf(file string) string {
	folder := evidence.FolderOf(file)
	if filepath.Base(folder) == app.WorkFolder {
		return filepath.Dir(folder)
	}
	return folder
}

// agentOf tells the agent that files are journals of from others; "" where they do not say.
func agentOf(files []string) string {
	var agents []string
	for _, file := range files {
		header, err := journal.HeaderOf(file)
		if err != nil || header.Agent == "" {
			return ""
		}
		agents = append(agents, header.Agent)
	}
	return strings.Join(slices.Compact(agents), " ")
}

// OutcomesOf is the digest of what came of a run.
func OutcomesOf(r *runs.Result) string {
	evidence := []string{fmt.Sprint(r.Seed), fmt.Sprint(r.Spent.Duration, r.Spent.Attempts)}
	for i := range r.Tests {
		evidence = append(evidence, r.Tests[i].Outcomes)
	}
	return looks.Digest(evidence...)
}

// Declare gives every test of a suite its part of the errors.
func (f *Looks) Declare(s *suite.Suite) { s.Split(max(f.Planned, 1)) }

// Reserve takes the part of the errors that a look of a guest has, before it is judged.
func (f *Looks) Reserve(a *world.World, look world.GuestLook) error {
	if a.Guest == nil {
		return nil
	}
	planned, err := a.Guest.Spend(look)
	f.Planned = planned
	return err
}

// LookOfRun is a look at trials that are still to be made. A part of a suite has the looks of all of it.
func LookOfRun(s *suite.Suite, continues bool) world.GuestLook {
	return world.GuestLook{Scenarios: NamesOf(s), Continues: continues}
}

// NamesOf are the names of the scenarios of a suite.
func NamesOf(s *suite.Suite) (names []string) {
	for _, c := range s.Scenarios {
		names = append(names, c.Name)
	}
	return names
}

// Ran tells what came of a run, so that what is decided over its result is the same look.
func Ran(g *world.Guest, s *suite.Suite, r *runs.Result) error {
	if g == nil {
		return nil
	}
	_, err := g.Spend(world.GuestLook{Scenarios: NamesOf(s), Evidence: OutcomesOf(r), Known: true})
	return err
}
