package wirecmd

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// scriptFlags are those of a model that is a script.
type scriptFlags struct {
	file string
	seed value.Seed
}

func (f *scriptFlags) register(flags *pflag.FlagSet) {
	f.seed = 1
	flags.StringVar(&f.file, "script", "", "answer in place of all models from `FILE`, without a server or a key")
	flags.Var(&f.seed, "seed", "seed of what a script and the rates of faults draw")
}

// checkScript refuses what has no meaning beside a script, or without one.
func (f *wireFlags) checkScript(flags *pflag.FlagSet) error {
	s := &f.script
	if s.file == "" {
		if flags.Changed("seed") && f.faults == nil {
			return problem.Usage("such as --script model.yaml", "--seed is of a script, or of faults")
		}
		return nil
	}
	for _, other := range []string{"cassette", "upstream", "key-env"} {
		if flags.Changed(other) {
			return problem.Usage("leave one of them out", "--script answers in place of all servers, and does not go with --%s",
				other)
		}
	}
	return nil
}

// load reads the script; nil where there is none.
func (f *scriptFlags) load() (*script.Script, error) {
	if f.file == "" {
		return nil, nil
	}
	return script.Load(f.file)
}
