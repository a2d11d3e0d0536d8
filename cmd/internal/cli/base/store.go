package base

import (
	"context"
	"sync"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/suite"
)

// StoreFlag names a store; its variable is TRIBUNAL_STORE.
const StoreFlag = "store"

// NoStore is the word for no store, also where the suite names one.
const NoStore = "off"

// StoreFlags say which store a command uses.
type StoreFlags struct {
	// A file or a URL; "" leaves it to the suite.
	Name string
}

// Register registers the flag; use says what the command does with the store.
func (f *StoreFlags) Register(flags *pflag.FlagSet, use string) {
	flags.StringVar(&f.Name, StoreFlag, "", UseOfStore(use))
}

// UseOfStore is the help of the flag for a command that does this with the store.
func UseOfStore(use string) string {
	return use + ": a `FILE` or postgres://... (default the key store of the suite); off is none"
}

// Open opens the store that the flag names, or else the suite; nil stands for the suite that is found from the working
// directory upwards. It returns nil where none is named. One that is read only must be there.
func (f *StoreFlags) Open(ctx context.Context, a *App, s *suite.Suite, readOnly bool) (*store.Store, error) {
	name, err := f.Named(a, s)
	if name == "" || err != nil {
		return nil, err
	}
	return store.Open(ctx, name, store.Options{ReadOnly: readOnly})
}

// Required is Open for what cannot be done without a store.
func (f *StoreFlags) Required(ctx context.Context, a *App, s *suite.Suite, readOnly bool) (*store.Store, error) {
	opened, err := f.Open(ctx, a, s, readOnly)
	if err == nil && opened == nil {
		err = problem.Usage("--store FILE, the variable TRIBUNAL_STORE and the key store of a suite name one",
			"no store is named")
	}
	return opened, err
}

// Named is the name of the store; "" is none. A guest has none: a store may be anywhere.
func (f *StoreFlags) Named(a *App, s *suite.Suite) (string, error) {
	switch {
	case a.Guest != nil || f.Name == NoStore:
		return "", nil
	case f.Name != "":
		return f.Name, nil
	case s != nil:
		return s.Store, nil
	}
	file, err := app.FindSuite()
	if err != nil || file == "" {
		return "", err
	}
	if s, err = app.LoadSuite(a.Opening, file); err != nil {
		return "", err
	}
	return s.Store, nil
}

// WithStore gives a command the trials and the results of the store, whose names are store:QUERY. It is opened when the
// first of them is read; done closes it.
func (a *App) WithStore(ctx context.Context, flags *pflag.FlagSet) (_ context.Context, done func()) {
	if a.Guest != nil {
		return ctx, func() {}
	}
	var f StoreFlags
	if flag := flags.Lookup(StoreFlag); flag != nil {
		f.Name = flag.Value.String()
	} else {
		f.Name = a.Env.Get(EnvironmentName(StoreFlag))
	}
	var opened *store.Store
	open := sync.OnceValues(func() (*store.Store, error) {
		var err error
		opened, err = f.Required(ctx, a, nil, true)
		return opened, err
	})
	query := func(text string) (*store.Store, store.Query, error) {
		q, err := store.ParseQuery(text, a.Now())
		if err != nil {
			return nil, q, err
		}
		s, err := open()
		return s, q, err
	}
	ctx = ingest.WithSources(ctx, func(_ context.Context, name string) (ingest.Source, error) {
		text, is := input.Stored(name)
		if !is {
			return nil, nil
		}
		s, q, err := query(text)
		if err != nil {
			return nil, err
		}
		return &app.Stored{Store: s, Query: q.WithoutExperiments(), Name: name}, nil
	})
	ctx = input.WithResults(ctx, func(ctx context.Context, text string) ([]byte, error) {
		s, q, err := query(text)
		if err != nil {
			return nil, err
		}
		saved, err := s.Saved(ctx, q)
		if err != nil {
			return nil, err
		}
		return saved.Text, nil
	})
	return ctx, func() {
		if opened != nil {
			opened.Close()
		}
	}
}
