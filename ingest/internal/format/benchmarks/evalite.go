package benchmarks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// evalite 0.19 writes the results of a run with --outputPath (dist/types.d.ts, Evalite.Exported):
//
//	{"run":{"id":1,"runType":"full"},"evals":[{"name":"notes","filepath":"/x.eval.ts","results":[{"duration":5,
//	  "input":"q","output":"a","status":"success","averageScore":1,"scores":[{"name":"same","score":1}],"traces":[]}]}]}
func showsEvalite(s *record.Shape) bool {
	n := s.First()
	return n.At("run", "runType").IsText() && n.At("evals").IsList()
}

// Evalite decodes the results of evalite.
var Evalite = record.Decoder{Shows: showsEvalite, Read: readEvalite}

// readEvalite makes a trial of each result. Those of one input are trials of a scenario.
func readEvalite(in *record.Input) error {
	s := &scorers{in: in}
	err := in.Records(func(n record.Node, line int) error {
		for _, e := range n.At("evals").List() {
			for _, result := range e.At("results").List() {
				t := record.NewTrace(in, line)
				t.SetTags("", e, "filepath")
				evaliteResult(s, t, e.At("name").Text(), result)
				if err := in.EmitTrace(t); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.end()
}

// evaliteResult reads a result. Where the task threw, the output is what it threw, and there are no scores.
func evaliteResult(s *scorers, t *record.Trace, name string, n record.Node) {
	t.Scenario = record.ValidText(name + "/" + inputName(n.At("input")))
	t.Input = n.At("input").Raw()
	t.AddTime(n.At("createdAt").Time())
	t.DurationSeconds = n.At("duration").Millis()
	for _, call := range n.At("traces").List() {
		step := t.AddAnswer(record.Answer{Usage: record.Usage{
			Input: call.At("inputTokens").Count(), Output: call.At("outputTokens").Count(),
		}})
		step.Output = call.At("output").Output()
		// Milliseconds since 1970, or since the process began (performance.now).
		if start, end := call.At("startTime").Number(), call.At("endTime").Number(); start.Known && end.Value >= start.Value {
			step.DurationSeconds = trial.Some((end.Value - start.Value) / 1000)
		}
	}
	if len(t.Steps) == 0 {
		t.Steps = nil // tasks report them or not
	}
	scores := map[string]trial.Optional[float64]{}
	var names []string
	for _, score := range n.At("scores").List() {
		name := record.ValidText(score.At("name").Text())
		names = append(names, name)
		scores[name] = score.At("score").Number()
		t.SetTag("scores."+name, score.At("score"))
	}
	switch output := n.At("output"); n.At("status").Text() {
	case "running":
		t.CutOff()
	case "fail":
		t.Outcome, t.Error = trial.Error, record.NewCause(output.At("name").Words(), output.ErrorText())
	default:
		t.Output = output.Raw()
		if name, ok := s.choose(names); ok {
			setScore(t, scores[name])
		}
	}
}
