package wiring

import (
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// checkScript refuses what has no meaning beside a script, or without one.
func (r *Setup) checkScript() error {
	if r.Script == "" {
		if r.Given.Has("seed") && r.Faults == nil {
			return problem.Usage("such as --script model.yaml", "--seed is of a script, or of faults")
		}
		return nil
	}
	for _, other := range []string{"cassette", "upstream", "key-env"} {
		if r.Given.Has(other) {
			return problem.Usage("omit one of them", "--script answers in place of all servers, and does not go with --%s",
				other)
		}
	}
	return nil
}

// loadScript reads the script; nil where there is none.
func (r *Setup) loadScript() (*script.Script, error) {
	if r.Script == "" {
		return nil, nil
	}
	return script.Load(r.Script)
}
