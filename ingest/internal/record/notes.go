package record

import "slices"

// Notes is what a decoder has to say of a file besides its trials.
type Notes struct {
	Omissions []Omission // records that gave no trial, by reason
	Remarks   []string   // sentences about the whole file
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

// Remark keeps a sentence about the whole file, once.
func (n *Notes) Remark(text string) {
	if !slices.Contains(n.Remarks, text) {
		n.Remarks = append(n.Remarks, text)
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
