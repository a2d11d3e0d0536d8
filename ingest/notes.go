package ingest

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// Notes is what a reader should know of a file besides its trials.
type Notes struct {
	File    string
	Format  Format
	Trials  int      // handed out
	Skipped []Skip   // records that gave no trial, by reason
	Remarks []string // sentences about the whole file
}

// Skip is a number of records that gave no trial, and why.
type Skip struct {
	Reason string // such as "skipped tests"
	Count  int
}

// String returns one line, such as
// "a.xml: 40 trials (junit); left out: skipped tests (2)".
func (n Notes) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d trials (%s)", trial.DisplayName(n.File), n.Trials, n.Format)
	for i, s := range n.Skipped {
		b.WriteString([]string{"; left out: ", ", "}[min(i, 1)])
		fmt.Fprintf(&b, "%s (%d)", s.Reason, s.Count)
	}
	for _, r := range n.Remarks {
		b.WriteString("; " + trial.Printable(r))
	}
	return b.String()
}

func (n *Notes) skip(reason string) {
	for i := range n.Skipped {
		if n.Skipped[i].Reason == reason {
			n.Skipped[i].Count++
			return
		}
	}
	n.Skipped = append(n.Skipped, Skip{Reason: reason, Count: 1})
}

func (n *Notes) remark(text string) {
	for _, r := range n.Remarks {
		if r == text {
			return
		}
	}
	n.Remarks = append(n.Remarks, text)
}

func (n *Notes) skipped() (count int) {
	for _, s := range n.Skipped {
		count += s.Count
	}
	return count
}

// Why records of another tool's log gave nothing.
const (
	notUnderstood = "events that are not understood"
	withoutCall   = "results without their call"
)
