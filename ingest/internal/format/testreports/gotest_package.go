package testreports

import (
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// packageEvent ends a package, or tells that its results are old ones.
// go test prints "ok  	example.com/agent	(cached)" where it ran nothing.
func (g *goTest) packageEvent(e *event) error {
	switch e.Action {
	case "output":
		if strings.HasPrefix(e.Output, "ok ") && strings.Contains(e.Output, "(cached)") {
			g.in.Notes.Remark(
				"results come from the test cache: they repeat an earlier run and are no new trials; use -count=1")
		}
	case "pass", "fail", "skip":
		return g.endPackage(e.Package, e)
	}
	return nil
}

// endPackage hands out what has no end of its own: the tests that were running,
// and the package if it failed without running any.
// A package whose build failed, or whose TestMain left, is one trial that is an error: that
// it says nothing of its tests should not go unseen.
func (g *goTest) endPackage(name string, e *event) error {
	p := g.pack(name)
	delete(g.packages, name)
	if err := g.unfinished(name, p); err != nil {
		return err
	}
	if e.Action != "fail" || p.ended+len(p.running) > 0 {
		return nil
	}
	x := g.trial(name, "", &goTestRun{line: g.line})
	x.Outcome = trial.Error
	x.Error = &trial.Cause{Origin: trial.InfrastructureOrigin, Type: "package",
		Message: "the package failed before its first test"}
	if e.FailedBuild != "" {
		x.Error.Type, x.Error.Message = "build", strings.TrimSpace(g.builds[e.FailedBuild])
	}
	return g.handOut(x, nil)
}

// unfinished hands out the tests without subtests that began and did not end: the
// process crashed, ran out of time, or left.
// They are handed out in the order in which they began. A parent that did not end has
// subtests that did not.
func (g *goTest) unfinished(name string, p *goPackage) error {
	tests := slices.SortedFunc(maps.Keys(p.running), func(a, b string) int {
		return p.running[a].line - p.running[b].line
	})
	for _, test := range tests {
		t := p.running[test]
		switch {
		case t.isParent:
			continue
		// A benchmark is no test, whether or not it has an end.
		case strings.HasPrefix(test, "Benchmark"):
			g.in.Notes.Pass(record.Benchmark)
			continue
		}
		x := g.trial(name, test, t)
		x.Outcome = trial.Error
		x.Error = &trial.Cause{Type: "unfinished", Message: "the test began and did not end: a crash or a timeout"}
		if err := g.handOut(x, t.attributes); err != nil {
			return err
		}
	}
	return nil
}

// endAll ends the packages whose end was not recorded.
// The file was cut off, or the process was.
func (g *goTest) endAll() error {
	for _, name := range slices.Sorted(maps.Keys(g.packages)) {
		if err := g.unfinished(name, g.packages[name]); err != nil {
			return err
		}
	}
	return nil
}
