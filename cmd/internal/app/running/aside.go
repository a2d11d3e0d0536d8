package running

import (
	"os"
	"slices"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
)

// putAside moves the usual files of an earlier result and decision where a run began trials and has no result of its
// own, as journals are: whoever looks for the last one would take them for this one's. A baseline stays where it is.
func (f *run) putAside(a *world.World, s *suite.Suite, partial bool, found *runner.Result) {
	if a.Guest != nil || f.sharded() || f.Output != "" || f.Kind != "run" && !f.gated ||
		found == nil || len(found.Trials) == 0 && found.Spent.Attempts+found.Lost == 0 {
		return
	}
	baselines := []string{f.Tests.Baseline, s.Resolve(s.Gate.Baseline), s.Resolve(s.Test.Against.Baseline)}
	for _, c := range s.Scenarios {
		baselines = append(baselines, s.Resolve(c.Test.Against.Baseline))
	}
	files := f.usual(s, partial)
	for _, file := range []string{files.Result, files.Gate} {
		isBaseline := func(other string) bool { return evidence.SameFile(other, file) }
		if slices.ContainsFunc(baselines, isBaseline) || os.Rename(file, file+".previous") != nil {
			continue // mostly there is none
		}
		_ = os.Rename(file+signature.Extension, file+".previous"+signature.Extension)
		a.Notice("note", "the earlier %s is now %s.previous, as this run has no result", file, file)
	}
}
