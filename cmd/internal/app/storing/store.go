package storing

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// use lets a function use a store that is there: the chosen one, or else that of the suite, as for
// [app.StoreChoice.Open].
func use(
	ctx context.Context, a *world.World, choice app.StoreChoice, source *suite.Suite, readOnly bool,
	do func(*store.Store) error,
) error {
	s, err := choice.Required(ctx, a, source, readOnly)
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// InfoRequest asks what a store holds.
type InfoRequest struct {
	Store app.StoreChoice
	To    deliver.Target
}

// Info prints what a store holds.
func Info(ctx context.Context, a *world.World, r InfoRequest) error {
	to, err := r.To.File(ctx, a, nil)
	if err != nil {
		return err
	}
	return use(ctx, a, r.Store, nil, true, func(s *store.Store) error {
		info, err := s.Info(ctx)
		if err != nil {
			return err
		}
		return r.To.Show(ctx, a, to, infoDocument(s.String(), info))
	})
}

// infoDocument is what a store holds.
func infoDocument(name string, info store.Info) *report.Document {
	const schema = "tribunal/store/v1"
	d := new(report.Document).Listing(schema, "store", struct {
		Schema string `json:"schema"`
		Store  string `json:"store"`
		store.Info
	}{schema, name, info})
	d.Line("store", name)
	d.Linef("runs", "%d of %s", info.Runs, prose.Count(info.Suites, "suite"))
	trials := fmt.Sprint(info.Trials)
	if info.Kept < info.Trials {
		trials += fmt.Sprintf(", of which %d are counted alone", info.Trials-info.Kept)
	}
	d.Line("trials", trials)
	if !info.Latest.IsZero() {
		d.Linef("started", "%s to %s", info.Earliest.Format(time.DateOnly), info.Latest.Format(time.DateOnly))
	}
	d.Line("size", megabytes(info.Bytes))
	d.Line("baselines", strings.Join(info.Names, ", "))
	return d
}

// megabytes is a size for a person.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// ExportRequest asks for runs of a store as lines.
type ExportRequest struct {
	Store  app.StoreChoice
	Query  string // "" is all
	Output string // file; "" is standard output
}

// Export writes the runs.
func Export(ctx context.Context, a *world.World, r ExportRequest) error {
	return use(ctx, a, r.Store, nil, true, func(s *store.Store) error {
		q, err := store.ParseQuery(r.Query, a.Now())
		if err != nil {
			return err
		}
		if q.Scenario != "" || q.Outcome != trial.Unjudged {
			return problem.Usage("tribunal store traces query --json prints single trials",
				"%s is of single trials, and runs are exported whole", prose.Quote(r.Query))
		}
		if n, err := s.Count(ctx, q); err != nil || n == 0 && r.Query != "" {
			return cmp.Or(err, app.NoTrials(ctx, s, q))
		}
		to, err := (&deliver.Target{Output: r.Output}).File(ctx, a, nil)
		if err != nil {
			return err
		}
		var runs int
		if err := a.Deliver(ctx, to, func(w io.Writer) error {
			runs, err = s.Export(ctx, w, q)
			return err
		}); err != nil {
			return err
		}
		a.Notice("note", "%s exported", prose.Count(runs, "run"))
		return nil
	})
}

// ImportRequest asks to add what was exported from another store.
type ImportRequest struct {
	Store app.StoreChoice
	File  string // - is standard input
}

// exportBegins is how [store.Store.Export] begins.
const exportBegins = `{"tribunal_store":`

// Import adds the runs and baselines.
func Import(ctx context.Context, a *world.World, r ImportRequest) error {
	var from io.Reader = a.Stdin
	if r.File != "-" {
		file, err := input.Open(ctx, r.File)
		if errors.Is(err, fs.ErrNotExist) {
			return problem.BadInput(prose.FileName(r.File)+" does not exist", "tribunal store export writes it")
		}
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	in := bufio.NewReader(from)
	// No store is made for another file.
	if begins, _ := in.Peek(len(exportBegins)); string(begins) != exportBegins {
		return problem.BadInput(prose.FileName(r.File)+" is no export of a store",
			"tribunal store export writes one; tribunal import --store adds recordings")
	}
	return use(ctx, a, r.Store, nil, false, func(s *store.Store) error {
		done, err := s.Import(ctx, in)
		if err != nil {
			if line, ok := errors.AsType[*store.LineError](err); ok {
				return problem.BadInput(fmt.Sprintf("%s: %v", prose.FileName(r.File), line), "the runs before it are added")
			}
			return err
		}
		_, err = fmt.Fprintf(a.Out, "%s added, %d known\n", prose.Count(done.Runs, "run"), done.Known)
		return err
	})
}

// PruneRequest asks to take away what is old. Each limit is an age, a date or a time; "" is none.
type PruneRequest struct {
	Store          app.StoreChoice
	Traces, Trials string
	DryRun         bool // takes nothing away
}

// Prune takes away old traces, or trials.
func Prune(ctx context.Context, a *world.World, r PruneRequest) error {
	return use(ctx, a, r.Store, nil, false, func(s *store.Store) error {
		p := store.PruneOptions{DryRun: r.DryRun}
		if r.Traces == "" && r.Trials == "" {
			return problem.Usage("such as --keep-traces 90d", "nothing says what is kept")
		}
		for _, age := range []struct {
			flag, text string
			into       *time.Time
		}{{"keep-traces", r.Traces, &p.Traces}, {"keep-trials", r.Trials, &p.Trials}} {
			if age.text == "" {
				continue
			}
			at, ok := store.ParseTime(age.text, a.Now())
			if !ok {
				return problem.Usage("such as 90d", "--%s %s is no age, date or time", age.flag, prose.Printable(age.text))
			}
			*age.into = at
		}
		pruned, err := s.Prune(ctx, p)
		if err != nil {
			return err
		}
		what := "taken away"
		if r.DryRun {
			what = "would be taken away"
		}
		_, err = fmt.Fprintf(a.Out, "%s and what happened in %d others %s, of %s\n", prose.Count(pruned.Trials, "trial"),
			pruned.Traces, what, prose.Count(pruned.Runs, "run"))
		return err
	})
}

// RunRequest asks for the result of a run, or to label it.
type RunRequest struct {
	Store  app.StoreChoice
	Run    string   // the beginning of its ID
	Labels []string // NAME=VALUE
}

// Result prints the saved result of a run, to the byte.
func Result(ctx context.Context, a *world.World, r RunRequest) error {
	return use(ctx, a, r.Store, nil, true, func(s *store.Store) error {
		run, err := s.Run(ctx, r.Run)
		if err != nil {
			return err
		}
		if run.Result == nil {
			return problem.BadInput("run "+run.ID+" has no saved result", "recordings that are imported have none")
		}
		_, err = a.Out.Write(run.Result.Text)
		return err
	})
}

// Label sets labels of a run. An empty value takes one away.
func Label(ctx context.Context, a *world.World, r RunRequest) error {
	return use(ctx, a, r.Store, nil, false, func(s *store.Store) error {
		run, err := s.Run(ctx, r.Run)
		if err != nil {
			return err
		}
		for _, pair := range r.Labels {
			name, value, ok := strings.Cut(pair, "=")
			if !ok || name == "" {
				return problem.Usage("write it as in model=small", "%s is no label with a value", prose.Quote(pair))
			}
			if err := s.Label(ctx, run.ID, name, value); err != nil {
				return err
			}
		}
		return nil
	})
}
