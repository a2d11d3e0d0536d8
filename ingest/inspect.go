package ingest

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// inspect_ai writes a log as one JSON document {version, status, eval, samples}, or
// as an archive (.eval) with a file for the log and one for each sample. A sample is
// a trial.
func showsInspect(s *shape) bool {
	if s.zip {
		return isInspectEntry(firstEntry(s.text))
	}
	n := s.first()
	return !s.array && n.at("eval", "task").isText() && n.has("status")
}

// firstEntry is the name of the first file of an archive.
func firstEntry(archive []byte) string {
	const header = 30 // bytes, then the name
	if len(archive) < header {
		return ""
	}
	n := int(binary.LittleEndian.Uint16(archive[26:]))
	return string(archive[header:min(header+n, len(archive))])
}

func isInspectEntry(name string) bool {
	switch name {
	case inspectHeader, inspectStart, inspectSummaries, "reductions.json":
		return true
	}
	return strings.HasPrefix(name, inspectSamples) || strings.HasPrefix(name, "_journal/")
}

func readInspect(in *input) error {
	if magic, _ := in.text.Peek(4); bytes.Equal(magic, []byte("PK\x03\x04")) {
		return readInspectArchive(in)
	}
	document, err := in.document()
	if err != nil {
		return err
	}
	log := newInspectLog(in, document)
	samples := document.at("samples")
	if !samples.isList() {
		return &trial.FileError{
			File: in.file, Problem: "holds no samples",
			Advice: "a log that was written without samples (log_samples) says nothing of single trials",
		}
	}
	for _, sample := range samples.list() {
		if err := log.sample(sample, 1); err != nil {
			return err
		}
	}
	return log.end()
}

// inspectLog is a log whose samples are read one after the other.
type inspectLog struct {
	in     *input
	header node // the log without samples
	scores []string
	scored bool // the scorer of the options was seen
}

func newInspectLog(in *input, header node) *inspectLog {
	switch status := header.at("status").text(); status {
	case "started":
		in.notes.remark("the evaluation had not ended when the log was written: samples may be missing")
	case "cancelled", "error":
		in.notes.remark("the evaluation ended early (" + status + "): samples may be missing")
	}
	return &inspectLog{in: in, header: header}
}

// sample hands out the trial of a sample.
func (l *inspectLog) sample(n node, line int) error {
	if !n.isObject() || !n.has("id") {
		l.in.notes.skip("samples without an id")
		return nil
	}
	l.attach(n)
	t := newTrace(l.in, line)
	eval := l.header.at("eval")
	task := eval.at("task").text()
	t.Scenario = validText(strings.TrimPrefix(task+"/"+n.at("id").text(), "/"))
	t.Index = n.at("epoch").index()
	t.Model = validText(n.at("output", "model").text())
	if t.Model == "" {
		t.Model = validText(eval.at("model").text())
	}
	if retries := n.at("error_retries").length(); retries > 0 {
		t.Attempt = trial.Some(retries + 1)
	}
	l.tags(t, n)
	t.Input = n.at("input").raw()
	t.lastTextIsOutput = true
	l.steps(t, n)
	l.totals(t, n)
	if text := n.at("output", "choices").first().at("message", "content").speech(); text != "" {
		t.Output = trial.RawString(text)
	}
	if err := l.judge(t, n); err != nil {
		return err
	}
	return l.in.emitTrace(t)
}

// tags keeps what tells samples and runs apart.
func (l *inspectLog) tags(t *trace, sample node) {
	t.setTags("eval", l.header.at("eval"), "task", "task_id", "run_id", "model", "task_args")
	t.setTag("eval.revision.commit", l.header.at("eval", "revision", "commit"))
	t.setTag("limit.type", sample.either("limit").either("type"))
	if limit := sample.at("limit"); limit.isText() { // in a summary
		t.setTag("limit.type", limit)
	}
	t.setTag("metadata", sample.at("metadata"))
}

// totals sets time and tokens. Those of a model that only scored are not the
// system's: then the steps give the sum, see [inspectLog.steps].
func (l *inspectLog) totals(t *trace, n node) {
	t.addTime(n.at("started_at").time())
	if t.DurationSeconds = n.at("total_time").amount(); !t.DurationSeconds.Known {
		t.addTime(n.at("completed_at").time())
	}
	if t.InputTokens.Known || t.OutputTokens.Known {
		return
	}
	for _, u := range n.at("model_usage").members() {
		t.addTotals(inspectUsage(u))
	}
}

// inspectUsage reads the tokens of one model. Whether the input is with cached tokens
// depends on the version; the total tells.
func inspectUsage(u node) usage {
	input, output := u.at("input_tokens").count(), u.at("output_tokens").count()
	cached := plus(u.at("input_tokens_cache_read").count(), u.at("input_tokens_cache_write").count())
	total := u.at("total_tokens").count()
	inclusive := total.Known && input.Known && output.Known && total.Value == input.Value+output.Value
	if input.Known && !inclusive {
		input = plus(input, cached)
	}
	return usage{input: input, output: output, cost: u.at("total_cost").amount()}
}
