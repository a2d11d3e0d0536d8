package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Notes is what a reader should know of a file besides its trials.
type Notes struct {
	File       string     // its name, as it was given
	Format     Format     // that it is read in
	Trials     int        // handed out
	Skipped    []Skip     // records that gave no trial, by reason
	Unjudged   []Skip     // trials that [Options].Pass could not judge, by what was unknown
	ToolErrors int        // steps that [Options].ToolErrors made errors
	Renumbered int        // trials whose numbers go on from those of earlier files
	Replaced   []string   // variants that [Options].SetVariant replaced, the first few
	Remarks    []string   // sentences about the whole file
	Warning    string     // why its outcomes may not be what was meant; "" is nothing
	Sampled    []Sampling // the tests of the run that gathered the trials; none where the file does not say
}

type (
	// Sampling says how a test of a run gathered its trials. The journal of a run says so.
	Sampling = record.Sampling
	// Skip is a number of records that gave no trial, and why.
	Skip = record.Omission
)

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
	return len(n.Skipped)+len(n.Unjudged)+n.ToolErrors+n.Renumbered+len(n.Replaced)+len(n.Remarks)+len(n.Warning) > 0
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
		sum.Renumbered += n.Renumbered
		for _, s := range n.Skipped {
			sum.Skipped = record.Counted(sum.Skipped, s)
		}
		for _, s := range n.Unjudged {
			sum.Unjudged = record.Counted(sum.Unjudged, s)
		}
		for _, v := range n.Replaced {
			sum.Replaced = withVariant(sum.Replaced, v)
		}
		if len(n.Remarks) > 0 {
			remarks++
		}
	}
	if remarks > 0 {
		sum.Remarks = []string{fmt.Sprintf("files with remarks: %d", remarks)}
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
	if n.Renumbered > 0 {
		fmt.Fprintf(b, "; numbers that go on from the files before: %d", n.Renumbered)
	}
	if len(n.Replaced) > 0 {
		b.WriteString("; variants that were replaced: " + strings.Join(printables(n.Replaced), ", "))
	}
	for _, r := range n.Remarks {
		b.WriteString("; " + prose.Excerpt(r))
	}
}

// skipList is what was left out, each reason with its count.
func skipList(skips []Skip) string {
	list := make([]string, len(skips))
	for i, s := range skips {
		list[i] = fmt.Sprintf("%s (%d)", prose.Excerpt(s.Reason), s.Count)
	}
	return strings.Join(list, ", ")
}

// printables are texts of a file, made safe to print.
func printables(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = prose.Excerpt(text)
	}
	return list
}

// mostReplaced is how many variants are noted as replaced.
const mostReplaced = 8

// withVariant adds a variant to those that were replaced.
func withVariant(replaced []string, variant string) []string {
	if len(replaced) < mostReplaced && !slices.Contains(replaced, variant) {
		replaced = append(replaced, variant)
	}
	return replaced
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
