package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/sse"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// event is a part of a stream.
type event struct {
	raw   []byte // as it came, with its end; nil of one that is written anew
	name  string // of its field event; "" is none
	value object // nil of what is no object
}

// stream passes the events of a body, and holds them back from the first that has a call until all calls are whole.
type stream struct {
	body  io.ReadCloser
	form  form
	judge judge

	ends sse.Ends
	in   []byte // of an event that is not whole
	seen int    // of it, bytes in which it does not end
	held []event
	size int    // of what is held
	less bool   // a newline that comes next is of an event that was rewritten
	out  []byte // to be read
	err  error
}

func newStream(body io.ReadCloser, f form, j judge) *stream {
	return &stream{body: body, form: f, judge: j}
}

// Close closes the body.
func (s *stream) Close() error { return s.body.Close() }

// maxEvents bounds the events that are held back: read, each takes more than its bytes.
const maxEvents = 50_000

// errLong ends a stream of which a guard cannot hold back more.
var errLong = fmt.Errorf("%w: the stream has more than the %d bytes, or %d events, that a guard holds back",
	wire.ErrWithheld, maxAnswerBytes, maxEvents)

// Read reads what may pass.
func (s *stream) Read(into []byte) (int, error) {
	part := make([]byte, 32<<10)
	for len(s.out) == 0 && s.err == nil {
		n, err := s.body.Read(part)
		s.in = append(s.in, part[:n]...)
		s.cut()
		if err != nil && s.err == nil {
			if len(s.in) > 0 {
				s.take(s.in)
				s.in = nil
			}
			if s.err == nil {
				s.release()
			}
		}
		switch {
		case s.err != nil:
		case err != nil:
			s.err = err
		case len(s.in)+s.size > maxAnswerBytes, len(s.held) > maxEvents:
			s.err = errLong
		}
	}
	n := copy(into, s.out)
	if s.out = s.out[n:]; len(s.out) > 0 || n > 0 && s.err == nil {
		return n, nil
	}
	return n, s.err
}

// cut takes the events that have come whole.
func (s *stream) cut() {
	for s.err == nil {
		end := s.end()
		if end < 0 {
			return
		}
		s.take(s.in[:end:end])
		s.in, s.seen = s.in[end:], 0
	}
}

// end is where the first event ends; -1: it is not whole.
func (s *stream) end() int {
	rest := s.in[s.seen:]
	if s.form.lines {
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return s.seen + n + 1
		}
	} else if n, ended := s.ends.Next(rest); ended {
		return s.seen + n
	}
	s.seen = len(s.in)
	return -1
}

// take passes an event, or holds it back. One that is not read ends the stream.
func (s *stream) take(raw []byte) {
	if dialect.Excessive(raw) {
		s.err = errExcessive
		return
	}
	if s.less {
		raw, s.less = bytes.TrimPrefix(raw, []byte{'\n'}), false
	}
	e, err := s.read(raw)
	if err != nil {
		s.err = err
		return
	}
	if len(s.held) == 0 && (e.value == nil || !s.form.begins(e.value)) {
		s.out = append(s.out, raw...)
		return
	}
	e.raw = bytes.Clone(raw)
	s.held, s.size = append(s.held, e), s.size+len(raw)
	if e.value != nil && s.form.ends(e.value) {
		s.release()
	}
}

// read reads an event. One of which a client may read something else is an error.
func (s *stream) read(raw []byte) (e event, err error) {
	if otherLine(raw) {
		return e, errNoEvent
	}
	text := raw
	if !s.form.lines {
		lines := strings.ReplaceAll(strings.TrimPrefix(string(raw), "\ufeff"), "\r", "\n")
		for line := range strings.SplitSeq(lines, "\n") {
			switch name, value, _ := strings.Cut(line, ":"); name {
			case "event":
				e.name = strings.TrimPrefix(value, " ")
			case "", "data", "id", "retry":
			default:
				return e, errNoEvent
			}
		}
		text = []byte(strings.Join(sse.Events(raw), "\n")) // one, or none
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return e, nil
	}
	if !valid(text) {
		return e, errUnread
	}
	var ok bool
	if e.value, ok = decoded(text).(object); !ok {
		return e, errNoForm
	}
	if err := s.form.partShape.check("event", e.value); err != nil {
		return e, unread(err)
	}
	return e, nil
}

