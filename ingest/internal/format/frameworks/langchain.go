package frameworks

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsLangChain looks at all first objects: a stream may begin with chunks that show
// nothing. Messages with a role are those of OpenAI's interface, which LangChain reads and
// does not write by itself.
func showsLangChain(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		return isChainMessage(n) && !n.Has("role") || isChainEvent(n) || len(stateMessages(n)) > 0 &&
			isChainMessage(stateMessages(n)[0]) || isChainUpdate(n)
	})
}

// isChainEvent reports whether n is an event of astream_events.
func isChainEvent(n record.Node) bool {
	return strings.HasPrefix(n.At("event").Words(), "on_") && n.Has("run_id", "data")
}

// stateMessages returns the messages of a LangGraph state, also of a snapshot.
// {"messages":[...]} is a state; a snapshot (get_state) has it under values.
func stateMessages(n record.Node) []record.Node {
	if n.At("messages").IsList() {
		return n.At("messages").List()
	}
	return n.At("values", "messages").List()
}

// isChainUpdate reports whether n is what nodes of a graph changed, with a message.
//
//	{"agent":{"messages":[{"type":"ai","content":"...","id":"a1"}]}}
//
// is what stream_mode "updates" yields: one object a step, with the nodes that ran.
func isChainUpdate(n record.Node) bool {
	found := false
	for _, change := range n.Members() {
		if change.Exists() && !change.IsObject() && !change.IsList() {
			return false
		}
		messages := updateMessages(change)
		found = found || len(messages) > 0 && isChainMessage(messages[0])
	}
	return found
}

// updateMessages returns the messages of the change that a node made.
// A node may return several changes (Command), one message in place of a list, or no
// messages at all.
func updateMessages(change record.Node) (messages []record.Node) {
	for _, c := range change.List() {
		messages = append(messages, updateMessages(c)...)
	}
	if m := change.At("messages"); m.IsList() {
		return m.List()
	} else if m.IsObject() {
		return []record.Node{m}
	}
	return messages
}

// chains reads what LangChain and LangGraph write.
// A file holds states, or a stream, or events. It may hold all three, and each has its own
// open trial.
type chains struct {
	in *record.Input
	// state is the last state read, which the next one may continue.
	state *chainState
	// stream is nil before the first message that comes alone.
	stream *chainStream
	events chainEvents
}

// chainState is the messages of a trial: a list, or the state of a graph.
type chainState struct {
	// line is that of the first state of the trial, though the last one has all of its messages.
	line     int
	node     record.Node // with what else the state holds
	messages []chainMessage
	// marks tell each message from others, to see whether the next state repeats them.
	marks []string
}

// chainStream is a trial that comes message by message.
type chainStream struct {
	trace *record.Trace
	// ids are those of the messages that were added: updates and values repeat them.
	ids map[string]bool
}

// LangChain decodes LangChain messages; LangGraph states, updates and events.
var LangChain = record.Decoder{Shows: showsLangChain, Read: readLangChain}

// readLangChain reads lists of messages and states, each a trial unless it continues the one before; the updates of a
// graph, or messages one a line, as one trial; and events, a trial for each outermost run.
func readLangChain(in *record.Input) error {
	c := &chains{in: in, events: chainEvents{in: in, runs: map[string]*chainRun{}}}
	if err := in.Values(c.value); err != nil {
		return err
	}
	if err := c.endState(); err != nil {
		return err
	}
	if c.stream != nil {
		if err := in.EmitTrace(c.stream.trace); err != nil {
			return err
		}
	}
	return c.events.end()
}

// value takes in a value of the file, by the first shape that fits: events before messages,
// for their data may hold messages; a state before an update, for a state is an object of
// nodes, too, if one looks at its members alone.
func (c *chains) value(n record.Node, line int) error {
	switch {
	case n.IsList():
		return c.list(n.List(), line)
	case isChainEvent(n):
		return c.events.event(n, line)
	case isChainMessage(n):
		c.addStreamed([]record.Node{n}, 0, line)
	case n.At("messages").IsList() || n.At("values", "messages").IsList():
		return c.whole(n, stateMessages(n), line)
	case n.IsObject():
		c.update(n, 0, line)
	default:
		c.in.Notes.Skip(record.NoObject)
	}
	return nil
}

