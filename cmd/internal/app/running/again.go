package running

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// TrialSelection names trials of a run that was recorded, which are repeated to find out why they failed. They judge
// nothing and write nothing: the journal and the result of the run stay as they are.
type TrialSelection struct {
	Trial  string // such as refund#2; "" is none
	Failed bool   // those that did not pass
}

// given reports whether trials are repeated, in place of a run.
func (g TrialSelection) given() bool { return g.Trial != "" || g.Failed }

// checkAgain refuses options of a run where there is none.
func (f *run) checkAgain() error {
	asked := "failed"
	if f.Again.Trial != "" {
		asked = "trial"
	}
	if f.Again.Trial != "" && f.Again.Failed {
		return problem.Usage("omit one of them", "%s repeats one trial, and %s those that did not pass",
			f.Given.Origin("trial"), f.Given.Origin("failed"))
	}
	takes := map[string]bool{}
	for _, name := range []string{
		"trial", "failed", "journal", "output", "json", "file-mode", "max-memory", "quiet", "verbose", "color",
	} {
		takes[name] = true
	}
	for _, name := range []string{"only", "tag", "concurrency", "max-cost"} {
		takes[name] = f.Again.Failed
	}
	for _, name := range slices.Sorted(maps.Keys(f.Given)) {
		if !takes[name] && f.Given.Typed(name) {
			return problem.Usage("omit one of them",
				"%s repeats trials of a run that was recorded, and --%s is about a new one", f.Given.Origin(asked), name)
		}
	}
	return nil
}

// repeat repeats what is asked for. A trial that is shown is no verdict, and the exit code is 0; of several it is 1
// where one did not pass again.
func (f *run) repeat(ctx context.Context, a *world.World, args []string) error {
	if err := f.checkAgain(); err != nil {
		return err
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return err
	}
	chosen, err := f.Choice.Selected(s)
	if err != nil {
		return err
	}
	f.Override(s)
	history, file, err := f.recorded(ctx, s, f.Again.Trial)
	if err != nil {
		return err
	}
	a.Notice("note", "the run is that of %s", file)
	if history.Header.Suite != s.Digest() {
		a.Notice("note", "the suite is another one than in that run: its trials are made with it as it is now")
	}
	if f.Again.Trial == "" {
		return f.repeatFailed(ctx, a, s, chosen, history)
	}
	asked, err := recordedTrial(s, history, f.Again.Trial)
	if err != nil {
		return err
	}
	tried, err := try(ctx, a, s, asked)
	if err != nil {
		return err
	}
	if err := showTried(a, tried, s.Budget, f.Result.JSON); err != nil {
		return err
	}
	return problem.VerdictError(exit.Pass)
}

// recorded reads the journal of the last run: that of --journal, or of the whole suite or a part of it, whichever was
// written last. A trial that is not in that one, but in the other, is of the other; "" is any.
func (f *run) recorded(ctx context.Context, s *suite.Suite, name string) (*journal.History, string, error) {
	file, other := f.Journal, ""
	if beside := journal.Beside(f.Output); file == "" && f.Output != "" && evidence.Later(beside, "") {
		file = beside
	}
	if file == "" {
		file, other = app.FilesOf(s, false).Journal, app.FilesOf(s, true).Journal
		if evidence.Later(other, file) {
			file, other = other, file
		}
	}
	history, err := app.ReadJournal(ctx, file)
	if err == nil && other != "" && name != "" && !holdsTrial(history, name) {
		if before, err := app.ReadJournal(ctx, other); err == nil && holdsTrial(before, name) {
			return before, other, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", problem.BadInput(fmt.Sprintf("there is no journal %s, so no trial to repeat", file),
			"tribunal run writes one, and --output finds that of a recording; tribunal try makes a trial without it")
	}
	return history, file, err
}

// holdsTrial reports whether a run has a trial of that name.
func holdsTrial(history *journal.History, name string) bool {
	return slices.ContainsFunc(history.Trials, func(t *journal.Trial) bool {
		return !t.Launch.Baseline && Numbered(t.Launch.Scenario, t.Launch.Variant, t.Launch.Trial) == name
	})
}

