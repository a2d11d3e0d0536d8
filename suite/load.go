package suite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/trial"
)

// FileName is the name of a suite file.
const FileName = "tribunal.yaml"

// The largest file that is read, in bytes, and the deepest nesting.
const (
	MaxBytes = 4 << 20
	maxDepth = 64
)

// Load reads a suite file. It returns the error of the file system, a
// [trial.FileError] for a file that is too large, or [Errors].
func Load(path string) (*Suite, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads a suite. The name stands in messages, and the paths of the suite
// lead from its folder. The text is not changed.
func Parse(name string, text []byte) (*Suite, error) {
	if len(text) > MaxBytes {
		return nil, &trial.FileError{File: name, Problem: fmt.Sprintf("is larger than %d MiB", MaxBytes>>20), Hint: "is it a suite?"}
	}
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil, &trial.FileError{File: name, Problem: "is empty"}
	}
	d := &decoder{file: name, dir: filepath.Dir(name)}
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return nil, d.syntax(err)
	}
	root := &document
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if !d.plain(root, 0) {
		return nil, d.problems
	}
	s := d.suite(root)
	if len(d.problems) > 0 {
		return nil, d.problems
	}
	s.File = name
	return s, nil
}

// syntax gives a syntax error a place.
func (d *decoder) syntax(err error) error {
	switch text := err.Error(); {
	case strings.Contains(text, "no documents"):
		return &trial.FileError{File: d.file, Problem: "holds no value"}
	case strings.Contains(text, "expected single document"):
		return &trial.FileError{File: d.file, Problem: "holds several documents", Hint: "a suite is one: remove the lines ---"}
	}
	problem := Error{Place: trial.Place{File: d.file}, Problem: "is not YAML: " + trial.Printable(err.Error())}
	load, ok := errors.AsType[*yaml.LoadError](err)
	if several, found := errors.AsType[*yaml.LoadErrors](err); found && len(several.Errors) > 0 {
		load, ok = several.Errors[0], true
	}
	if ok {
		problem.Line, problem.Column = load.Mark.Line, load.Mark.Column
		problem.Problem = "is not YAML: " + trial.Printable(load.Message)
		if strings.Contains(load.Message, "cannot start any token") {
			problem.Hint = "is the line indented by a tab? YAML wants spaces"
		}
	}
	return Errors{&problem}
}

// plain refuses what a suite has no use for: aliases, which can make a short file
// long, tags of its own, and depth.
func (d *decoder) plain(n *yaml.Node, depth int) bool {
	switch {
	case depth > maxDepth:
		d.fail(n, fmt.Sprintf("is nested deeper than %d levels", maxDepth), "")
	case n.Kind == yaml.AliasNode:
		d.fail(n, "uses the alias *"+trial.Printable(n.Value), "aliases are not read: write the value out")
	case !plainTag(n):
		d.fail(n, "uses the tag "+trial.Printable(n.Tag), "tags are not read")
	default:
		for _, inner := range n.Content {
			if !d.plain(inner, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

func plainTag(n *yaml.Node) bool {
	switch tag := n.ShortTag(); n.Kind {
	case yaml.MappingNode:
		return tag == "!!map"
	case yaml.SequenceNode:
		return tag == "!!seq"
	default:
		switch tag {
		case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!merge":
			return n.Style&yaml.TaggedStyle == 0
		}
	}
	return false
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
		path := filepath.Join(at, FileName)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		_, err := os.Lstat(filepath.Join(at, ".git"))
		if err == nil || at == filepath.Dir(at) {
			return "", &trial.FileError{
				File: FileName, Problem: "is neither in " + trial.DisplayName(from) + " nor above it in its repository",
				Hint: "name the suite file", Err: fs.ErrNotExist,
			}
		}
	}
}