// otherLine reports whether data, or an object, stand behind what ends a line for some clients, such as those that
// split lines as Python does, and not by the standard.
func otherLine(raw []byte) bool {
	for i, b := range raw {
		at := i + 1
		switch {
		case b == '\v', b == '\f', b >= 0x1c && b <= 0x1e:
		case b == 0xc2 && bytes.HasPrefix(raw[i:], []byte("\u0085")):
			at = i + 2
		case b == 0xe2 && (bytes.HasPrefix(raw[i:], []byte("\u2028")) || bytes.HasPrefix(raw[i:], []byte("\u2029"))):
			at = i + 3
		default:
			continue
		}
		rest := bytes.TrimLeft(raw[at:], " \t\ufeff")
		if bytes.HasPrefix(rest, []byte("data")) || bytes.HasPrefix(rest, []byte("{")) {
			return true
		}
	}
	return false
}

// errNoEvent ends a stream with lines that are of no event, such as JSON that some client takes for one.
var errNoEvent = unread(errors.New("the stream has a line that is of no event"))

// release judges what is held back, and passes what may pass.
func (s *stream) release() {
	if len(s.held) == 0 {
		return
	}
	last := s.held[len(s.held)-1].raw
	if s.form.broken != nil && s.form.broken(s.held) {
		s.err = errBroken
		return
	}
	events, changed := s.form.parts(s.held, s.judge)
	if !changed {
		events = s.held
	}
	kept := len(events) > 0 && events[len(events)-1].raw != nil
	s.less = !kept && bytes.HasSuffix(last, []byte{'\r'})
	for _, e := range events {
		s.out = append(s.out, s.write(e)...)
	}
	s.held, s.size = nil, 0
}

// errBroken ends a stream with a call that nobody can judge.
var errBroken = unread(errors.New("the stream has parts of a call, and not the whole"))

// write is an event as it came, or as it was rewritten.
func (s *stream) write(e event) []byte {
	switch {
	case e.raw != nil:
		return e.raw
	case s.form.lines:
		return append(encoded(e.value), '\n')
	}
	var b bytes.Buffer
	if e.name != "" {
		b.WriteString("event: " + e.name + "\n")
	}
	b.WriteString("data: ")
	b.Write(encoded(e.value))
	b.WriteString("\n\n")
	return b.Bytes()
}

// always is the end of calls that are whole in each event.
func always(object) bool { return true }

// eachWhole judges events that have whole calls.
func eachWhole(whole func(object, judge) bool) func([]event, judge) ([]event, bool) {
	return func(events []event, j judge) (all []event, changed bool) {
		for _, e := range events {
			if e.value != nil && whole(e.value, j) {
				e.raw, changed = nil, true
			}
			all = append(all, e)
		}
		return all, changed
	}
}

// number is a whole number; 0 where there is none.
func number(value any) int64 {
	n, _ := value.(json.Number)
	i, _ := n.Int64()
	return i
}

func chatBegins(event object) bool {
	for _, c := range objects(list(event, "choices")) {
		d := member(c, "delta")
		if len(list(d, "tool_calls")) > 0 || d["function_call"] != nil {
			return true
		}
	}
	return false
}

func chatEnds(event object) bool {
	for _, c := range objects(list(event, "choices")) {
		if word(c, "finish_reason") != "" {
			return true
		}
	}
	return false
}

// place is a call's in a stream of choices; a call in the older form is at -1.
type place struct{ choice, index int64 }

// inParts is a call that comes in parts.
type inParts struct {
	at                    place
	name, arguments, text string
	names                 []string // of the parts: some clients join them, and others take one
}

// add adds a part.
func (p *inParts) add(name, arguments string) {
	p.name, p.arguments = p.name+name, p.arguments+arguments
	if name != "" && !slices.Contains(p.names, name) && len(p.names) < mostNames {
		p.names = append(p.names, name)
	}
}

// mostNames bounds the names of a call that are judged one by one: no server sends a name in as many parts.
const mostNames = 16

// judge judges the call by each of its names.
func (p *inParts) judge(j judge) (why string) {
	if why = j(p.name, p.arguments); why != "" {
		return why
	}
	for _, name := range p.names {
		if name != p.name && why == "" {
			why = j(name, p.arguments)
		}
	}
	return why
}

