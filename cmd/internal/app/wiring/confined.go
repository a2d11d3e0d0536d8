package wiring

import (
	"os"
	"os/exec"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/wire"
)

// confinement has the rules; nil where nothing is to be confined. What this machine cannot hold is refused.
func (r *Request) confinement(w *wire.Wire) (*confine.Rules, error) {
	if len(r.Confine) == 0 {
		return nil, nil
	}
	rules := confine.Rules{Network: confine.Wire, Port: w.Port(), Serve: w.Serve}
	for _, folder := range r.Confine {
		path := confine.Resolved(folder)
		if _, err := os.Stat(path); err != nil {
			return nil, problem.Usage("make it", "--confine %s cannot be written below: %s", prose.FileName(folder),
				prose.Reason(err.Error()))
		}
		rules.Write = append(rules.Write, path)
	}
	if lacks := rules.Lacks(); len(lacks) > 0 {
		return nil, problem.Unavailable("--confine cannot be held on this machine: "+confine.Told(lacks),
			"omit it to go on without")
	}
	return &rules, nil
}

// temporary gives a program that is confined a folder for temporary files of its own.
func temporary(rules *confine.Rules, command *exec.Cmd) (remove func(), err error) {
	if rules == nil {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "tribunal-confined-")
	if err != nil {
		return nil, err
	}
	rules.Write = append(rules.Write, confine.Resolved(folder))
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		command.Env = append(command.Env, name+"="+folder)
	}
	return func() { os.RemoveAll(folder) }, nil
}
