package report

import (
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// setAside reports whether a test is quarantined and did not pass. One that passed is shown as it is.
func setAside(t *runs.Test) bool { return t.Quarantined && t.Verdict != verdict.Pass }

// quarantined makes the criteria of quarantined tests that did not hold cases that are set aside.
func quarantined(d *document.Document, r *runs.Result) {
	aside := map[string]bool{}
	for i := range r.Tests {
		if setAside(&r.Tests[i]) {
			aside[r.Tests[i].Name] = true
		}
	}
	for i := range d.Cases {
		if c := &d.Cases[i]; aside[c.Scenario] && c.Status != document.Passed {
			c.Status, c.Message = document.Aside, "quarantined: "+c.Message
		}
	}
}