// chatCalls are the calls of a stream in their order, and their parts get the indices that they are told apart by: one
// without an index is of the call before, or begins one with its id; one with another id begins one, whatever its
// index.
func chatCalls(events []event) (all []*inParts) {
	byPlace, ids, last := map[place]*inParts{}, map[place]string{}, map[int64]int64{}
	merged := map[int64]bool{} // several calls came under one index
	get := func(p place) *inParts {
		if byPlace[p] == nil {
			byPlace[p] = &inParts{at: p}
			all = append(all, byPlace[p])
		}
		return byPlace[p]
	}
	eachDelta(events, func(_ int, choice, d object) {
		for _, part := range objects(list(d, "tool_calls")) {
			n := number(choice["index"])
			at, id := place{n, number(part["index"])}, word(part, "id")
			if part["index"] == nil && id == "" {
				at.index = last[n]
			}
			for id != "" && byPlace[at] != nil && ids[at] != "" && ids[at] != id {
				at.index++
			}
			if id == "" && part["index"] != nil && last[n] > at.index && ids[at] != "" && merged[n] {
				at.index = last[n]
			}
			if id != "" {
				ids[at] = id
			}
			merged[n] = merged[n] || at.index != number(part["index"])
			last[n] = at.index
			part["index"] = json.Number(strconv.FormatInt(at.index, 10))
			get(at).add(functionOf(part))
		}
		if f := member(d, "function_call"); f != nil {
			get(place{number(choice["index"]), -1}).add(word(f, "name"), written(f["arguments"]))
		}
	})
	return all
}

// eachDelta visits what is new in each event.
func eachDelta(events []event, visit func(at int, choice, delta object)) {
	for i, e := range events {
		for _, c := range objects(list(e.value, "choices")) {
			visit(i, c, member(c, "delta"))
		}
	}
}

func chatParts(events []event, j judge) (_ []event, changed bool) {
	all := chatCalls(events)
	denied, moved, left := map[place]string{}, map[place]int64{}, map[int64]int64{}
	for _, c := range all {
		if why := c.judge(j); why != "" {
			denied[c.at], changed = why, true
			continue
		}
		moved[c.at] = left[c.at.choice]
		left[c.at.choice]++
	}
	if !changed {
		return events, false
	}
	told := map[place]bool{}
	tell := func(p place, d object) {
		if !told[p] {
			d["content"], told[p] = added(d["content"], denied[p]), true
		}
	}
	eachDelta(events, func(at int, choice, d object) {
		events[at].raw = nil
		n := number(choice["index"])
		var kept []any
		for _, part := range objects(list(d, "tool_calls")) {
			p := place{n, number(part["index"])}
			if denied[p] != "" {
				tell(p, d)
				continue
			}
			part["index"] = moved[p]
			kept = append(kept, part)
		}
		if delete(d, "tool_calls"); kept != nil { // there may be no delta, as in Azure's notes on filters
			d["tool_calls"] = kept
		}
		if p := (place{n, -1}); d["function_call"] != nil && denied[p] != "" {
			tell(p, d)
			delete(d, "function_call")
		}
		if f := word(choice, "finish_reason"); left[n] == 0 && (f == "tool_calls" || f == "function_call") {
			choice["finish_reason"] = "stop"
		}
	})
	return events, true
}

func messagesBegins(event object) bool {
	return word(event, "type") == "content_block_start" && isToolUse(member(event, "content_block"))
}

func messagesEnds(event object) bool { return word(event, "type") == "message_delta" }

func messagesParts(events []event, j judge) (rewritten []event, changed bool) {
	blocks := map[int64]*inParts{}
	owners := make([]*inParts, len(events)) // which of several that a server sends under one index; nil: of no call
	var all []*inParts
	for at, e := range events {
		i := number(e.value["index"])
		switch {
		case e.value == nil:
		case word(e.value, "type") == "content_block_start" && !messagesBegins(e.value):
			delete(blocks, i)
		case messagesBegins(e.value):
			b := member(e.value, "content_block")
			blocks[i] = &inParts{at: place{index: i}, name: word(b, "name")}
			if input := member(b, "input"); len(input) > 0 {
				blocks[i].arguments = written(input)
			}
			all = append(all, blocks[i])
		case blocks[i] != nil && word(e.value, "type") == "content_block_delta":
			blocks[i].arguments += word(member(e.value, "delta"), "partial_json")
		}
		if strings.HasPrefix(word(e.value, "type"), "content_block_") {
			owners[at] = blocks[i]
		}
	}
	left := 0
	for _, b := range all {
		if b.text = j(b.name, b.arguments); b.text == "" {
			left++
		}
		changed = changed || b.text != ""
	}
	for at, e := range events {
		b := owners[at]
		gone := b != nil && b.text != ""
		switch kind := word(e.value, "type"); {
		case gone && kind == "content_block_start":
			e.raw, e.value["content_block"] = nil, object{"type": "text", "text": ""}
			said := object{"type": "text_delta", "text": b.text}
			delta := object{"type": "content_block_delta", "index": e.value["index"], "delta": said}
			rewritten = append(rewritten, e, event{name: "content_block_delta", value: delta})
			continue
		case gone && kind == "content_block_delta":
			continue
		case kind == "message_delta" && left == 0 && changed:
			if d := member(e.value, "delta"); word(d, "stop_reason") == "tool_use" {
				e.raw, d["stop_reason"] = nil, "end_turn"
			}
		}
		rewritten = append(rewritten, e)
	}
	return rewritten, changed
}

