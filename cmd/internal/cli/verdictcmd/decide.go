package verdictcmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// decideFlags are those of the command decide.
type decideFlags struct {
	threshold value.Level
	alpha     value.Level
	design    judging.DesignFlags
	name      string
	output    string
	baseline  string      // file of a saved result; "" is none
	record    value.Count // trials that decide nothing
}

// DecideCommand decides over trials that another program runs.
func DecideCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "decide",
		Short: "say after each trial whether another one is needed",
		Long: `Read trials as JSON lines from standard input while they are made, and say after each
whether another one is needed: the way for a test framework, or a script in any language,
to stop as soon as the verdict is known.

A line that comes in is a trial record, of which "outcome" alone is needed: pass, fail or
error. Trials are judged in the order in which they began: one that has "trial", its number
from 0, may come in before an earlier one. A line that goes out says how many trials more
are needed in any case, so many may run beside each other: {"need":15}. The last one has
the verdict: {"verdict":"pass","passes":15,"trials":15,"text":"…"}. The exit code is the
verdict's; where the input ends before that, it is Inconclusive.

With --baseline, a drop against a saved result of the same --name fails too; --record makes
such a result of a number of trials, and decides nothing.`,
		Example: `  tribunal decide --threshold 0.9
  printf '{"outcome":"pass"}\n{"outcome":"fail"}\n' | tribunal decide --threshold 0.5 --delta 0.4
  tribunal decide --threshold 0.9 --name test_refund --output refund.result.json
  tribunal decide --threshold 0.9 --name test_refund --baseline main/refund.result.json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f decideFlags
	f.register(command.Flags())
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *decideFlags) register(flags *pflag.FlagSet) {
	f.threshold, f.alpha = 0.9, verdict.DefaultAlpha
	flags.Var(&f.threshold, "threshold", "share of trials that has to pass")
	flags.Var(&f.alpha, "alpha", "bounds the chance of a false Fail")
	f.design.Delta, f.design.Beta = verdict.DefaultDelta, verdict.DefaultBeta
	f.design.MaxTrials = value.Count{Least: 1, Most: value.MaxDesign}
	f.design.Kind = value.Word[sprt.Kind]{
		Value: sprt.OptimalKind, Kind: "DESIGN", Words: []sprt.Kind{sprt.OptimalKind, sprt.WaldKind},
	}
	flags.Var(&f.design.Delta, "delta", "a rate that is lower than the threshold by so much is too low")
	flags.Var(&f.design.Beta, "beta", "bounds the chance of a false Pass")
	flags.Var(&f.design.MaxTrials, "max-trials",
		"end after so many trials in any case (default 1.4 times the fixed sample)")
	flags.Lookup("max-trials").DefValue = ""
	flags.Var(&f.design.Kind, "design", f.design.Kind.Usage("kind of the test"))
	flags.StringVar(&f.name, "name", "all", "`NAME` of what is tried, in the result")
	flags.StringVar(&f.baseline, "baseline", "",
		"a drop against the test of this name in a saved result, `FILE`, fails too")
	f.record = value.Count{Least: 1, Most: value.MaxDesign}
	flags.Var(&f.record, "record", "take so many trials, to be a baseline, and decide nothing")
	flags.Lookup("record").DefValue = ""
	flags.StringVarP(&f.output, "output", "o", "", "save the result as JSON in `FILE`")
}

// decision is a line that goes out.
type decision struct {
	Need    *int   `json:"need,omitempty"`
	Verdict string `json:"verdict,omitempty"`
	Passes  *int   `json:"passes,omitempty"`
	Trials  *int   `json:"trials,omitempty"`
	Text    string `json:"text,omitempty"`
}

func (f *decideFlags) execute(ctx context.Context, a *world.World, _ *pflag.FlagSet, args []string) error {
	if len(args) > 0 {
		return problem.Usage("send the trials as JSON lines to standard input", "decide reads no files")
	}
	to, err := f.file()
	if err != nil {
		return err
	}
	e, err := f.evidence(ctx, a)
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
		Suite: f.name, Version: a.Version, Seed: 1, Finished: a.Now().UTC().Format(time.RFC3339),
		Spent: runs.Spent{Duration: a.Now().Sub(began).Seconds()},
	})
	if err != nil {
		return err
	}
	if to != nil {
		if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
			return err
		}
	}
	return errors.Join(d.end(result), problem.Decided(result.ExitCode))
}

// evidence is what trials are judged by, without any.
func (f *decideFlags) evidence(ctx context.Context, a *world.World) (e runs.TestEvidence, err error) {
	e = runs.TestEvidence{Name: f.name, Scenarios: []string{f.name}}
	if n := f.record.Value; n > 0 {
		if f.baseline != "" {
			return e, problem.Usage("leave one of them out", "--record makes a baseline, and --baseline compares with one")
		}
		e.Design, err = sprt.Recording(n)
		return e, err
	}
	if f.baseline != "" {
		if e.Against, err = f.against(ctx, a); err != nil {
			return e, err
		}
	}
	e.Design, err = plan.Design(ctx, plan.Options{
		Hypotheses: sprt.Hypotheses{
			Threshold: float64(f.threshold), Delta: float64(f.design.Delta),
			Alpha: float64(f.alpha), Beta: float64(f.design.Beta),
		},
		MaxTrials: f.design.MaxTrials.Value, Kind: f.design.Kind.Value,
	})
	return e, err
}

// against plans the test against what the baseline came to, which is judged again before.
func (f *decideFlags) against(ctx context.Context, a *world.World) (*runs.Against, error) {
	if f.baseline == "-" {
		return nil, problem.Usage("name a file", "--baseline - is standard input, where the trials come in")
	}
	result, err := app.ReadResult(ctx, f.baseline, a.Stdin)
	if err != nil {
		return nil, err
	}
	saved := app.RunOf(result)
	if saved == nil {
		return nil, problem.BadInput(f.baseline+" is not the result of a test",
			"tribunal decide --record 100 --output FILE saves one")
	}
	if _, err := app.Verify(ctx, f.baseline, result); err != nil {
		return nil, err
	}
	recorded, err := runs.BaselineOf(saved, f.name)
	if err != nil {
		return nil, inBaseline(f.baseline, err)
	}
	q := baseline.Question{Delta: float64(f.design.Delta), Alpha: float64(f.alpha), Beta: float64(f.design.Beta)}
	planned, err := baseline.Against(ctx, q, recorded.Sample, recorded.Worst,
		baseline.Options{MaxTrials: f.design.MaxTrials.Value})
	if err != nil {
		return nil, inBaseline(f.baseline, err)
	}
	return recorded.Against(planned.Family, runs.BaselineSource{File: f.baseline, Finished: saved.Finished}), nil
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

func (f *decideFlags) file() (*outfile.File, error) {
	if f.output == "" {
		return nil, nil
	}
	return outfile.New("--output", f.output)
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
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	_, err = d.out.Write(append(text, '\n'))
	if err = errors.Join(err, d.out.Flush()); err != nil {
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
func (d *dialogue) end(result *runs.Result) error {
	t := result.Tests[0]
	var texts []string
	for _, r := range t.Reasons {
		texts = append(texts, r.Text)
	}
	word := result.Verdict.String()
	if result.Recorded && result.ExitCode == exit.Pass {
		word = "recorded"
	}
	return d.say(decision{
		Verdict: word, Passes: &t.Passes, Trials: &t.Trials,
		Text: prose.Printable(strings.Join(texts, "; ")),
	})
}
