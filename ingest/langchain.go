package ingest

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

func showsLangChain(s *shape) bool {
	return s.any(func(n node) bool {
		return isChainMessage(n) && !n.has("role") || isChainEvent(n) || len(stateMessages(n)) > 0 && isChainMessage(stateMessages(n)[0]) || isChainUpdate(n)
	})
}

func isChainEvent(n node) bool {
	return strings.HasPrefix(n.at("event").words(), "on_") && n.has("run_id", "data")
}

// stateMessages returns the messages of a LangGraph state, also of a snapshot.
func stateMessages(n node) []node {
	if n.at("messages").isList() {
		return n.at("messages").list()
	}
	return n.at("values", "messages").list()
}

// isChainUpdate reports whether n is what nodes of a graph changed, with a message.
func isChainUpdate(n node) bool {
	found := false
	for _, change := range n.members() {
		if change.exists() && !change.isObject() && !change.isList() {
			return false
		}
		messages := updateMessages(change)
		found = found || len(messages) > 0 && isChainMessage(messages[0])
	}
	return found
}

// updateMessages returns the messages of the change that a node made.
func updateMessages(change node) (messages []node) {
	for _, c := range change.list() {
		messages = append(messages, updateMessages(c)...)
	}
	if m := change.at("messages"); m.isList() {
		return m.list()
	} else if m.isObject() {
		return []node{m}
	}
	return messages
}

// chains reads what LangChain and LangGraph write.
type chains struct {
	in     *input
	state  *chainState
	stream *chainStream
	events chainEvents
}

// chainState is the messages of a trial: a list, or the state of a graph.
type chainState struct {
	line     int
	node     node // with what else the state holds
	messages []chainMessage
	marks    []string
}

// chainStream is a trial that comes message by message.
type chainStream struct {
	trace *trace
	ids   map[string]bool
}

// readLangChain reads lists of messages and states, each a trial unless it goes on
// with the one before; the updates of a graph, or messages one a line, as one trial;
// and events, a trial for each outermost run.
func readLangChain(in *input) error {
	c := &chains{in: in, events: chainEvents{in: in, runs: map[string]*chainRun{}}}
	if err := in.values(c.value); err != nil {
		return err
	}
	if err := c.endState(); err != nil {
		return err
	}
	if c.stream != nil {
		if err := in.emitTrace(c.stream.trace); err != nil {
			return err
		}
	}
	return c.events.end()
}

func (c *chains) value(n node, line int) error {
	switch {
	case n.isList():
		return c.list(n.list(), line)
	case isChainEvent(n):
		return c.events.event(n, line)
	case isChainMessage(n):
		c.streamed([]node{n}, 0, line)
	case n.at("messages").isList() || n.at("values", "messages").isList():
		return c.whole(n, stateMessages(n), line)
	case n.isObject():
		c.update(n, 0, line)
	default:
		c.in.notes.skip(noObject)
	}
	return nil
}

// list reads a list of messages, of values, or a value with its mode or the names of
// the graphs that it comes from before it.
func (c *chains) list(values []node, line int) error {
	last := len(values) - 1
	if last >= 1 && last <= 2 && values[last].isObject() && !slices.ContainsFunc(values[:last], func(n node) bool { return !isStreamLabel(n) }) {
		c.labelled(values[:last], values[last], line)
		return nil
	}
	if last == 1 && isChainMessage(values[0]) && values[1].has("langgraph_node") {
		c.in.notes.pass("streamed messages with metadata")
		return nil
	}
	if slices.ContainsFunc(values, isChainMessage) {
		return c.whole(node{}, values, line)
	}
	for _, n := range values {
		if err := c.value(n, line); err != nil {
			return err
		}
	}
	return nil
}

// isStreamLabel reports whether n is a mode, or the names of graphs.
func isStreamLabel(n node) bool {
	return n.isText() || n.isList() && !slices.ContainsFunc(n.list(), func(n node) bool { return !n.isText() })
}

func (c *chains) labelled(labels []node, data node, line int) {
	mode, depth := "updates", 0
	for _, l := range labels {
		if l.isText() {
			mode = l.text()
		} else {
			depth = l.length()
		}
	}
	switch mode {
	case "updates":
		c.update(data, depth, line)
	case "values": // only what names itself: updates repeat it
		c.streamed(slices.DeleteFunc(stateMessages(data), func(n node) bool { return unwrapAny(n).id() == "" }), depth, line)
	}
}

// update reads what nodes of a graph changed.
func (c *chains) update(n node, depth, line int) {
	isKnown := n.length() > 0
	for name, change := range n.members() {
		if strings.HasPrefix(name, "__") || !change.exists() {
			continue
		}
		isKnown = isKnown && (change.isObject() || change.isList())
		if messages := updateMessages(change); len(messages) > 0 {
			c.streamed(messages, depth, line)
		}
	}
	if !isKnown {
		c.in.notes.skip(noMessages)
	}
}

// streamed adds messages to the trial of the stream, but for those that are repeated.
func (c *chains) streamed(messages []node, depth, line int) {
	if c.stream == nil {
		c.stream = &chainStream{trace: newTrace(c.in, line), ids: map[string]bool{}}
	}
	t := c.stream.trace
	for _, n := range messages {
		m := unwrapAny(n)
		if id := m.id(); id != "" {
			if c.stream.ids[id] {
				continue
			}
			c.stream.ids[id] = true
		}
		before := len(t.Steps)
		addChainMessage(t, m)
		for i := before; i < len(t.Steps) && depth > 0; i++ {
			t.Steps[i].Depth = trial.Some(depth)
		}
	}
}

// whole takes in all messages of a trial so far.
func (c *chains) whole(n node, messages []node, line int) error {
	next := &chainState{line: line, node: n}
	for _, m := range messages {
		m := unwrapAny(m)
		next.messages = append(next.messages, m)
		next.marks = append(next.marks, m.mark())
	}
	if s := c.state; s != nil {
		isRepeated := len(s.messages) > 0 && s.messages[len(s.messages)-1].id() != "" && slices.Equal(s.marks, next.marks)
		if !isRepeated && !continues(next.marks, s.marks) {
			if err := c.endState(); err != nil {
				return err
			}
		} else {
			next.line = s.line
		}
	}
	c.state = next
	return nil
}

// endState hands out the trial of the last state.
func (c *chains) endState() error {
	s := c.state
	if c.state = nil; s == nil {
		return nil
	}
	t := newTrace(c.in, s.line)
	for _, m := range s.messages {
		addChainMessage(t, m)
	}
	if len(t.Steps) == 0 && t.Input == nil {
		c.in.notes.skip(emptyConversation)
		return nil
	}
	t.setScalarTags(s.node, "messages")
	t.setTag("metadata", s.node.at("metadata"))
	return c.in.emitTrace(t)
}
