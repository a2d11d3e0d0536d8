package suite

import (
	"context"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// decoder reads a suite.
//
// The embedded one knows YAML, collects problems with their places, and is shared with contracts;
// the methods of this one know suites.
type decoder struct {
	yamlnode.Decoder

	ctx      context.Context                       // that files are opened with
	over     func(*decoder, *yaml.Node) *yaml.Node // what the suite is put together with; nil: nothing
	dir      string                                // of the file, from which paths lead
	redact   []string                              // names of variables, for commands that judge
	envAllow []string                              // variables that the agent inherits, for the same
	judgeEnv func() variables                      // of the file of the agent, for the same; nil: none
	rubric   *rubric                               // by which a judge that is read gives levels; nil: by what it says
	programs []startedProgram
	// Variables that programs are started with, and files of such.
	references []reference
	inherited  []string // names that agents and judges inherit, as the suite has them
	dotenvs    []dotenv
	lacks      map[string]*missingParts // by the keys that scenarios lack
	sets       map[string]*yaml.Node    // evaluators that scenarios ask for by name
	includes   int                      // how many files were included
	parts      []string                 // those that were read
	contracts  []string                 // digests of those that were read, in their order
	// attackSuccess is the share of attacks that may succeed, whatever a corpus says; 0: as it says.
	attackSuccess float64
	// minPassRate and toml are those of [CorpusOptions].
	minPassRate float64
	toml        func(ctx context.Context, file string) ([]byte, error)
	read        []int // how many contracts were read when each scenario was, in the order of scenarios
}

// key is a key that a mapping may have, with the function that reads its value.
type key = yamlnode.Key
