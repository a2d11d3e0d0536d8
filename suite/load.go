package suite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// FileName is the name of a suite file.
const FileName = "tribunal.yaml"

// MaxBytes is the largest file that is read.
const MaxBytes = yamlnode.MaxBytes

// Load reads a suite file. It returns the error of the file system, a
// [trial.FileError] for a file that is too large, or [Errors].
func Load(path string) (*Suite, error) { return LoadContext(context.Background(), path) }

// LoadContext is [Load] of a file that the context lets be opened, as all files are that the suite names.
func LoadContext(ctx context.Context, path string) (*Suite, error) {
	text, err := yamlnode.ReadContext(ctx, path)
	if err != nil {
		return nil, err
	}
	return parse(ctx, path, text)
}

// Parse reads a suite. The name stands in messages, and the paths of the suite
// lead from its folder. The text is not changed. Of other files it reads the
// contracts that the suite names.
func Parse(name string, text []byte) (*Suite, error) { return parse(context.Background(), name, text) }

func parse(ctx context.Context, name string, text []byte) (*Suite, error) {
	return parseOver(ctx, name, text, nil)
}

// parseOver is parse of a suite that is put together with something else, before it is decoded; nil leaves it as it is.
func parseOver(
	ctx context.Context, name string, text []byte, over func(*decoder, *yaml.Node) *yaml.Node,
) (*Suite, error) {
	// What no suite may have, aliases, tags and depth, is refused here, before anything is decoded.
	root, err := yamlnode.Parse(name, "suite", text)
	if err != nil {
		return nil, err
	}
	d := &decoder{Decoder: yamlnode.Decoder{File: name, What: "the suite"}, dir: filepath.Dir(name)}
	d.ctx, d.over = ctx, over
	s := d.suite(root)
	if input.HasRoom(ctx) {
		s.room = context.WithoutCancel(ctx)
	}
	// All problems at once; what could be read is not handed out.
	if err := d.Err(); err != nil {
		return nil, err
	}
	s.File, s.parts = name, d.parts
	return s, nil
}

// Find returns the suite file of a folder, or else of the next folder above that
// has one, up to the root of its repository: the first folder with a .git. The
// error wraps [fs.ErrNotExist] where there is none.
func Find(dir string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := from; ; at = filepath.Dir(at) {
		// A folder of that name is passed over; a file that cannot be looked at ends the search, since the
		// one above might be another suite.
		path := filepath.Join(at, FileName)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		// A file in worktrees and submodules, a folder otherwise.
		_, err := os.Lstat(filepath.Join(at, ".git"))
		if err == nil || at == filepath.Dir(at) {
			return "", &trial.FileError{
				File: FileName, Problem: "is neither in " + prose.FileName(from) + " nor above it in its repository",
				Advice: "name the suite file", Err: fs.ErrNotExist,
			}
		}
	}
}
