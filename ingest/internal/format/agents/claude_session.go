package agents

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsClaudeSession knows the lines of the files below ~/.claude/projects, as version 2.1.80
// and others near it write them:
//
//	{"type":"summary","summary":"Files","leafUuid":"u-9"}
//	{"type":"user","uuid":"u-1","parentUuid":"u-0","sessionId":"s-1","isSidechain":false,"message":{...}}
//	{"type":"assistant","uuid":"u-2","parentUuid":"u-1","sessionId":"s-1","message":{"id":"m-1",...}}
//
// The lines are a tree by uuid and parentUuid, because a person may go back and say something
// else; the program shows the branch of the last message, and so does this decoder.
func showsClaudeSession(s *record.Shape) bool {
	return !s.Any(isQwenRecord) && s.Any(func(n record.Node) bool {
		switch n.At("type").Text() {
		case "user", "assistant":
			return n.At("message").IsObject() && n.At("sessionId").IsText() && (n.Has("parentUuid") || n.Has("uuid"))
		case "summary":
			return n.Has("summary", "leafUuid")
		case "file-history-snapshot":
			return n.Has("messageId", "snapshot")
		case "queue-operation", "agent-setting", "last-prompt", "system", "attachment", "progress":
			return n.At("sessionId").IsText() && !n.Has("message")
		}
		return false
	})
}

// sessionLine is a line of a session file that has a place in its tree.
type sessionLine struct {
	n     record.Node // zero but for messages
	place trial.Place // in its file
	// uuid is "" for lines that nothing can follow.
	uuid   string
	parent string // "" if there is none
	isRoot bool   // it says that it has none
	// What a sub-agent says stands in the same file on a tree of its own.
	isSidechain bool // of a sub-agent
	onBranch    bool // that was followed to the end
}

// isMessage reports whether the line is a message of the agent itself or to it.
func (l *sessionLine) isMessage() bool   { return l.n.Exists() && !l.isSidechain }
func (l *sessionLine) isAssistant() bool { return l.n.At("type").Text() == "assistant" }

// claudeSession reads a file session by session.
type claudeSession struct {
	in *record.Input
	// session is that of the lines that are held, "" before the first.
	session  string
	lines    []sessionLine
	places   map[string]int    // in lines, by uuid
	settings map[string]string // the agent, by session
	costs    map[string]*claudeCost
}

// ClaudeSession decodes Claude Code session files.
var ClaudeSession = record.Decoder{Shows: showsClaudeSession, Read: readClaudeSession, IDs: claudeSessionIDs}

// readClaudeSession makes a trial of each session: the messages on the branch of its
// last one, and those of sub-agents, which may lie in files of their own.
func readClaudeSession(in *record.Input) error {
	s := &claudeSession{in: in, places: map[string]int{}, settings: map[string]string{}, costs: map[string]*claudeCost{}}
	if err := in.Records(s.record); err != nil {
		return err
	}
	if err := s.end(); err != nil {
		return err
	}
	for _, parts := range record.Due[[]*claudeSession](in.Spread) {
		if err := s.handOut(parts); err != nil {
			return err
		}
	}
	return nil
}

// record takes in a line. Messages and what stands between them in the tree are kept; what
// is about the session or the program is known and passed over.
func (s *claudeSession) record(n record.Node, line int) error {
	switch n.At("type").Text() {
	case "user", "assistant":
		return s.add(n, n, line)
	case "agent-setting":
		s.settings[n.At("sessionId").Text()] = n.At("agentSetting").Text()
	// No messages, but parents of messages: without them the branch would break off.
	case "system", "attachment", "progress":
		return s.add(n, record.Node{}, line)
	case "cost-state":
		s.cost(n)
	case "queue-operation", "last-prompt", "summary", "file-history-snapshot", "custom-title", "ai-title",
		"agent-name", "tag", "mode", "permission-mode", "pr-link", "worktree-state", "content-replacement",
		"api-request", "api-request-blob", "api-request-shape", "tools-used", "atis-latch":
	default:
		// What is no message and has no place in the tree is about the program: versions add more of that.
		if !n.Has("message") && !n.Has("uuid") {
			s.in.Notes.Pass(record.UnknownEvent)
			break
		}
		s.in.Notes.Skip(record.UnknownEvent)
	}
	return nil
}

// add keeps a line of the tree. It begins another session if it names one, unless it
// continues a line of this one, as in a session that was forked.
func (s *claudeSession) add(n, message record.Node, line int) error {
	session := n.At("sessionId").Text()
	// A fork has another session id, and its first line goes on below a line of the old one.
	if _, goesOn := s.places[n.At("parentUuid").Text()]; session != "" && session != s.session && !goesOn {
		if err := s.end(); err != nil {
			return err
		}
		s.session = session
	}
	parent := n.Either("parentUuid", "logicalParentUuid") // the latter where the history was compacted
	l := sessionLine{
		n: message, place: s.in.Place(line), uuid: n.At("uuid").Text(), parent: parent.Text(),
		isRoot: n.Has("parentUuid") && !parent.Exists(), isSidechain: n.At("isSidechain").IsTrue(),
	}
	if l.uuid != "" {
		s.places[l.uuid] = len(s.lines)
	}
	s.lines = append(s.lines, l)
	return nil
}

