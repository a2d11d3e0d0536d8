package ingest

import "strings"

// Langfuse exports a trace with its observations, which are spans that it has already
// read: their input, output, model and usage stand beside the attributes.

func showsLangfuse(s *shape) bool {
	return s.any(func(n node) bool {
		t := n.at("trace")
		if t.has("id", "timestamp") && (n.has("observations") || t.has("projectId") || t.has("observations")) {
			return true
		}
		return n.has("id", "timestamp", "observations") && (n.has("projectId") || n.has("htmlPath") || n.at("observations").isList())
	})
}

func readLangfuse(in *input) error {
	return in.records(func(n node, line int) error {
		switch {
		case n.at("data").isList() && n.has("meta"): // a page of the API
			for _, inner := range n.at("data").list() {
				if err := readLangfuseTrace(in, inner, line); err != nil {
					return err
				}
			}
			return nil
		default:
			return readLangfuseTrace(in, n, line)
		}
	})
}

// readLangfuseTrace reads one trace: {"trace":{...},"observations":[...]}, as the user
// interface exports it, or with the observations inside, as the API does.
func readLangfuseTrace(in *input, n node, line int) error {
	head := n.at("trace")
	if !head.isObject() {
		head = n
	}
	rows := n.at("observations")
	if !rows.isList() {
		rows = head.at("observations")
	}
	if !rows.isList() {
		in.notes.skip("objects that are no trace with its observations")
		return nil
	}
	var spans []*span
	for _, row := range rows.list() {
		if row.isObject() {
			spans = append(spans, langfuseSpan(row))
		}
	}
	tree := newSpanTree(spans, nil)
	tree.line = line
	if len(spans) == 0 {
		in.notes.skip("traces without their observations")
		return nil
	}
	tree.langfuseTools()
	return in.emitTrace(tree.langfuseTrial(in, head))
}

// langfuseTrial adds what the head of the export says to the trial.
func (t *spanTree) langfuseTrial(in *input, head node) *trace {
	x := t.trial(in, langfuseScores(head, t.root())...)
	x.setTags("", head, "id", "name", "sessionId", "userId", "release", "version", "environment")
	x.setTag("tags", head.at("tags"))
	for name, value := range head.at("metadata").parsed().members() {
		if name != "attributes" && name != "resourceAttributes" && name != "scope" {
			x.setTag("metadata."+name, value)
		}
	}
	if task := taskNamed(x); task != "" {
		x.Scenario = task
	} else if name := withoutIDs(validText(head.at("name").text())); name != "" {
		x.Scenario = name
	}
	t.langfuseTexts(x, head)
	return x
}

// langfuseTexts takes the input and output that the trace itself names, where they
// are texts or messages.
func (t *spanTree) langfuseTexts(x *trace, head node) {
	input, output := head.at("input").parsed(), head.at("output").parsed()
	switch text := firstOfUser(messagesIn(input)); {
	case text != "":
		x.Input = rawText(text)
	case input.isText() && !strings.HasPrefix(input.text(), "{"):
		x.Input = rawText(input.text())
	case x.Input == nil && input.exists():
		x.Input = rawText(plainRequest(input))
	}
	switch {
	case output.isText():
		x.Output = rawText(output.text())
	case x.Output == nil && output.exists():
		last := &span{output: output}
		x.Output = rawText(last.finalText())
	}
}

// langfuseScores returns the scores of the trace, without those of a part of it.
func langfuseScores(head node, root *span) (verdicts []spanVerdict) {
	for _, s := range head.at("scores").list() {
		if part := s.at("observationId").text(); part != "" && part != root.id {
			continue
		}
		v := spanVerdict{name: s.at("name").text(), label: s.at("stringValue").text(), explanation: s.at("comment").text()}
		v.tag = "scores." + v.name
		switch value := s.at("value"); s.at("dataType").text() {
		case "BOOLEAN":
			v.truth, v.label = value.truth(), ""
			if c := value.count(); c.Known && c.Value <= 1 {
				v.truth.Known, v.truth.Value = true, c.Value == 1
			}
		case "CATEGORICAL":
			if v.label == "" && value.isText() {
				v.label = value.text()
			}
		default:
			v.score = value.number()
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}
