package benchmarks

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// inspect_ai writes a log as one JSON document {version, status, eval, samples}, or
// as an archive (.eval) with a file for the log and one for each sample. A sample is
// a trial.
//
//	{"version":2,"status":"success","eval":{"task":"triage","model":"m-1","run_id":"..."},
//	 "samples":[{"id":"a","epoch":1,"input":"...","scores":{"match":{"value":"C"}},"messages":[],"events":[]}]}
//
// Logs from November 2024 to May 2025 were recorded; later members (spans, total_cost,
// invalidation) are those of inspect_ai's source.
func showsInspect(s *record.Shape) bool {
	if s.Zip {
		return isInspectEntry(firstEntry(s.Text))
	}
	n := s.First()
	return !s.Array && n.At("eval", "task").IsText() && n.Has("status")
}

// firstEntry is the name of the first file of an archive.
// The header of a file in a zip archive has 30 bytes, of which bytes 26 and 27 are the length
// of the name. The beginning of the archive may be cut anywhere, so that no zip reader helps.
func firstEntry(archive []byte) string {
	const header = 30 // bytes, then the name
	if len(archive) < header {
		return ""
	}
	n := int(binary.LittleEndian.Uint16(archive[26:]))
	return string(archive[header:min(header+n, len(archive))])
}

// isInspectEntry reports whether inspect_ai gives a file of an archive this name.
func isInspectEntry(name string) bool {
	switch name {
	case inspectHeader, inspectStart, inspectSummaries, "reductions.json":
		return true
	}
	return strings.HasPrefix(name, inspectSamples) || strings.HasPrefix(name, "_journal/")
}

// Inspect decodes inspect_ai logs, .json and .eval.
var Inspect = record.Decoder{Shows: showsInspect, Read: readInspect}

// readInspect makes a trial of each sample, of either kind of file.
func readInspect(in *record.Input) error {
	if magic, _ := in.Text.Peek(4); bytes.Equal(magic, []byte("PK\x03\x04")) {
		return readInspectArchive(in)
	}
	document, err := in.Document()
	if err != nil {
		return err
	}
	log := newInspectLog(in, document)
	samples := document.At("samples")
	if !samples.IsList() {
		return &trial.FileError{
			File: in.File, Problem: "holds no samples",
			Advice: "a log that was written without samples (log_samples) says nothing of single trials",
		}
	}
	for _, sample := range samples.List() {
		if err := log.sample(sample, 1); err != nil {
			return err
		}
	}
	return log.end()
}

// inspectLog is a log whose samples are read one after the other.
type inspectLog struct {
	scorers
	header record.Node // the log without samples
}

// newInspectLog begins a log by its header, and remarks on one that is not complete.
func newInspectLog(in *record.Input, header record.Node) *inspectLog {
	switch status := header.At("status").Text(); status {
	case "started":
		in.Notes.Remark("the evaluation had not ended when the log was written: samples may be missing")
	case "cancelled", "error":
		in.Notes.Remark("the evaluation ended early (" + status + "): samples may be missing")
	}
	return &inspectLog{scorers: scorers{in: in}, header: header}
}

// sample hands out the trial of a sample.
func (l *inspectLog) sample(n record.Node, line int) error {
	if !n.IsObject() || !n.Has("id") {
		l.in.Notes.Skip("samples without an id")
		return nil
	}
	// First of all, since messages, events and input may stand among the attachments.
	l.attach(n)
	t := record.NewTrace(l.in, line)
	eval := l.header.At("eval")
	task := eval.At("task").Text()
	// Ids of samples are their own within a task only.
	t.Scenario = record.ValidText(strings.TrimPrefix(task+"/"+n.At("id").Text(), "/"))
	t.Index = n.At("epoch").Index()
	t.Model = record.ValidText(n.At("output", "model").Text())
	if t.Model == "" {
		t.Model = record.ValidText(eval.At("model").Text())
	}
	// Retried samples keep the errors of the attempts before.
	if retries := n.At("error_retries").Length(); retries > 0 {
		t.Attempt = trial.Some(retries + 1)
	}
	// A sample that a retry took over keeps its uuid in the new log.
	if t.ID = n.At("uuid").Text(); t.ID == "" {
		if run := eval.Either("eval_id", "run_id").Text(); run != "" {
			t.ID = strings.Join([]string{run, task, n.At("id").Text(), n.At("epoch").Text()}, " ")
		}
	}
	l.tags(t, n)
	t.Input = n.At("input").Raw()
	t.LastTextIsOutput = true
	l.steps(t, n)
	l.totals(t, n)
	// The output of the sample counts more than the last answer: a solver may set it.
	if text := n.At("output", "choices").First().At("message", "content").Speech(); text != "" {
		t.Output = trial.RawString(text)
	}
	if err := l.judge(t, n); err != nil {
		return err
	}
	return l.in.EmitTrace(t)
}

// tags keeps what tells samples and runs apart.
func (l *inspectLog) tags(t *record.Trace, sample record.Node) {
	t.SetTags("eval", l.header.At("eval"), "task", "task_id", "run_id", "model", "task_args")
	t.SetTag("eval.revision.commit", l.header.At("eval", "revision", "commit"))
	// A limit is {"type": ..., "limit": ...}.
	t.SetTag("limit.type", sample.Either("limit").Either("type"))
	if limit := sample.At("limit"); limit.IsText() { // in a summary
		t.SetTag("limit.type", limit)
	}
	t.SetTag("metadata", sample.At("metadata"))
}

// totals sets time and tokens. Those of a model that only scored are not the
// system's: then the steps give the sum, see [inspectLog.steps].
func (l *inspectLog) totals(t *record.Trace, n record.Node) {
	t.AddTime(n.At("started_at").Time())
	// The total time leaves out nothing of the sample; where it is missing the times tell.
	if t.DurationSeconds = n.At("total_time").Amount(); !t.DurationSeconds.Known {
		t.AddTime(n.At("completed_at").Time())
	}
	if t.InputTokens.Known || t.OutputTokens.Known {
		return
	}
	for _, u := range n.At("model_usage").Members() {
		t.AddTotals(inspectUsage(u))
	}
}

// inspectUsage reads the tokens of one model. Whether the input is with cached tokens depends on the version, and
// whether the output is with reasoning on the provider, which xAI's is not (inspect_ai#5528); the total tells.
func inspectUsage(u record.Node) record.Usage {
	input, output := u.At("input_tokens").Count(), u.At("output_tokens").Count()
	cached, writes := u.At("input_tokens_cache_read").Count(), u.At("input_tokens_cache_write").Count()
	total, thought := u.At("total_tokens").Count(), u.At("reasoning_tokens").Count()
	if all := record.Plus(input, output, thought); thought.Value > 0 && total.Known && output.Known &&
		(total == all || total == record.Plus(all, cached, writes)) && total != record.Plus(input, cached, writes, output) {
		record.Add(&output, thought)
	}
	inclusive := total.Known && input.Known && output.Known && total.Value == input.Value+output.Value
	if input.Known && !inclusive {
		input = record.Plus(input, cached, writes)
	}
	return record.Usage{
		Input: input, Output: output, Cost: u.At("total_cost").Amount(), Cached: cached, Writes: writes,
	}
}