// end ends the session, of which other files may have more.
func (s *claudeSession) end() error {
	if len(s.lines) == 0 {
		return nil
	}
	part := *s
	// The settings and costs stay: they may stand before the lines of their session.
	s.lines, s.places = nil, map[string]int{}
	parts, _ := s.in.Spread.Take(part.session).([]*claudeSession)
	parts = append(parts, &part)
	if s.in.Spread.Keep(part.session, parts) {
		s.in.Notes.Pass("sessions that a later file names, too")
		return nil
	}
	return s.handOut(parts)
}

// emit hands out the trial of the session, if a message of the agent itself is in it.
func (s *claudeSession) emit() error {
	last := s.lastMessage()
	if last < 0 {
		return nil
	}
	// Where no line names a parent they are no tree: they follow one another as they stand.
	if !slices.ContainsFunc(s.lines, func(l sessionLine) bool { return l.parent != "" }) {
		for i := range s.lines {
			s.lines[i].isRoot = false
		}
	}
	s.follow(last)
	s.gather()
	return s.in.EmitTrace(s.trial())
}

// follow marks the branch that ends at a line. Where a parent is not in the file the
// message before it is taken for it.
func (s *claudeSession) follow(i int) {
	for i >= 0 && !s.lines[i].onBranch {
		l := &s.lines[i]
		l.onBranch = true
		if parent, ok := s.places[l.parent]; ok {
			i = parent
			continue
		}
		if l.isRoot {
			return
		}
		// The parent is in another file, of a session that was resumed, or was never written.
		for i--; i >= 0 && !s.lines[i].isMessage(); i-- {
		}
	}
}

// gather marks what belongs to the branch and does not lie on it: tools that are
// called at once fork the tree, for each result follows the part of the message that
// holds its call.
// An answer is written as one line for each block of its content, chained by their parents;
// its parts share the id of the message.
func (s *claudeSession) gather() {
	messages, calls := map[string]bool{}, map[string]bool{}
	for _, l := range s.lines {
		if id := l.n.At("message", "id").Text(); l.onBranch && id != "" {
			messages[id] = true
		}
	}
	// First all parts of the messages on the branch, and their calls.
	for i := range s.lines {
		l := &s.lines[i]
		if messages[l.n.At("message", "id").Text()] && l.isMessage() {
			l.onBranch = true
			for _, block := range l.n.At("message", "content").List() {
				calls[block.At("id").Text()] = true
			}
		}
	}
	// Then the results of those calls.
	for i := range s.lines {
		l := &s.lines[i]
		for _, block := range l.n.At("message", "content").List() {
			if transcript.IsResult(block) && calls[block.At("tool_use_id").Text()] && l.isMessage() {
				l.onBranch = true
			}
		}
	}
}

// trial puts the marked lines together, in the order of the file.
func (s *claudeSession) trial() *record.Trace {
	c := transcript.NewAnthropic(s.in, 0)
	var failed *transcript.APIFailure
	first := "" // message of the branch
	for _, l := range s.lines {
		n := l.n
		if !n.Exists() {
			continue
		}
		// What was said and taken back did not lead to the outcome.
		if l.isMessage() && !l.onBranch {
			s.in.Notes.Pass("messages of abandoned branches")
			continue
		}
		// The first line of the branch says where it all happened.
		if c.Place.Line == 0 {
			c.Place = l.place
			c.SetTags("", n, "sessionId", "cwd", "gitBranch", "version", "entrypoint")
			c.SetTag("agentSetting", record.Node{Value: s.settings[s.session]})
		}
		// A fork repeats the lines of the session before under their own id: the last one counts.
		if id := n.At("sessionId").Text(); l.isMessage() {
			if first == "" {
				first = l.uuid
			}
			c.ID = strings.TrimSpace(id + " " + first)
		}
		p := transcript.MessagePart{At: n.At("timestamp").Time(), Final: true}
		// The file does not say which call started a sub-agent, so that all are of depth 1.
		if l.isSidechain {
			p.Depth = 1
		}
		c.AddTime(p.At)
		m := n.At("message")
		if !l.isAssistant() {
			// isMeta marks what the program adds in the user's name, isCompactSummary the summary that
			// stands in for a history: neither is what a person asked.
			c.Results(m, n.At("toolUseResult"), p, !n.At("isMeta").IsTrue() && !n.At("isCompactSummary").IsTrue())
			continue
		}
		// An answer that went well, for which f is nil, takes an earlier failure back.
		if f := failureOf(n); p.Depth == 0 {
			failed = f
		}
		if m.At("model").Text() != syntheticModel {
			step := &c.Steps[c.Message(m, p)]
			// Old versions wrote a cost, and each part of a message may repeat it.
			step.CostUSD = record.Larger(step.CostUSD, n.At("costUSD").Amount())
		}
	}
	if failed != nil {
		failed.Set(&c.Trial)
	}
	if cost := s.costs[s.session]; cost != nil {
		cost.set(c.Trace)
	}
	return c.End()
}

// failureOf returns the failure that Claude Code wrote in place of an answer.
func failureOf(n record.Node) *transcript.APIFailure {
	if !n.At("isApiErrorMessage").IsTrue() {
		return nil
	}
	text, _ := n.At("message", "content").BlockText()
	return &transcript.APIFailure{Kind: n.At("error").Text(), Text: text}
}
