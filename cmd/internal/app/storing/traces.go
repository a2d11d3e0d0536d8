package storing

import (
	"context"
	"io"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// TracesRequest says which trials of a store are meant, and in what form they are printed.
type TracesRequest struct {
	Store                                    app.StoreChoice
	Query                                    string
	Version, Scenario, Since, Until, Outcome string // "" is any
	To                                       deliver.Target
	Given                                    value.GivenOptions // the options that were given
}

// query is what is meant; an option wins over the query.
func (r *TracesRequest) query(a *world.World) (q store.Query, err error) {
	if q, err = store.ParseQuery(r.Query, a.Now()); err != nil {
		return q, err
	}
	if r.Version != "" {
		q.Version = r.Version
	}
	if r.Scenario != "" {
		q.Scenario = r.Scenario
	}
	for _, time := range []struct {
		name, text string
		into       *time.Time
	}{{"since", r.Since, &q.Since}, {"until", r.Until, &q.Until}} {
		if time.text == "" {
			continue
		}
		at, ok := store.ParseTime(time.text, a.Now())
		if !ok {
			return q, problem.Usage("such as 2026-03-01, 2026-03-01T10:00:00Z or 30d", "%s %s is no time",
				r.Given.Origin(time.name), prose.Quote(time.text))
		}
		*time.into = at
	}
	if r.Outcome != "" {
		o, ok := trial.ParseOutcome(r.Outcome)
		if !ok || o == trial.Unjudged {
			return q, problem.Usage("pass, fail or error", "%s %s is no outcome", r.Given.Origin("outcome"),
				prose.Quote(r.Outcome))
		}
		q.Outcome = o
	}
	return q.WithoutExperiments(), nil
}

// print writes the trials that a function hands over, as JSON lines or as a document.
func (r *TracesRequest) print(
	ctx context.Context, a *world.World, q store.Query, each func(*traceList, func(store.KeptTrial) error) error,
) (*traceList, error) {
	s, err := r.Store.Required(ctx, a, nil, true)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	to, err := r.To.File(ctx, a, nil)
	if err != nil {
		return nil, err
	}
	l := &traceList{store: s, query: q}
	hand := func(take func(store.KeptTrial) error) error { return each(l, take) }
	reported := len(r.To.Reports.List) > 0
	if !r.To.JSON || reported {
		d, err := l.document(hand, reported)
		switch {
		case err != nil:
			return l, err
		case !r.To.JSON:
			return l, r.To.Show(ctx, a, to, d)
		}
		if err := r.To.ShowReports(ctx, a, d); err != nil {
			return l, err
		}
		*l = traceList{store: s, query: q} // --json prints them one by one, and asks again
	}
	if to != nil {
		return l, to.Fill(ctx, func(w io.Writer) error { return l.write(w, hand) })
	}
	// As of import: what breaks off is marked, so that nobody takes it for all.
	out := &outfile.StartedWriter{W: a.Out}
	if err = l.write(out, hand); err != nil && out.Started {
		io.WriteString(a.Out, outfile.CutMark) // if that fails too, there is nothing else to do
	}
	return l, err
}

// SearchRequest asks for a list of trials.
type SearchRequest struct {
	TracesRequest
	Text  string // that stands in what happened in them; "" is any
	Limit int    // of trials; 0 is 50 in a table, and all as JSON
}

// defaultTraces is how many trials a table shows. Chosen: two screens.
const defaultTraces = 50

// SearchTraces lists the trials, those of the newest runs first.
func SearchTraces(ctx context.Context, a *world.World, r SearchRequest) error {
	q, err := r.query(a)
	if err != nil {
		return err
	}
	most := r.Limit
	if most == 0 && !r.To.JSON {
		most = defaultTraces
	}
	l, err := r.print(ctx, a, q, func(l *traceList, take func(store.KeptTrial) error) error {
		return l.search(ctx, r.Text, most, r.To.JSON || len(r.To.Reports.List) > 0, take)
	})
	if err == nil && l.more && !r.To.JSON {
		a.Notice("note", "there are more than %s; --limit shows more, --json all", prose.Count(most, "trial"))
	}
	return err
}

// SampleRequest asks for trials that are drawn at random.
type SampleRequest struct {
	TracesRequest
	store.SampleOptions
}

// MostSampled is how large a sample may be, which is held in memory.
const MostSampled = 1_000_000

// SampleTraces draws the trials.
func SampleTraces(ctx context.Context, a *world.World, r SampleRequest) error {
	q, err := r.query(a)
	if err != nil {
		return err
	}
	l, err := r.print(ctx, a, q, func(l *traceList, take func(store.KeptTrial) error) error {
		return l.sample(ctx, r.SampleOptions, take)
	})
	if err == nil && l.count < r.Trials {
		a.Notice("note", "there are no more than %s of that query", prose.Count(l.count, "trial"))
	}
	return err
}

// TraceRequest asks what happened in a trial.
type TraceRequest struct {
	Store app.StoreChoice
	Trial string // RUN/PART/POSITION
	JSON  bool
}

// ShowTrace shows what happened in a trial of a store.
func ShowTrace(ctx context.Context, a *world.World, r TraceRequest) error {
	id, ok := store.ParseTrialID(r.Trial)
	if !ok {
		return problem.Usage("such as 7d1a458236/0/4; tribunal store traces query lists them", "%s is no RUN/PART/POSITION",
			prose.Quote(r.Trial))
	}
	return use(ctx, a, r.Store, nil, true, func(s *store.Store) error {
		run, err := s.Run(ctx, id.Run)
		if err != nil {
			return err
		}
		id.Run = run.ID
		kept, err := s.Trial(ctx, id)
		if err != nil {
			return err
		}
		if r.JSON {
			text, err := trial.Append(nil, kept.Trial)
			if err == nil {
				_, err = a.Out.Write(append(text, '\n'))
			}
			return err
		}
		return writeTrace(a, run, kept)
	})
}
