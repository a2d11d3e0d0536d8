package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Revision is a revision of git, of which files are read.
type Revision struct {
	name string
	hash string
}

// RevisionError says that a revision cannot be read.
type RevisionError struct{ Problem, Advice string }

// Error is the problem.
func (e *RevisionError) Error() string { return e.Problem }

// Hint returns the advice.
func (e *RevisionError) Hint() string { return e.Advice }

// gitTimeout bounds each call of git. It is chosen: what is asked for is a file.
const gitTimeout = time.Minute

// runGit runs git in a folder; !ok: it said no.
func runGit(ctx context.Context, folder string, most int, args ...string) (text string, ok bool, err error) {
	p, err := process.Command{
		Argv: append([]string{"git"}, args...), Dir: folder, Timeout: gitTimeout, MaxOutputBytes: most, EndOnOverflow: true,
		Environment: process.Environment{Allow: []string{"GIT_*", "XDG_CONFIG_HOME"}},
	}.Run(ctx, nil)
	switch {
	case err != nil:
		return "", false, &RevisionError{Problem: "git cannot be run: " + err.Error(), Advice: "is it installed?"}
	case p.TimedOut || p.Cancelled || p.Truncated:
		return "", false, &RevisionError{Problem: fmt.Sprintf("git %s did not end, or printed too much", args[0])}
	}
	return string(p.Stdout), p.ExitCode == 0, nil
}

// FindRevision finds a revision in the repository of a folder: a commit, a branch, a tag, or what else git reads as
// one.
func FindRevision(ctx context.Context, folder, name string) (*Revision, error) {
	text, ok, err := runGit(ctx, folder, 1000, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return nil, err
	}
	if hash := strings.TrimSpace(text); ok && isHash(hash) {
		return &Revision{name, hash}, nil
	}
	return nil, &RevisionError{
		Problem: prose.Quote(name) + " is no revision of git in " + prose.FileName(folder),
		Advice:  "such as HEAD, main or a commit; in a shallow clone it may not be there",
	}
}

// Read returns a file as it was; there is false of one that was not.
func (r *Revision) Read(ctx context.Context, file string, most int) (text []byte, there bool, err error) {
	folder, name := filepath.Split(file)
	if folder == "" {
		folder = "."
	}
	said, ok, err := runGit(ctx, folder, most, "show", "--no-textconv", "--end-of-options", r.hash+":./"+name)
	return []byte(said), ok, err
}
