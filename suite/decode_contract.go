package suite

import (
	"errors"
	"io/fs"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/oracle"
	"github.com/tribunal-dev/tribunal/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial"
)

// contract reads the name of a contract file, from the folder of the suite, or a
// contract that stands in the suite itself.
func (f form) contract() (oracle.Evaluator, error) {
	var c *contract.Contract
	var err error
	if f.node.Kind == yaml.ScalarNode {
		path := ""
		if f.textInto(&path)(f.node); path == "" {
			return nil, nil
		}
		c, err = contract.Load(resolve(f.dir, path))
	} else {
		c, err = contract.ParseNode(f.file, f.path, f.node)
	}
	if err != nil {
		f.refusedContract(err)
		return nil, nil
	}
	f.contracts = append(f.contracts, c.Digest())
	return contract.Evaluator(c), nil
}

// refusedContract notes what is wrong with a contract: in its own file, or with the
// file.
func (f form) refusedContract(err error) {
	if problems, ok := errors.AsType[Errors](err); ok {
		for _, p := range problems {
			if len(f.problems) < maxErrors {
				f.problems = append(f.problems, p)
			}
		}
		return
	}
	problem, hint := "cannot be read: "+prose.Excerpt(err.Error()), ""
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		problem = "cannot be read: " + at.Err.Error()
	}
	if e, ok := errors.AsType[*trial.FileError](err); ok {
		problem, hint = e.Problem, e.Advice
	}
	if errors.Is(err, fs.ErrNotExist) {
		problem, hint = shown(f.node.Value)+" does not exist", "its path is from the folder of the suite"
	}
	f.fail(f.node, problem, hint)
}
