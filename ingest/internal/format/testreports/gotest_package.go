package testreports

import (
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// packageEvent ends a package, or tells that its results are old ones.
// go test prints "ok  	example.com/agent	(cached)" where it ran nothing.
func (g *goTest) packageEvent(e *event) error {
	switch e.Action {
	case "output":
		g.pack(e.Package).heed(e.Output)
		g.pack(e.Package).keep(e.Output)
		if strings.HasPrefix(e.Output, "ok  \t") {
			return g.settle(g.pack(e.Package), strings.Contains(e.Output, "(cached)"))
		}
	case "pass", "fail", "skip":
		return g.endPackage(e.Package, e)
	}
	return nil
}

// keep keeps what a package prints outside of its tests, but for the words of go test itself.
func (p *goPackage) keep(output string) {
	for _, word := range []string{"PASS\n", "FAIL\n", "FAIL\t", "ok  \t", "coverage: "} {
		if strings.HasPrefix(output, word) {
			return
		}
	}
	if len(p.said) < record.LongestMessage {
		p.said += output
	}
}

// The panic of a package that ran out of time, and the tests that ran then, as package testing writes them since
// Go 1.20:
//
//	panic: test timed out after 2s
//		running tests:
//			TestHang (2s)
var (
	goTimeout = lazy.Regexp(`^panic: test timed out after (\S+)\n`)
	goRunning = lazy.Regexp(`^\t\t(\S+) \(\S+\)\n`)
)

// heed looks for the end of the time of a package. The tests that ran then follow at once, before the first goroutine.
func (p *goPackage) heed(output string) {
	if m := goTimeout().FindStringSubmatch(output); m != nil && p.limit == "" {
		p.limit, p.listing = m[1], true
	} else if m := goRunning().FindStringSubmatch(output); m != nil && p.listing {
		p.hanging = append(p.hanging, m[1])
	} else if strings.TrimSpace(output) == "" || strings.HasPrefix(output, "goroutine ") {
		p.listing = false
	}
}

// ranOutOfTime reports whether a test that did not end is one that ran when the time was over. Before Go 1.20 only a
// test that was alone is known to be.
func (p *goPackage) ranOutOfTime(test string) bool {
	return p.limit != "" && (slices.Contains(p.hanging, test) || len(p.hanging) == 0 && len(p.running) == 1)
}

// endPackage hands out what has no end of its own: the tests that were running,
// and the package if it failed although none of its tests did.
// A package whose build failed, or whose TestMain left, is one trial that is an error, and so is one
// that a race, a panic outside of a test or an exit code made fail: that it says nothing of its
// tests, or something of all, should not go unseen.
func (g *goTest) endPackage(name string, e *event) error {
	p := g.pack(name)
	delete(g.packages, name)
	if err := g.unfinished(name, p); err != nil {
		return err
	}
	if e.Action != "fail" || p.fell {
		return g.settle(p, false)
	}
	x := g.trial(name, "", &goTestRun{line: g.line})
	x.Outcome = trial.Error
	message := "the package failed before its first test"
	if p.ended > 0 {
		message = "the package failed, and none of its tests did"
	}
	if said := strings.TrimSpace(p.said); said != "" {
		message += ": " + said
	}
	x.Error = broken("package", message)
	if e.FailedBuild != "" {
		x.Error = broken("build", strings.TrimSpace(g.builds[e.FailedBuild]))
	}
	if err := g.handOut(p, x, nil); err != nil {
		return err
	}
	return g.settle(p, false)
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
		p.fell, p.isNew = true, true
		x := g.trial(name, test, t)
		x.Outcome = trial.Error
		x.Error = &trial.Cause{Type: "unfinished", Message: "the test began and did not end: a crash or a timeout"}
		if p.ranOutOfTime(test) {
			x.Outcome, x.Error = trial.Fail, failure("timeout", "test timed out after "+p.limit)
		}
		if err := g.handOut(p, x, t.attributes); err != nil {
			return err
		}
	}
	return nil
}

// endAll ends the packages whose end was not recorded.
// The file was cut off, or the process was.
func (g *goTest) endAll() error {
	for _, name := range slices.Sorted(maps.Keys(g.packages)) {
		p := g.packages[name]
		if err := g.unfinished(name, p); err != nil {
			return err
		}
		if err := g.settle(p, false); err != nil {
			return err
		}
	}
	return nil
}
