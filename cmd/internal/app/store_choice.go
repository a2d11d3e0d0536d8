package app

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/suite"
)

// NoStore is the word for no store, also where the suite names one.
const NoStore = "off"

// StoreChoice says which store is used.
type StoreChoice struct {
	// A file or a URL; "" leaves it to the suite.
	Name string
}

// Open opens the store that is chosen, or else that of the suite; nil stands for the suite that is found from the
// working directory upwards. It returns nil where none is named. One that is read only must be there.
func (f StoreChoice) Open(ctx context.Context, a *world.World, s *suite.Suite, readOnly bool) (*store.Store, error) {
	name, err := f.Named(a, s)
	if name == "" || err != nil {
		return nil, err
	}
	if folder := filepath.Dir(name); filepath.Base(folder) == WorkFolder && !readOnly {
		_ = os.Mkdir(folder, 0o700) // a store that is the first in it; what fails is told by what needs the folder
	}
	return store.Open(ctx, name, store.Options{ReadOnly: readOnly})
}

// Required is Open for what cannot be done without a store.
func (f StoreChoice) Required(
	ctx context.Context, a *world.World, s *suite.Suite, readOnly bool,
) (*store.Store, error) {
	opened, err := f.Open(ctx, a, s, readOnly)
	if err == nil && opened == nil {
		err = problem.Usage("--store FILE, the variable TRIBUNAL_STORE and the key store of a suite name one",
			"no store is named")
	}
	return opened, err
}

// Named is the name of the store; "" is none. A guest has none: a store may be anywhere.
func (f StoreChoice) Named(a *world.World, s *suite.Suite) (string, error) {
	switch {
	case a.Guest != nil || f.Name == NoStore:
		return "", nil
	case f.Name != "":
		return f.Name, nil
	case s != nil:
		return s.Store, nil
	}
	file, err := FindSuite()
	if err != nil || file == "" {
		return "", err
	}
	if s, err = LoadSuite(a.Opening, file); err != nil {
		return "", err
	}
	return s.Store, nil
}

// WithStore gives a command the trials and the results of the store, whose names are store:QUERY. The store is opened
// when the first of them is read; done closes it.
func WithStore(ctx context.Context, a *world.World, f StoreChoice) (_ context.Context, done func()) {
	if a.Guest != nil {
		return ctx, func() {}
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
		return &StoredTrials{Store: s, Query: q.WithoutExperiments(), Name: name}, nil
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