// responsesBegins has any event with an item that is a call, or with parts of its arguments: a server need not tell
// that one was added before it is done.
func responsesBegins(event object) bool {
	return isCall(member(event, "item")) || ofArguments(event) || responsesEnds(event) ||
		slices.ContainsFunc(objects(list(member(event, "response"), "output")), isCall)
}

// ofArguments reports whether an event has parts of the arguments of a call that the agent makes.
func ofArguments(event object) bool {
	kind := word(event, "type")
	return strings.HasPrefix(kind, "response.function_call_arguments.") ||
		strings.HasPrefix(kind, "response.custom_tool_call_input.")
}

func responsesEnds(event object) bool {
	return member(event, "response")["output"] != nil && isLast(event)
}

// responsesBroken reports whether there are parts of a call that nowhere stands whole.
func responsesBroken(events []event) bool {
	whole := map[string]bool{}
	for _, e := range events {
		items := objects(list(member(e.value, "response"), "output"))
		if word(e.value, "type") == "response.output_item.done" {
			items = append(items, member(e.value, "item"))
		}
		for _, item := range items {
			whole[keyOf(item)] = whole[keyOf(item)] || isCall(item)
		}
	}
	return slices.ContainsFunc(events, func(e event) bool {
		item := member(e.value, "item")
		return ofArguments(e.value) && !whole[word(e.value, "item_id")] || isCall(item) && !whole[keyOf(item)]
	})
}

// isLast reports whether an event has the whole answer.
func isLast(event object) bool {
	switch word(event, "type") {
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		return true
	}
	return false
}

func responsesParts(events []event, j judge) (rewritten []event, changed bool) {
	denied := map[string]string{} // by the ids of items
	judged := map[string]bool{}
	look := func(item object) {
		if !isCall(item) {
			return
		}
		id := keyOf(item)
		name, arguments := itemCall(item)
		whole := fmt.Sprintf("%q %q %q", id, name, arguments)
		if judged[whole] { // it stands in the last event again
			return
		}
		judged[whole] = true
		if why := judgeItem(item, j); why != "" {
			denied[id], changed = why, true
		}
	}
	for _, e := range events { // an item that is done has its arguments
		if word(e.value, "type") == "response.output_item.done" {
			look(member(e.value, "item"))
		}
	}
	for _, e := range events {
		for _, item := range objects(list(member(e.value, "response"), "output")) {
			look(item)
		}
	}
	if !changed {
		return events, false
	}
	for _, e := range events {
		rewritten = append(rewritten, responsesEvents(e, denied)...)
	}
	return rewritten, true
}

// keyOf tells an item from others.
func keyOf(item object) string {
	if id := word(item, "id"); id != "" {
		return id
	}
	return word(item, "call_id")
}

// responsesEvents are what stands in the place of an event.
func responsesEvents(e event, denied map[string]string) []event {
	item := member(e.value, "item")
	id := keyOf(item)
	if id == "" {
		id = word(e.value, "item_id")
	}
	why := denied[id]
	if id == "" && item == nil {
		why = ""
	}
	switch kind := word(e.value, "type"); {
	case len(list(member(e.value, "response"), "output")) > 0:
		output := list(member(e.value, "response"), "output")
		for i, one := range output {
			item, _ := one.(object)
			if why := denied[keyOf(item)]; why != "" && isCall(item) {
				output[i], e.raw = said(item, why, "completed"), nil
			}
		}
	case why == "":
	case kind == "response.output_item.added":
		return saidParts(e, item, why)
	case kind == "response.output_item.done":
		e.raw, e.value["item"] = nil, said(item, why, "completed")
	default:
		return nil // parts of its arguments
	}
	return []event{e}
}

// saidParts are the events of a text in the place of a call's first.
func saidParts(e event, item object, why string) []event {
	part := func(text string) object { return object{"type": "output_text", "text": text, "annotations": []any{}} }
	newEvent := func(kind string, more object) event {
		more["type"], more["item_id"], more["content_index"] = kind, "msg_"+word(item, "id"), json.Number("0")
		more["output_index"], more["sequence_number"] = e.value["output_index"], e.value["sequence_number"]
		return event{name: kind, value: more}
	}
	e.raw, e.value["item"] = nil, said(item, "", "in_progress")
	return []event{
		e,
		newEvent("response.content_part.added", object{"part": part("")}),
		newEvent("response.output_text.delta", object{"delta": why}),
		newEvent("response.output_text.done", object{"text": why}),
		newEvent("response.content_part.done", object{"part": part(why)}),
	}
}
