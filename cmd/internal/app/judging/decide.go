package judging

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// DecideRequest asks to decide over trials that another program runs.
type DecideRequest struct {
	Threshold, Alpha float64
	Design           Design
	Name             string // of what is tried
	Output           string // file of the result; "" saves none
	Baseline         string // file of a saved result; "" is none
	Record           int    // trials that decide nothing; 0 decides
}

// Decide reads trials from standard input and says after each whether another one is needed.
func Decide(ctx context.Context, a *world.World, r DecideRequest) error {
	to, err := r.file()
	if err != nil {
		return err
	}
	e, err := r.evidence(ctx, a)
	if err != nil {
		return err
	}
	began := a.Now()
	d, err := newDialogue(e, a.Stdout)
	if err != nil {
		return err
	}
	if err := d.listen(ctx, a.Stdin); err != nil {
		return err
	}
	result, err := d.judge(ctx, runs.Evidence{
		Suite: r.Name, Version: a.Version, Seed: 1, Finished: a.Now().UTC().Format(time.RFC3339),
		Spent: runs.Expense{Duration: a.Now().Sub(began).Seconds()},
	})
	if err != nil {
		return err
	}
	if to != nil {
		if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
			return err
		}
	}
	return errors.Join(d.end(ctx, result), problem.VerdictError(result.ExitCode))
}

// evidence is what trials are judged by, without any.
func (r *DecideRequest) evidence(ctx context.Context, a *world.World) (e runs.TestEvidence, err error) {
	e = runs.TestEvidence{Name: r.Name, Scenarios: []string{r.Name}}
	if n := r.Record; n > 0 {
		if r.Baseline != "" {
			return e, problem.Usage("omit one of them", "--record makes a baseline, and --baseline compares with one")
		}
		e.Design, err = sprt.Recording(n)
		return e, err
	}
	if r.Baseline != "" {
		if e.Against, err = r.against(ctx, a); err != nil {
			return e, err
		}
	}
	e.Design, err = plan.Design(ctx, plan.Options{
		Hypotheses: sprt.Hypotheses{
			Threshold: r.Threshold, Delta: r.Design.Delta,
			Alpha: r.Alpha, Beta: r.Design.Beta,
		},
		MaxTrials: r.Design.MaxTrials, Kind: r.Design.Kind,
	})
	return e, err
}

// against plans the test against what the baseline came to, which is judged again before.
func (r *DecideRequest) against(ctx context.Context, a *world.World) (*runs.Against, error) {
	if r.Baseline == "-" {
		return nil, problem.Usage("name a file", "--baseline - is standard input, where the trials come in")
	}
	result, err := app.ReadResult(ctx, r.Baseline, a.Stdin)
	if err != nil {
		return nil, err
	}
	saved := app.RunOf(result)
	if saved == nil {
		return nil, problem.BadInput(r.Baseline+" is not the result of a test",
			"tribunal verdict decide --record 100 --output FILE saves one")
	}
	if _, err := app.Verify(ctx, r.Baseline, result); err != nil {
		return nil, err
	}
	recorded, err := runs.BaselineOf(saved, r.Name)
	if err != nil {
		return nil, inBaseline(r.Baseline, err)
	}
	q := baseline.Question{Delta: r.Design.Delta, Alpha: r.Alpha, Beta: r.Design.Beta}
	planned, err := baseline.Against(ctx, q, recorded.Sample, recorded.Worst,
		baseline.Options{MaxTrials: r.Design.MaxTrials})
	if err != nil {
		return nil, inBaseline(r.Baseline, err)
	}
	return recorded.Against(planned.Family, runs.BaselineSource{File: r.Baseline, Finished: saved.Finished}), nil
}

// inBaseline says of an error in which saved result it is, and what helps.
func inBaseline(file string, err error) error {
	hint := ""
	if small, is := errors.AsType[*baseline.TooSmallError](err); is {
		hint = fmt.Sprintf("record about %d trials of it, or give a larger --delta", small.Needed)
	} else if hinted, is := errors.AsType[interface {
		error
		Hint() string
	}](err); is {
		hint = hinted.Hint()
	}
	return problem.BadInput(file+": "+err.Error(), hint)
}

func (r *DecideRequest) file() (*outfile.File, error) {
	if r.Output == "" {
		return nil, nil
	}
	return deliver.NewSaved("--output", r.Output)
}

// dialogue is a test whose trials come in, and which says after each what it needs.
type dialogue struct {
	evidence runs.TestEvidence
	decider  runs.Decider
	trials   map[int]*trial.Trial // by number
	next     int                  // number of one that does not say its own
	out      *bufio.Writer
}

func newDialogue(e runs.TestEvidence, w io.Writer) (*dialogue, error) {
	d, err := runs.NewDecider(e)
	return &dialogue{evidence: e, decider: d, trials: map[int]*trial.Trial{}, out: bufio.NewWriter(w)}, err
}

