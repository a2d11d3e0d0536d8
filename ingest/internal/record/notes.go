package record

import "slices"

// Notes is what a decoder has to say of a file besides its trials.
type Notes struct {
	Omissions []Omission // records that gave no trial, by reason
	Remarks   []string   // sentences about the whole file
	Sampled   []Sampling // the tests of a run that gathered the trials; none of other files
}

// Sampling says how a test of a run gathered its trials.
type Sampling struct {
	Test      string // name
	Variant   string // of the agent; "" where there are none
	Scenarios []string
	Design    string // digest
	// Where it could stop: at a number of trials that was fixed, or by boundaries in the form of
	// package baseline. All are empty where that is not known.
	Fixed, MaxTrials int
	Boundaries       string
	// Judged is how many of its trials, the first in the file, it ended after, and with which
	// outcome: "pass", "fail" or "inconclusive"; 0 and "" where it has not ended.
	Judged  int
	Outcome string
}

// Omission is a number of records that gave no trial, or no part of one, and why.
type Omission struct {
	Reason string // such as "skipped tests"
	Count  int    // of the records
	Known  bool   // the records are known to be none that matter; else they were not understood
}

// Skip counts a record that was not understood, or misses what it needs.
func (n *Notes) Skip(reason string) {
	n.Omissions = Counted(n.Omissions, Omission{Reason: reason, Count: 1})
}

// Pass counts a record that is known to be no trial, or no part of one.
func (n *Notes) Pass(reason string) {
	n.Omissions = Counted(n.Omissions, Omission{Reason: reason, Count: 1, Known: true})
}

// Add takes over what other notes say of omissions and in remarks.
func (n *Notes) Add(other *Notes) {
	for _, o := range other.Omissions {
		n.Omissions = Counted(n.Omissions, o)
	}
	for _, text := range other.Remarks {
		n.Remark(text)
	}
}

// Remark keeps a sentence about the whole file, once.
func (n *Notes) Remark(text string) {
	if !slices.Contains(n.Remarks, text) {
		n.Remarks = append(n.Remarks, text)
	}
}

// SampledBy says which tests gathered the trials, and remarks on what a reader of rates should know of them.
func (n *Notes) SampledBy(tests []Sampling) {
	n.Sampled = tests
	if slices.ContainsFunc(tests, func(t Sampling) bool { return t.Fixed == 0 && t.Judged > 0 }) {
		n.Remark("the run ended when its tests had decided: its share of passes leans to the side of the decision")
	}
}

// Counted adds an omission to those of the same reason.
func Counted(list []Omission, o Omission) []Omission {
	for i := range list {
		if list[i].Reason == o.Reason && list[i].Known == o.Known {
			list[i].Count += o.Count
			return list
		}
	}
	return append(list, o)
}