// recordedTrial is the trial that a name such as refund#2 or refund [small]#2 means, with the seed that it had. One
// that was not run has the seed that it would have had.
func recordedTrial(s *suite.Suite, history *journal.History, name string) (runner.TrialChoice, error) {
	for _, t := range history.Trials {
		if l := t.Launch; !l.Baseline && Numbered(l.Scenario, l.Variant, l.Trial) == name {
			c, ok := scenarioNamed(s, l.Scenario)
			if !ok {
				return runner.TrialChoice{}, problem.Usage("", "the suite has no scenario %s any more", prose.Quote(l.Scenario))
			}
			if _, err := variantOf(s, l.Variant); err != nil {
				return runner.TrialChoice{}, err
			}
			return runner.TrialChoice{
				Scenario: c, Variant: l.Variant, Number: l.Trial, Seed: history.Header.Seed, TrialSeed: trial.Some(l.Seed),
			}, nil
		}
	}
	c, number, err := namedTrial(s, name)
	if err != nil {
		return runner.TrialChoice{}, err
	}
	ran, failed := 0, ""
	for _, t := range history.Trials {
		if t.Launch.Scenario == c.Name && !t.Launch.Baseline && t.Launch.Variant == "" {
			ran = max(ran, t.Launch.Trial+1)
			if failed == "" && t.Record != nil && t.Record.Outcome != trial.Pass {
				failed = Numbered(c.Name, "", t.Launch.Trial)
			}
		}
	}
	hint := "make one with: tribunal try " + problem.ShellWord(Numbered(c.Name, "", number))
	switch {
	case len(s.Variants) > 0:
		hint = "its name has the variant in it, such as " + Numbered(c.Name, s.Variants[0].Name, number)
	case ran > 0:
		hint = fmt.Sprintf("trials of %s in that run: %s to %s; tribunal try makes any", prose.Excerpt(c.Name),
			Numbered(c.Name, "", 0), Numbered(c.Name, "", ran-1))
	}
	if name == c.Name && ran > 0 {
		near := Numbered(c.Name, "", 0)
		if failed != "" {
			near = failed + ", which did not pass"
		}
		return runner.TrialChoice{}, problem.Usage("did you mean --trial "+near+"? "+hint,
			"--trial repeats one trial, and %s is a scenario", prose.Quote(c.Name))
	}
	return runner.TrialChoice{}, problem.Usage(hint, "the run has no trial %s", prose.Quote(Numbered(c.Name, "", number)))
}

// TrialNames are the trials of the last run of a suite that begin with what was typed, those that did not pass first;
// none where nothing is recorded. A suite that is not named is the one that is found, and a journal the usual one.
func TrialNames(ctx context.Context, file, recorded, typed string) []string {
	if file == "" {
		file, _ = app.FindSuite()
	}
	s, err := app.LoadSuite(ctx, file)
	if err != nil {
		return nil
	}
	history, _, err := (&run{Request: Request{Journal: recorded}}).recorded(ctx, s, "")
	if err != nil {
		return nil
	}
	var failed, passed []string
	for _, t := range history.Trials {
		name := Numbered(t.Launch.Scenario, t.Launch.Variant, t.Launch.Trial)
		switch {
		case t.Launch.Baseline || t.Record == nil || !strings.HasPrefix(name, typed):
		case t.Record.Outcome == trial.Pass:
			passed = append(passed, name)
		default:
			failed = append(failed, name)
		}
	}
	return append(failed, passed...)
}

// repeatedTrial is a trial that did not pass, and what came of it now.
type repeatedTrial struct {
	asked  runner.TrialChoice
	before trial.Outcome
	now    *runner.TryResult // nil where it was not repeated
}

// name is that of the trial.
func (r repeatedTrial) name() string {
	return Numbered(r.asked.Scenario.Name, r.asked.Variant, r.asked.Number)
}

// again reports whether the trial did not pass again.
func (r repeatedTrial) again() bool { return r.now != nil && r.now.Trial.Outcome != trial.Pass }

// repeatFailed repeats the trials of the chosen scenarios that failed or ended in an error.
func (f *run) repeatFailed(
	ctx context.Context, a *world.World, s *suite.Suite, chosen []suite.Scenario, history *journal.History,
) error {
	list := failedTrials(s, chosen, history)
	if len(list) == 0 {
		a.Notice("note", "no trial of that run failed or ended in an error")
	}
	if err := repeatAll(ctx, a, s, list); err != nil {
		return err
	}
	form := newRepeatedJSON(s, list)
	write := func(w io.Writer) error { return writeRepeated(a, w, list, form) }
	if f.Result.JSON {
		write = func(w io.Writer) error { return report.JSON(w, form) }
	}
	if err := a.Deliver(ctx, nil, write); err != nil {
		return err
	}
	for _, r := range list {
		if r.now != nil && r.now.Unavailable {
			return problem.Unavailable("the agent could not be run: "+r.now.Trial.Error.Message,
				TryHint(s, r.asked.Scenario.Name))
		}
	}
	return problem.VerdictError(form.ExitCode)
}

// failedTrials are those of the run that did not pass, in the order in which they were launched. What the suite does
// not have any more is left out.
func failedTrials(s *suite.Suite, chosen []suite.Scenario, history *journal.History) (list []repeatedTrial) {
	for _, t := range history.Trials {
		l := t.Launch
		if t.Record == nil || l.Baseline || t.Record.Outcome == trial.Pass {
			continue
		}
		for _, c := range chosen {
			if _, err := variantOf(s, l.Variant); c.Name == l.Scenario && err == nil {
				list = append(list, repeatedTrial{before: t.Record.Outcome, asked: runner.TrialChoice{
					Scenario: c, Variant: l.Variant, Number: l.Trial, Seed: history.Header.Seed, TrialSeed: trial.Some(l.Seed),
				}})
			}
		}
	}
	return list
}

