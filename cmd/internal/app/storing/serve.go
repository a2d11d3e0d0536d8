package storing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// ServeRequest asks for pages over a store, and over a run in progress.
type ServeRequest struct {
	Store   app.StoreChoice
	Listen  string             // HOST:PORT
	Token   string             // file of the password; "" asks for none
	Journal string             // of the run; "" is none
	For     time.Duration      // after which it ends; 0 goes on until it is interrupted
	Given   value.GivenOptions // the options that were given
}

// check refuses what cannot be served.
func (r *ServeRequest) check() error {
	if r.Given.Has("for") && r.For <= 0 {
		return problem.Usage("such as --for 10m", "--for must be above 0")
	}
	remote, err := listen.Address("--listen", r.Listen)
	if err != nil {
		return err
	}
	if remote && r.Token == "" {
		return problem.Usage("listen on 127.0.0.1, or name a file with a token by --token",
			"--listen %q is reached by other machines, and nothing keeps them from reading", r.Listen)
	}
	return nil
}

// journalHere is the journal of the latest run in this folder, or in that of the suite that is found from here.
func journalHere(a *world.World) (string, error) {
	file, err := app.FindSuite()
	if err != nil {
		return "", err
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(file), app.WorkFolder, "*.journal.jsonl"))
	if err != nil {
		return "", err
	}
	latest := evidence.Latest(names)
	if latest == "" {
		return "", problem.Usage("--store FILE or TRIBUNAL_STORE names a store, and --journal FILE a run",
			"there is nothing to serve: no store is named, and no run left a journal in %s", app.WorkFolder)
	}
	text := "no store is named: the latest run here is shown, by its journal " + prose.FileName(latest)
	if more := len(names) - 1; more > 0 {
		text += fmt.Sprintf("; --journal names one of %d others", more)
	}
	a.Notice("note", "%s", text)
	return latest, nil
}

// Serve serves the pages until it is interrupted: package web answers.
func Serve(ctx context.Context, a *world.World, r ServeRequest) error {
	if err := r.check(); err != nil {
		return err
	}
	o := web.Options{Journal: r.Journal, Now: a.Now}
	var err error
	if o.Token, err = listen.ReadToken(ctx, r.Token); err != nil {
		return err
	}
	if r.Journal != "" {
		_, err := journal.HeaderOf(r.Journal)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s does not exist", prose.FileName(r.Journal))
		}
		if err != nil {
			return problem.BadInput(err.Error(), "tribunal run writes one, .tribunal/NAME.journal.jsonl")
		}
	}
	if o.Store, err = r.Store.Open(ctx, a, nil, true); err != nil {
		return err
	}
	if o.Store != nil {
		defer o.Store.Close()
	}
	if o.Store == nil && o.Journal == "" {
		if o.Journal, err = journalHere(a); err != nil {
			return err
		}
	}
	served, err := listen.Serve(ctx, a, o, r.Listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.Out, served.Address); err != nil {
		_ = served.End() // nobody knows where it is
		return err
	}
	if err := listen.Wait(ctx, r.For, served.Broken); err != nil {
		_ = served.End() // the cause is told
		return err
	}
	return served.End()
}
