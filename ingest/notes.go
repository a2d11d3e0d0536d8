package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Notes is what a reader should know of a file besides its trials.
type Notes struct {
	File       string
	Format     Format
	Trials     int      // handed out
	Skipped    []Skip   // records that gave no trial, by reason
	Unjudged   []Skip   // trials that [Options].Pass could not judge, by what was unknown
	ToolErrors int      // steps that [Options].ToolErrors made errors
	Replaced   []string // variants that [Options].SetVariant replaced, the first few
	Remarks    []string // sentences about the whole file
}

// Skip is a number of records that gave no trial, and why.
type Skip struct {
	Reason string // such as skippedTest
	Count  int
	Known  bool // the records are known to be none that matter; else they were not understood
}

// String returns one line, such as
// "a.xml: 40 trials (junit); left out: skipped tests (2)".
func (n Notes) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s)", prose.FileName(n.File), prose.Count(n.Trials, "trial"), n.Format)
	n.describe(&b)
	return b.String()
}

// HasRemarks reports whether there is more to say than how many trials there are.
func (n Notes) HasRemarks() bool {
	return len(n.Skipped)+len(n.Unjudged)+n.ToolErrors+len(n.Replaced)+len(n.Remarks) > 0
}

// Sum returns one line for several files, such as
// "and 120 more files: 480 trials; left out: skipped tests (2)". Remarks about single
// files are counted.
func Sum(all []Notes) string {
	var sum Notes
	remarks := 0
	for _, n := range all {
		sum.Trials += n.Trials
		sum.ToolErrors += n.ToolErrors
		for _, s := range n.Skipped {
			sum.Skipped = counted(sum.Skipped, s)
		}
		for _, s := range n.Unjudged {
			sum.Unjudged = counted(sum.Unjudged, s)
		}
		for _, v := range n.Replaced {
			sum.replace(v)
		}
		if len(n.Remarks) > 0 {
			remarks++
		}
	}
	if remarks > 0 {
		sum.remark(fmt.Sprintf("files with remarks: %d", remarks))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "and %s: %s", prose.Count(len(all), "more file"), prose.Count(sum.Trials, "trial"))
	sum.describe(&b)
	return b.String()
}

// describe writes what there is to say besides the number of trials.
func (n *Notes) describe(b *strings.Builder) {
	if len(n.Skipped) > 0 {
		b.WriteString("; left out: " + skipList(n.Skipped))
	}
	if len(n.Unjudged) > 0 {
		b.WriteString("; not judged by the rule: " + skipList(n.Unjudged))
	}
	if n.ToolErrors > 0 {
		fmt.Fprintf(b, "; tool outputs that the pattern takes for errors: %d", n.ToolErrors)
	}
	if len(n.Replaced) > 0 {
		b.WriteString("; variants that were replaced: " + strings.Join(printables(n.Replaced), ", "))
	}
	for _, r := range n.Remarks {
		b.WriteString("; " + prose.Excerpt(r))
	}
}

func skipList(skips []Skip) string {
	list := make([]string, len(skips))
	for i, s := range skips {
		list[i] = fmt.Sprintf("%s (%d)", prose.Excerpt(s.Reason), s.Count)
	}
	return strings.Join(list, ", ")
}

func printables(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = prose.Excerpt(text)
	}
	return list
}

// skip counts a record that was not understood, or misses what it needs.
func (n *Notes) skip(reason string) { n.Skipped = counted(n.Skipped, Skip{Reason: reason, Count: 1}) }

// pass counts a record that is known to be no trial, or no part of one.
func (n *Notes) pass(reason string) {
	n.Skipped = counted(n.Skipped, Skip{Reason: reason, Count: 1, Known: true})
}

// unjudged counts a trial that the rule could not judge.
func (n *Notes) unjudged(reason string) {
	n.Unjudged = counted(n.Unjudged, Skip{Reason: reason, Count: 1})
}

// counted adds the count to that of the same reason.
func counted(skips []Skip, s Skip) []Skip {
	for i := range skips {
		if skips[i].Reason == s.Reason && skips[i].Known == s.Known {
			skips[i].Count += s.Count
			return skips
		}
	}
	return append(skips, s)
}

// mostReplaced is how many variants are noted as replaced.
const mostReplaced = 8

func (n *Notes) replace(variant string) {
	if len(n.Replaced) < mostReplaced && !slices.Contains(n.Replaced, variant) {
		n.Replaced = append(n.Replaced, variant)
	}
}

func (n *Notes) remark(text string) {
	if !slices.Contains(n.Remarks, text) {
		n.Remarks = append(n.Remarks, text)
	}
}

func (n *Notes) skipped() (count int) {
	for _, s := range n.Skipped {
		count += s.Count
	}
	return count
}

// unread are the records that were not understood.
func (n *Notes) unread() (skips []Skip) {
	for _, s := range n.Skipped {
		if !s.Known {
			skips = append(skips, s)
		}
	}
	return skips
}