// repeatAll makes the trials, as many at once as the suite says, until they have cost what it may spend.
func repeatAll(ctx context.Context, a *world.World, s *suite.Suite, list []repeatedTrial) error {
	var mutex sync.Mutex
	var first error
	spent, next := 0.0, 0
	budget := s.Budget.MaxCostUSD
	take := func() int {
		mutex.Lock()
		defer mutex.Unlock()
		if first != nil || next == len(list) || budget.Known && spent >= budget.Value {
			return len(list)
		}
		next++
		return next - 1
	}
	var workers sync.WaitGroup
	for range min(s.Concurrency, len(list)) {
		workers.Go(func() {
			for i := take(); i < len(list); i = take() {
				// Of the suite's secrets one warning is enough.
				warn := func(string) {}
				if i == 0 {
					warn = a.Warn
				}
				tried, err := TryWarning(ctx, a, s, list[i].asked, warn)
				mutex.Lock()
				list[i].now = tried
				if err != nil && first == nil {
					first = err
				}
				if err == nil {
					spent += tried.Trial.CostUSD.Value
				}
				mutex.Unlock()
			}
		})
	}
	workers.Wait()
	if first == nil && next < len(list) {
		a.Notice("note", "the budget of %v USD is spent: %s not repeated", budget.Value,
			prose.Count(len(list)-next, "trial")+" "+prose.Form(len(list)-next, "was", "were"))
	}
	return first
}

// repeatedJSON is the JSON form of trials that were repeated.
type repeatedJSON struct {
	Schema      string            `json:"schema"`
	ExitCode    int               `json:"exit_code"` // 1 where a trial did not pass again
	Suite       string            `json:"suite"`
	FailedAgain int               `json:"failed_again"`
	PassedNow   int               `json:"passed_now"`
	Left        int               `json:"left,omitempty"` // not repeated, as the budget was spent
	Trials      []repeatedOneJSON `json:"trials"`
}

// repeatedOneJSON is one of them.
type repeatedOneJSON struct {
	Name     string `json:"name"` // such as refund#2
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Trial    int    `json:"trial"`
	Seed     uint64 `json:"seed"` // of the trial
	Before   string `json:"before"`
	Now      string `json:"now,omitempty"` // "" where it was not repeated
	Why      string `json:"why,omitempty"` // it did not pass now
}

func newRepeatedJSON(s *suite.Suite, list []repeatedTrial) *repeatedJSON {
	form := &repeatedJSON{Schema: "tribunal/run-failed/v1", Suite: s.Name, Trials: []repeatedOneJSON{}}
	for _, r := range list {
		one := repeatedOneJSON{
			Name: r.name(), Scenario: r.asked.Scenario.Name, Variant: r.asked.Variant, Trial: r.asked.Number,
			Seed: r.asked.TrialSeed.Value, Before: r.before.String(),
		}
		switch {
		case r.now == nil:
			form.Left++
		case r.again():
			form.FailedAgain++
			form.ExitCode = exit.Fail
		default:
			form.PassedNow++
		}
		if r.now != nil {
			one.Now, one.Why = r.now.Trial.Outcome.String(), r.now.Why
		}
		form.Trials = append(form.Trials, one)
	}
	return form
}

// writeRepeated prints a line for each trial, those that did not pass with their reasons.
func writeRepeated(a *world.World, w io.Writer, list []repeatedTrial, form *repeatedJSON) error {
	p := &TriedPage{Screen: world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth)}
	widest := 0
	for _, r := range list {
		widest = max(widest, table.Width(prose.Printable(r.name())))
	}
	for _, r := range list {
		if r.now == nil {
			continue
		}
		now, why := r.now.Trial.Outcome, "passes now"
		if r.again() {
			why = r.now.Why
		}
		start := fmt.Sprintf("%s  %s  ", p.Paint(now, table.Pad(now.String(), 5)),
			table.Pad(prose.Printable(r.name()), min(widest, 30)))
		for i, line := range table.Wrap(prose.Printable(why), max(20, p.Screen.Width-min(widest, 30)-9)) {
			if i > 0 {
				start = fmt.Sprintf("%*s", min(widest, 30)+9, "")
			}
			p.Linef("%s%s", start, line)
		}
	}
	if len(list) > 0 {
		p.Linef("")
	}
	p.Linef("%d of %s did not pass again; this decides nothing", form.FailedAgain,
		prose.Count(form.FailedAgain+form.PassedNow, "trial"))
	_, err := io.Copy(w, &p.Text)
	return err
}
