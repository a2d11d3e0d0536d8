package benchmarks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// SWE-bench's run_evaluation writes a report of a run (schema_version 2), and one of each instance (report.json):
//
//	{"total_instances":2,"submitted_ids":["a__b-1"],"resolved_ids":["a__b-1"],"unresolved_ids":[],"empty_patch_ids":[],
//	  "error_ids":[],"incomplete_ids":["a__b-2"],"schema_version":2}
//	{"a__b-1":{"patch_is_None":false,"patch_exists":true,"patch_successfully_applied":true,"resolved":true}}
func showsSWEBench(s *record.Shape) bool {
	n := s.First()
	return !s.Array && (n.Has("resolved_ids", "unresolved_ids", "error_ids") || isSWEBenchInstance(firstMember(n)))
}

// firstMember is the first member of an object, by its name.
func firstMember(n record.Node) record.Node {
	for _, m := range n.Members() {
		return m
	}
	return record.Node{}
}

// isSWEBenchInstance reports whether n is what came of an instance.
func isSWEBenchInstance(n record.Node) bool {
	return n.Has("patch_exists", "patch_successfully_applied", "resolved")
}

// SWEBench decodes the reports of SWE-bench.
var SWEBench = record.Decoder{Shows: showsSWEBench, Read: readSWEBench}

// readSWEBench makes a trial of each instance that was submitted.
func readSWEBench(in *record.Input) error {
	document, err := in.Document()
	if err != nil {
		return err
	}
	if !document.Has("resolved_ids") {
		for id, n := range document.Members() {
			outcome := trial.Fail
			if n.At("resolved").IsTrue() {
				outcome = trial.Pass
			}
			if err := sweBenchInstance(in, id, outcome, ""); err != nil {
				return err
			}
		}
		return nil
	}
	for range document.At("incomplete_ids").List() {
		in.Notes.Pass("instances without a prediction")
	}
	for _, list := range []struct {
		name    string
		outcome trial.Outcome
		cause   string
	}{
		{"resolved_ids", trial.Pass, ""}, {"unresolved_ids", trial.Fail, ""}, {"empty_patch_ids", trial.Fail, "empty patch"},
		{"error_ids", trial.Error, "error"}, // the evaluation of the patch broke (SWE-bench#472)
	} {
		for _, id := range document.At(list.name).List() {
			if err := sweBenchInstance(in, id.Text(), list.outcome, list.cause); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweBenchInstance hands out the trial of an instance. The report tells nothing of what the agent did.
func sweBenchInstance(in *record.Input, id string, outcome trial.Outcome, cause string) error {
	if id == "" {
		in.Notes.Skip("instances without an id")
		return nil
	}
	t := record.NewTrace(in, 1)
	t.Steps, t.Scenario, t.Outcome = nil, record.ValidText(id), outcome
	switch {
	case outcome == trial.Error:
		t.SetInfrastructureError(cause, "the evaluation did not end")
	case cause != "":
		t.Error = record.NewCause(cause, "")
	}
	return in.EmitTrace(t)
}