// list reads a list of messages, of values, or a value with its mode or the names of
// the graphs that it comes from before it.
// With several stream modes LangGraph yields (mode, value), with subgraphs (names, value) or
// (names, mode, value), which JSON turns into lists.
func (c *chains) list(values []record.Node, line int) error {
	last := len(values) - 1
	if last >= 1 && last <= 2 && values[last].IsObject() &&
		!slices.ContainsFunc(values[:last], func(n record.Node) bool { return !isStreamLabel(n) }) {
		c.addLabelled(values[:last], values[last], line)
		return nil
	}
	// stream_mode "messages" yields tokens with metadata; the whole message comes by another
	// mode, or the file has none of it.
	if last == 1 && isChainMessage(values[0]) && values[1].Has("langgraph_node") {
		c.in.Notes.Pass("streamed messages with metadata")
		return nil
	}
	if slices.ContainsFunc(values, isChainMessage) {
		return c.whole(record.Node{}, values, line)
	}
	for _, n := range values {
		if err := c.value(n, line); err != nil {
			return err
		}
	}
	return nil
}

// isStreamLabel reports whether n is a mode, or the names of graphs.
func isStreamLabel(n record.Node) bool {
	return n.IsText() || n.IsList() && !slices.ContainsFunc(n.List(), func(n record.Node) bool { return !n.IsText() })
}

// addLabelled takes in a value with its mode and the names of the graphs around it, whose
// number is the depth.
func (c *chains) addLabelled(labels []record.Node, data record.Node, line int) {
	mode, depth := "updates", 0
	for _, l := range labels {
		if l.IsText() {
			mode = l.Text()
		} else {
			depth = l.Length()
		}
	}
	switch mode {
	case "updates":
		c.update(data, depth, line)
	case "values": // only what names itself: updates repeat it
		c.addStreamed(slices.DeleteFunc(stateMessages(data),
			func(n record.Node) bool { return unwrapAny(n).id() == "" }), depth, line)
	}
}

// update reads what nodes of a graph changed.
// Members that begin with two underscores, such as __interrupt__, are LangGraph's own.
func (c *chains) update(n record.Node, depth, line int) {
	isKnown := n.Length() > 0
	for name, change := range n.Members() {
		if strings.HasPrefix(name, "__") || !change.Exists() {
			continue
		}
		isKnown = isKnown && (change.IsObject() || change.IsList())
		if messages := updateMessages(change); len(messages) > 0 {
			c.addStreamed(messages, depth, line)
		}
	}
	if !isKnown {
		c.in.Notes.Skip(record.NoMessages)
	}
}

// addStreamed adds messages to the trial of the stream, but for those that are repeated.
func (c *chains) addStreamed(messages []record.Node, depth, line int) {
	if c.stream == nil {
		c.stream = &chainStream{trace: record.NewTrace(c.in, line), ids: map[string]bool{}}
	}
	// Messages without an id cannot be told from repeats: each is taken for a new one.
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
		setChainID(t, m)
		for i := before; i < len(t.Steps) && depth > 0; i++ {
			t.Steps[i].Depth = trial.Some(depth)
		}
	}
}

// whole takes in all messages of a trial so far.
// A state a line is what stream_mode "values" yields: each holds the messages of the one
// before and more, and the last has all. One that is equal is a step without a message, if
// its messages have ids; without ids it may be another trial that said the same.
func (c *chains) whole(n record.Node, messages []record.Node, line int) error {
	next := &chainState{line: line, node: n}
	for _, m := range messages {
		m := unwrapAny(m)
		next.messages = append(next.messages, m)
		next.marks = append(next.marks, m.mark())
	}
	if s := c.state; s != nil {
		isRepeated := len(s.messages) > 0 && s.messages[len(s.messages)-1].id() != "" &&
			slices.Equal(s.marks, next.marks)
		if !isRepeated && !transcript.Continues(next.marks, s.marks) {
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
	// Only the last state of a run is turned into steps.
	t := record.NewTrace(c.in, s.line)
	for _, m := range s.messages {
		addChainMessage(t, m)
		setChainID(t, m)
	}
	if len(t.Steps) == 0 && t.Input == nil {
		c.in.Notes.Skip(record.EmptyConversation)
		return nil
	}
	t.SetScalarTags(s.node, "messages")
	t.SetTag("metadata", s.node.At("metadata"))
	return c.in.EmitTrace(t)
}