// say writes a line at once: whoever reads it waits for it.
func (d *dialogue) say(x decision) error {
	to := json.NewEncoder(d.out)
	to.SetEscapeHTML(false)
	if err := errors.Join(to.Encode(x), d.out.Flush()); err != nil {
		return &problem.WriteError{Target: "standard output", Err: err}
	}
	return nil
}

// listen takes trials in until the test has ended, or the input.
func (d *dialogue) listen(ctx context.Context, r io.Reader) error {
	o := trial.Options{File: "-", Scenario: d.evidence.Name}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, trial.DefaultMaxLineBytes)
	for number, told := 0, -1; !d.decider.Decided(); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if told < len(d.trials) {
			need := d.decider.WasteFree() - (len(d.trials) - d.decider.Trials())
			if err := d.say(decision{Need: &need}); err != nil {
				return err
			}
			told = len(d.trials)
		}
		if !lines.Scan() {
			break
		}
		number++
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := d.take(lines.Bytes(), o, trial.Place{File: o.File, Line: number}); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return problem.BadInput("standard input cannot be read: "+err.Error(), "")
	}
	return nil
}

// take takes in one trial.
func (d *dialogue) take(line []byte, o trial.Options, at trial.Place) error {
	t, err := trial.Decode(line, o)
	if err != nil {
		return atLine(err, at.Line)
	}
	t.Place = at
	n := t.Index.Or(d.next)
	if d.trials[n] != nil {
		return problem.BadInput(fmt.Sprintf("%s: trial %d came in before", at, n), "number trials apart, from 0 on")
	}
	if t.Outcome == trial.Unjudged {
		return problem.BadInput(fmt.Sprintf("%s: outcome is missing", at), `such as {"outcome":"pass"}`)
	}
	if n >= d.decider.MaxTrials() {
		return problem.BadInput(fmt.Sprintf("%s: trial %d is beyond the last, %d", at, n, d.decider.MaxTrials()-1), "")
	}
	t.Scenario, t.Index = d.evidence.Name, trial.Some(n)
	d.trials[n] = t
	for d.trials[d.next] != nil {
		d.next++
	}
	return d.decider.Observe(n, t.Outcome)
}

// atLine puts the line into the place of an error, which counts from that line.
func atLine(err error, line int) error {
	if e, is := errors.AsType[*trial.FieldError](err); is {
		e.Place.Line += line - 1
	}
	if e, is := errors.AsType[*trial.SyntaxError](err); is {
		e.Place.Line += line - 1
	}
	return err
}

// judge is the result of what came in.
func (d *dialogue) judge(ctx context.Context, e runs.Evidence) (*runs.Result, error) {
	last := -1
	for n := range d.trials {
		last = max(last, n)
	}
	for n := range last + 1 {
		x := runs.TrialEvidence{Scenario: d.evidence.Name, Number: n, Trial: d.trials[n]}
		t := x.Trial
		if t != nil {
			x.CostUSD = t.TotalCostUSD()
		}
		d.evidence.Trials = append(d.evidence.Trials, x)
		if t == nil {
			continue // it began, for a later one did, and did not end
		}
		e.Spent.Trials++
		e.Spent.Attempts++
		if cost := t.TotalCostUSD(); cost.Known {
			if e.Spent.CostUSD == nil {
				e.Spent.CostUSD = new(float64)
			}
			*e.Spent.CostUSD += cost.Value
		} else {
			e.Spent.CostUnknown++
		}
	}
	e.Tests = []runs.TestEvidence{d.evidence}
	switch o := d.decider.Outcome(); {
	case o == sprt.Pass || o == sprt.Fail:
		e.StoppedBy = runs.StoppedByDecision
	case d.decider.Decided():
		e.StoppedBy = runs.StoppedByMaxTrials
	default:
		e.StoppedBy = runs.StoppedByInterrupt
	}
	return runs.Judge(ctx, e)
}

// end says how the test ended.
func (d *dialogue) end(ctx context.Context, result *runs.Result) error {
	x, err := decisionOf(ctx, &result.Tests[0])
	if err != nil {
		return err
	}
	if result.Recorded && result.ExitCode == exit.Pass {
		x.Verdict = "recorded"
	}
	var reasons []string
	for _, n := range slices.Sorted(maps.Keys(d.trials)) {
		if t := d.trials[n]; t.Error != nil && t.Error.Message != "" {
			first, _, _ := strings.Cut(strings.TrimSpace(t.Error.Message), "\n")
			reasons = append(reasons, prose.Reason(first))
		}
	}
	for _, g := range phrase.Groups(reasons) {
		x.Causes = append(x.Causes, cause{len(g.Of), g.Text})
	}
	x.Causes = x.Causes[:min(len(x.Causes), mostReasons)]
	return d.say(x)
}
