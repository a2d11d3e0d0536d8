package testreports

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Ginkgo with --json-report writes a list of suites (onsi/ginkgo, types/types.go), with durations in nanoseconds:
//
//	[{"SuiteDescription":"Cart","PreRunStats":{"TotalSpecs":1},"SpecReports":[{"ContainerHierarchyTexts":["total"],
//	  "LeafNodeType":"It","LeafNodeText":"adds","State":"passed","RunTime":1500000,"NumAttempts":2,"MaxFlakeAttempts":3,
//	  "AdditionalFailures":[{"State":"failed","Failure":{"Message":"Failure recorded during attempt 1:\n1 is not 2",
//	    "FailureNodeType":"It"}}]}]}]
func showsGinkgo(s *record.Shape) bool { return s.First().Has("SuitePath", "SuiteDescription") }

// Ginkgo decodes the JSON of Ginkgo.
var Ginkgo = record.Decoder{Shows: showsGinkgo, Read: readGinkgo}

// readGinkgo makes a trial of each run of a spec.
func readGinkgo(in *record.Input) error {
	return in.Records(func(suite record.Node, _ int) error {
		for _, reason := range texts(suite.At("SpecialSuiteFailureReasons")) {
			in.Notes.Remark("the suite failed besides its specs: " + record.ValidText(reason))
		}
		for _, n := range suite.At("SpecReports").List() {
			if err := ginkgoSpec(in, suite, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// ginkgoSpec hands out the trials of a spec, or of what surrounds all specs of a suite, if that failed.
func ginkgoSpec(in *record.Input, suite, n record.Node) error {
	node, state := n.At("LeafNodeType").Text(), n.At("State").Text()
	parts := append([]string{suite.At("SuiteDescription").Text()}, texts(n.At("ContainerHierarchyTexts"))...)
	if node != "It" {
		if state == "passed" || state == "skipped" {
			return nil
		}
		parts = append(parts, node)
	}
	t := report{name: joined(append(parts, n.At("LeafNodeText").Text())...), line: 1,
		started: stampOf(n.At("StartTime").Time())}
	if t.name == "" {
		in.Notes.Skip(record.NamelessTest)
		return nil
	}
	failure := n.At("Failure")
	t.ginkgoOutcome(node, state, failure)
	runs := n.At("NumAttempts").Index().Value
	if state == "skipped" && runs == 0 && strings.HasPrefix(failure.At("Message").Text(), ginkgoUnrun) {
		t.omission, t.outcome, t.cause = "", trial.Error, broken(notRun, failure.At("Message").Text())
	}
	if t.omission != "" {
		return t.handOut(in)
	}
	if err := t.ginkgoRuns(in, n, min(runs, mostRuns)); err != nil {
		return err
	}
	if runs <= 1 {
		t.seconds = n.At("RunTime").Amount() // of all runs together
		t.seconds.Value /= 1e9
	}
	x := record.Trace{Trial: *t.trial(in), Notes: in.Notes}
	for _, entry := range n.At("ReportEntries").List() {
		value := record.Node{Value: entry.At("Value", "AsJSON").Parsed().OrElse(entry.At("Value", "Representation")).Value}
		annotateWith(&x, "entries", record.Node{Value: map[string]any{entry.At("Name").Text(): value.Value}})
	}
	return in.EmitTrace(&x)
}

// ginkgoUnrun begins what Ginkgo says of a spec that it could not run since another one, or what sets both up, failed.
const ginkgoUnrun = "Spec skipped because a"

// ginkgoRuns hands out the runs of a spec before the last: with FlakeAttempts all of them failed, with
// MustPassRepeatedly all passed.
func (t *report) ginkgoRuns(in *record.Input, n record.Node, runs int) error {
	var failures []record.Node
	for _, f := range n.At("AdditionalFailures").List() {
		if strings.HasPrefix(f.At("Failure", "Message").Text(), ginkgoAttempt) {
			failures = append(failures, f)
		}
	}
	for i := range runs - 1 {
		before := report{name: t.name, line: t.line, outcome: trial.Pass, attempt: trial.Some(i + 1)}
		switch {
		case n.At("MaxMustPassRepeatedly").Index().Value > 0:
		case i < len(failures):
			before.ginkgoOutcome("It", failures[i].At("State").Text(), failures[i].At("Failure"))
		default:
			before.outcome = trial.Fail
		}
		if err := before.handOut(in); err != nil {
			return err
		}
	}
	if runs > 1 {
		t.attempt = trial.Some(runs)
	}
	return nil
}

// ginkgoAttempt begins the message of a failure that a further run followed.
const ginkgoAttempt = "Failure recorded during attempt "

// ginkgoOutcome sets what a state and a failure say of a run of a node. A failure in what surrounds a spec is one of
// the infrastructure, and so is an interruption.
func (t *report) ginkgoOutcome(node, state string, n record.Node) {
	message := n.At("Message").Text()
	if strings.HasPrefix(message, ginkgoAttempt) {
		_, message, _ = strings.Cut(message, "\n")
	}
	if forwarded := n.At("ForwardedPanic").Text(); forwarded != "" {
		message += ": " + forwarded
	}
	within := n.At("FailureNodeType").Text()
	if node != "It" {
		within = node
	}
	kind := strings.TrimPrefix(state, "failed")
	switch state {
	case "passed":
		t.outcome = trial.Pass
	case "skipped", "pending":
		t.omission = record.SkippedTest
	case "interrupted", "aborted":
		t.outcome, t.cause = trial.Error, broken(state, message)
	case "failed", "panicked", "timedout":
		if within != "" && within != "It" {
			t.outcome, t.cause = trial.Error, broken(within, message)
			return
		}
		t.outcome, t.cause = trial.Fail, failure(kind, message)
	default:
		t.omission = otherOutcome
	}
}
