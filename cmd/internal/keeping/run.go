package keeping

import (
	"bytes"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
)

// IDDigits are those of the ID of a run that are shown: as many as tell a billion runs apart.
const IDDigits = 16

// Run is what is known of a run of a suite beside its trials.
func Run(a *world.World, kind string, s *suite.Suite, scenarios []suite.Scenario) store.Run {
	names := make([]string, len(scenarios))
	for i, c := range scenarios {
		names[i] = c.Name
	}
	folder := filepath.Dir(s.File)
	return store.Run{
		Kind: kind, Suite: s.Name, Task: s.Task().Select(names).Digest, Agent: AgentDigest(s),
		Commit: app.Commit(folder, a.Env.Get), Branch: app.Branch(folder, a.Env.Get), Build: app.Build(a.Env.Get),
	}
}

// DecideOn gives a run the result of its command, as it is saved.
func DecideOn(r *store.Run, result verdict.Result) error {
	var text bytes.Buffer
	if err := report.JSON(&text, result); err != nil {
		return err
	}
	h := result.Header()
	r.Result = &store.Result{Name: h.Schema, Text: text.Bytes()}
	if h.Judged {
		r.Verdict = h.Verdict.String()
	}
	return nil
}

// TellOfKept says which run of the store it is.
func TellOfKept(a *world.World, s *store.Store, added store.AddResult) {
	what := "is in"
	switch {
	case added.Known:
		what = "was already in"
	case added.Replaced:
		what = "goes on in"
	}
	a.Notice("note", "run %.*s, %s, %s %s", IDDigits, added.ID, prose.Count(added.Trials, "trial"), what,
		prose.FileName(s.String()))
}
