package benchmarks

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// deepeval keeps a test run in .deepeval/.latest_run_full.json, and below testRunData in
// .latest_test_run.json; a folder of results holds the like:
//
//	{"testCases":[{"name":"refund","input":"...","actualOutput":"...","success":false,"order":0,
//	   "metricsData":[{"name":"Faithfulness","threshold":0.7,"success":false,"score":0.4,"reason":"..."}],
//	   "toolsCalled":[{"name":"find","inputParameters":{},"output":"..."}],"tokenCost":0.01,"completionTime":2.5,
//	   "trace":{...}}],
//	 "conversationalTestCases":[{"name":"...","turns":[...],...}],"metricsScores":[...],"testPassed":0}
//
// The metrics of versions before 1.0 are called metricsMetadata.
func showsDeepEval(s *record.Shape) bool {
	n := s.First()
	if run := n.At("testRunData"); run.IsObject() {
		n = run
	}
	if s.Array || !n.At("testCases").IsList() && !n.At("conversationalTestCases").IsList() {
		return false
	}
	for _, list := range []record.Node{n.At("testCases"), n.At("conversationalTestCases")} {
		if first := list.First(); first.Exists() {
			return deepEvalMetrics(first).IsList() || first.Has("name") && (first.Has("actualOutput") || first.Has("turns"))
		}
	}
	return n.Has("metricsScores") || n.Has("testPassed")
}

// deepEvalMetrics are what the metrics say of a case.
func deepEvalMetrics(n record.Node) record.Node { return n.Either("metricsData", "metricsMetadata") }

// DeepEval decodes test runs of deepeval.
var DeepEval = record.Decoder{
	Shows: showsDeepEval, Read: readDeepEval,
	Empty: "holds no test cases", Hint: "the file that is written when the run has ended holds all of them",
}

// readDeepEval makes a trial of each test case.
func readDeepEval(in *record.Input) error {
	tests := testNames{}
	return in.Records(func(n record.Node, line int) error {
		run := n
		if n.At("testRunData").IsObject() {
			run = n.At("testRunData")
		}
		cases := append(run.At("testCases").List(), run.At("conversationalTestCases").List()...)
		if len(cases) == 0 && !run.Has("testCases") && !run.Has("conversationalTestCases") {
			in.Notes.Skip(record.NoResults)
		}
		for _, c := range cases {
			if !c.IsObject() {
				in.Notes.Skip(record.NoObject)
				continue
			}
			if err := readDeepEvalCase(in, run, c, tests, line); err != nil {
				return err
			}
		}
		return nil
	})
}

// readDeepEvalCase makes the trial of a test case. What the evaluation took, its duration and
// its cost, is not the agent's.
func readDeepEvalCase(in *record.Input, run, c record.Node, tests testNames, line int) error {
	t := record.NewTrace(in, line)
	// Cases of one test function share its name, and may be about several inputs.
	if name := c.At("name").Text(); name != "" {
		t.Scenario = record.ValidText(tests.name(name, string(c.Either("input", "scenario").Raw())))
	}
	t.SetTags("", run, "testFile", "identifier", "datasetAlias")
	t.SetTags("", c, "tags", "comments", "flaky")
	t.SetTag("metadata", c.Either("metadata", "additionalMetadata"))
	t.SetTag("hyperparameters", run.At("hyperparameters"))
	t.DurationSeconds = c.Either("completionTime", "latency").Amount()
	t.SetInput(c.At("input"))
	switch trace := c.At("trace"); {
	case c.At("turns").IsList():
		t.SetInput(c.At("scenario"))
		addDeepEvalTurns(t, c.At("turns").List())
	case hasDeepEvalSpans(trace):
		addDeepEvalTrace(t, trace)
	case c.At("toolsCalled").IsList():
		addDeepEvalTools(t, c.At("toolsCalled").List())
		t.AddAnswer(record.Answer{Text: c.At("actualOutput").Words()})
	default:
		t.Steps = nil
	}
	if output := c.At("actualOutput"); output.Words() != "" {
		t.Output = output.Raw()
	}
	if cost := c.Either("tokenCost", "cost").Amount(); cost.Known {
		t.CostUSD = cost
	}
	judgeDeepEval(in, t, c)
	return in.EmitTrace(t)
}

// judgeDeepEval reads the verdict of the metrics, or of the one that was chosen. A metric that
// could not be measured says nothing of the agent.
func judgeDeepEval(in *record.Input, t *record.Trace, c record.Node) {
	var failed, broken []string // what metrics that count say
	metrics := deepEvalMetrics(c).List()
	verdict := c.At("success").Truth()
	found := in.Options.Scorer == ""
	for _, m := range metrics {
		name := m.Either("name", "metric").Text()
		t.SetTag("metrics."+name, m.At("score"))
		if chosen := in.Options.Scorer; chosen != "" {
			if !strings.EqualFold(name, chosen) {
				continue
			}
			found, verdict = true, m.At("success").Truth()
		}
		if len(metrics) == 1 || in.Options.Scorer != "" {
			t.Score = m.At("score").Number()
		}
		switch said := name; {
		case m.At("flaky").IsTrue() && in.Options.Scorer == "": // it never decides
		case m.At("error").ErrorText() != "":
			broken = append(broken, said+": "+m.At("error").ErrorText())
		case m.At("success").Exists() && !m.At("success").IsTrue():
			if reason := m.At("reason").Words(); reason != "" {
				said += ": " + reason
			}
			failed = append(failed, said)
		}
	}
	switch {
	case t.Outcome == trial.Error: // the model of the agent was not to be had
	case !found:
		in.Notes.Remark(fmt.Sprintf("no metric is called %q", in.Options.Scorer))
	case len(broken) > 0 && len(failed) == 0:
		t.SetInfrastructureError("metric", strings.Join(broken, "; "))
	case verdict.Known && verdict.Value:
		t.Outcome = trial.Pass
	case verdict.Known:
		t.Outcome = trial.Fail
		if len(failed) > 0 {
			t.Error = record.NewCause("metric", strings.Join(failed, "; "))
		}
	}
}

// addDeepEvalTools adds the calls of a case that says nothing else of its steps.
func addDeepEvalTools(t *record.Trace, calls []record.Node) {
	for _, c := range calls {
		tool := c.At("name")
		if c.IsText() { // of versions that knew names alone
			tool = c
		}
		step := t.AddEndedCall(record.Call{
			Tool: tool.Text(), Arguments: c.Either("inputParameters", "input_parameters", "input"),
		})
		step.Output = c.At("output").Raw()
	}
}

// addDeepEvalTurns adds the turns of a conversation.
func addDeepEvalTurns(t *record.Trace, turns []record.Node) {
	t.LastTextIsOutput = true
	for _, turn := range turns {
		switch turn.At("role").Text() {
		case "user":
			t.SetInput(turn.At("content"))
		case "assistant":
			addDeepEvalTools(t, turn.Either("toolsCalled", "tools_called").List())
			t.AddAnswer(record.Answer{Text: turn.At("content").Words()})
		default:
			t.Notes.Skip(record.UnknownRole)
		}
	}
}
