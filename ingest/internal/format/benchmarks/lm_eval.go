package benchmarks

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// lm-evaluation-harness with --log_samples writes a line for each document and filter to samples_TASK_TIME.jsonl
// (EleutherAI/lm-evaluation-harness, evaluator.py):
//
//	{"doc_id":0,"doc":{"question":"q0"},"target":"7","arguments":{"gen_args_0":{"arg_0":"q"}},"resps":[["7"]],
//	  "filtered_resps":["7"],"filter":"strict-match","metrics":["exact_match"],"exact_match":1.0}
func showsLMEval(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool { return n.Has("doc_id", "doc", "target", "resps", "filtered_resps") })
}

// LMEval decodes the samples of lm-evaluation-harness.
var LMEval = record.Decoder{Shows: showsLMEval, Read: readLMEval}

// lmEval reads the samples of a task.
type lmEval struct {
	scorers // by metric
	task    string
	filter  string   // whose scores count, "" before the first sample
	filters []string // that there are
}

// lmEvalTask is the task in the name of a file.
var lmEvalTask = lazy.Regexp(`^samples_(.+?)_\d{4}-\d{2}-\d{2}T`)

// readLMEval makes a trial of each document. Several filters score one answer, and so are one trial: the first counts.
func readLMEval(in *record.Input) error {
	l := &lmEval{scorers: scorers{in: in}}
	if m := lmEvalTask().FindStringSubmatch(path.Base(strings.ReplaceAll(in.File, `\`, "/"))); m != nil {
		l.task = m[1]
	}
	if err := in.Records(l.sample); err != nil {
		return err
	}
	if len(l.filters) > 1 {
		in.Notes.Remark(fmt.Sprintf("several filters score each answer, of which %s counts: %s", l.filter,
			strings.Join(l.filters, ", ")))
	}
	return l.end()
}

// sample takes in a line.
func (l *lmEval) sample(n record.Node, line int) error {
	if !n.Has("doc_id", "resps") {
		l.in.Notes.Skip("lines that are no samples")
		return nil
	}
	filter := n.At("filter").Text()
	if len(l.filters) == 0 {
		l.filter = record.ValidText(filter)
	}
	if name := record.ValidText(filter); !slices.Contains(l.filters, name) && len(l.filters) < mostNames {
		l.filters = append(l.filters, name)
	}
	if record.ValidText(filter) != l.filter {
		l.in.Notes.Pass("scores of other filters")
		return nil
	}
	t := record.NewTrace(l.in, line)
	t.Scenario = record.ValidText(strings.TrimPrefix(l.task+"/"+n.At("doc_id").Text(), "/"))
	t.SetInput(n.At("arguments", "gen_args_0", "arg_0"))
	answer := n.At("filtered_resps").First()
	if text := n.At("resps").First().First(); text.IsText() {
		t.AddAnswer(record.Answer{Text: text.Text()})
	} else {
		t.Steps = nil
	}
	if answer.IsText() {
		t.Output = trial.RawString(answer.Text())
	}
	l.judge(t, n)
	return l.in.EmitTrace(t)
}

// judge takes the metric that is alone, or that the options name: 1 and 0 are a pass and a fail, all else is a score.
func (l *lmEval) judge(t *record.Trace, n record.Node) {
	var names []string
	for _, m := range n.At("metrics").List() {
		if name := m.Text(); n.Has(name) {
			names = append(names, record.ValidText(name))
			t.SetTag("metrics."+name, n.At(name))
		}
	}
	chosen, ok := l.choose(names)
	if !ok {
		return
	}
	value := n.At(chosen)
	if truth := value.Truth(); truth.Known {
		value = record.Node{Value: map[bool]string{true: "1", false: "0"}[truth.Value]}
	}
	setScore(t, value.Number())
}
