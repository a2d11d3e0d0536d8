package storing

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// traceList writes trials of a store.
type traceList struct {
	store *store.Store
	query store.Query
	count int  // of trials that were handed out
	more  bool // there are more than were asked for
}

// lookedAt is how many trials one step of a search looks at; between two of them the context is looked at.
const lookedAt = 10_000

// search hands over trials, those of the newest runs first, up to so many; 0 is all. Whole is with all that is kept of
// them.
func (l *traceList) search(
	ctx context.Context, text string, most int, whole bool, visit func(store.KeptTrial) error,
) error {
	what := store.Search{Query: l.query, Text: text, Look: lookedAt, Most: lookedAt}
	for {
		found, err := l.store.Search(ctx, what)
		if err != nil {
			return err
		}
		for _, k := range found.Trials {
			if l.count == most && most > 0 {
				l.more = true
				return nil
			}
			if whole {
				kept, err := l.store.Trial(ctx, k.ID)
				if err != nil {
					return err
				}
				k = *kept
			}
			l.count++
			if err := visit(k); err != nil {
				return err
			}
		}
		if found.Next == (store.TrialID{}) {
			return l.none(ctx)
		}
		what.After = found.Next
	}
}

// sample hands over trials that are drawn.
func (l *traceList) sample(ctx context.Context, o store.SampleOptions, visit func(store.KeptTrial) error) error {
	var run store.Run // of the trial before, as those of a run come one after the other
	err := l.store.SampleWithPlaces(ctx, l.query, o, 0, func(p store.PlacedTrial) error {
		if run.ID != p.ID.Run {
			list, err := l.store.Runs(ctx, store.Query{Run: p.ID.Run}, 0, 1)
			if err != nil {
				return err
			}
			if run = (store.Run{ID: p.ID.Run}); len(list) > 0 { // it may be gone since
				run = list[0]
			}
		}
		l.count++
		return visit(store.KeptTrial{ID: p.ID, Trial: p.Trial, Started: run.Started})
	})
	if err != nil {
		return err
	}
	return l.none(ctx)
}

// none is the error of a query that means no trials.
func (l *traceList) none(ctx context.Context) error {
	if l.count > 0 {
		return nil
	}
	return app.NoTrials(ctx, l.store, l.query)
}

// write writes trials as JSON lines, in which those of several runs have numbers of their own.
func (l *traceList) write(w io.Writer, each func(func(store.KeptTrial) error) error) error {
	out := trial.NewWriter(w)
	var numbers app.RunNumbers
	if err := each(func(k store.KeptTrial) error {
		numbers.GoOn(k.ID.Run, k.Trial)
		return out.Write(k.Trial)
	}); err != nil {
		return err
	}
	return out.Flush()
}

// runDigits are the digits of a run in a list: more than tell a million of them apart.
const runDigits = 10

// document is a table of trials; whole says that their JSON is asked for too.
func (l *traceList) document(each func(func(store.KeptTrial) error) error, whole bool) (*report.Document, error) {
	trials := []json.RawMessage{}
	d := new(report.Document).Listing("", "trials", &trials)
	t := d.NewTable("Trials", "trial", "when", "version", "scenario", "outcome", ">cost", ">turns").
		Names(7, "version").Names(8, "scenario").Dropping("turns", "cost", "when")
	return d, each(func(k store.KeptTrial) error {
		t.Add(l.row(k)...)
		if !whole {
			return nil
		}
		text, err := trial.Append(nil, k.Trial)
		trials = append(trials, text)
		return err
	})
}

// row is a trial in the table. All texts of it are of agents.
func (l *traceList) row(k store.KeptTrial) []any {
	id := k.ID
	id.Run = id.Run[:min(len(id.Run), runDigits)]
	r := k.Trial
	usage := oracle.UsageOf(r)
	cost, turns := "", ""
	if usage.CostUSD.Known {
		cost = deliver.DollarText(usage.CostUSD.Value)
	}
	if usage.Turns.Known {
		turns = strconv.Itoa(usage.Turns.Value)
	}
	return []any{id, whenText(r, k.Started), r.Variant, r.Scenario, r.Outcome, cost, turns}
}

// whenText is when a trial began, or else its run; "" is not known.
func whenText(t *trial.Trial, run time.Time) string {
	at, err := t.StartedAt.Time()
	if err != nil || at.IsZero() {
		at = run
	}
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04")
}

// writeTrace shows a trial of a run, as writeTried shows one that was run.
func writeTrace(a *world.World, run *store.Run, k *store.KeptTrial) error {
	p := &running.TriedPage{Screen: world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth)}
	r := k.Trial
	name := suiteTrial(r)
	p.Linef("%s  %s", p.Paint(r.Outcome, strings.ToUpper(r.Outcome.String())), prose.Printable(name))
	p.Linef("")
	text := fmt.Sprintf("%s of %s", run.ID, run.Kind)
	if run.Suite != "" {
		text += ", suite " + run.Suite
	}
	p.Labelled("run", text)
	if when := whenText(r, k.Started); when != "" {
		p.Labelled("began", when+" UTC")
	}
	if run.Commit != "" {
		p.Labelled("commit", strings.TrimSpace(run.Commit+" "+run.Branch))
	}
	if r.Model != "" {
		p.Labelled("model", r.Model)
	}
	if len(r.Input) > 0 {
		p.Labelled("input", prose.PrintableUpTo(r.Input.Text(), 2000))
	}
	if r.Error != nil {
		p.Labelled("error", prose.PrintableUpTo(r.Error.Message, 2000))
	}
	p.Recorded(r, false)
	tried := runner.TryResult{Trial: r}
	if j, ok := oracle.Recorded(r); ok {
		tried.Judgement = &j
		p.Judged(&tried)
	}
	_, err := io.Copy(a.Out, &p.Text)
	return err
}

// suiteTrial names a trial as try does, where it has a number.
func suiteTrial(r *trial.Trial) string {
	if !r.Index.Known {
		return r.Scenario + " [" + r.Variant + "]"
	}
	return running.Numbered(r.Scenario, r.Variant, r.Index.Value)
}
