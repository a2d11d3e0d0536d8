package ingest

import "slices"

// notes is what a decoder has to say of a file besides its trials.
type notes struct {
	omissions []omission // records that gave no trial, by reason
	remarks   []string   // sentences about the whole file
}

// omission is a number of records that gave no trial, or no part of one, and why.
type omission struct {
	Reason string // such as "skipped tests"
	Count  int
	Known  bool // the records are known to be none that matter; else they were not understood
}

// skip counts a record that was not understood, or misses what it needs.
func (n *notes) skip(reason string) {
	n.omissions = counted(n.omissions, omission{Reason: reason, Count: 1})
}

// pass counts a record that is known to be no trial, or no part of one.
func (n *notes) pass(reason string) {
	n.omissions = counted(n.omissions, omission{Reason: reason, Count: 1, Known: true})
}

// remark keeps a sentence about the whole file, once.
func (n *notes) remark(text string) {
	if !slices.Contains(n.remarks, text) {
		n.remarks = append(n.remarks, text)
	}
}

// counted adds an omission to those of the same reason.
func counted(list []omission, o omission) []omission {
	for i := range list {
		if list[i].Reason == o.Reason && list[i].Known == o.Known {
			list[i].Count += o.Count
			return list
		}
	}
	return append(list, o)
}
