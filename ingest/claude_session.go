package ingest

func showsClaudeSession(s *shape) bool {
	return s.any(func(n node) bool {
		switch n.at("type").text() {
		case "user", "assistant":
			return n.at("message").isObject() && n.at("sessionId").isText() && (n.has("parentUuid") || n.has("uuid"))
		case "summary":
			return n.has("summary", "leafUuid")
		case "file-history-snapshot":
			return n.has("messageId", "snapshot")
		case "queue-operation", "agent-setting", "last-prompt", "system", "attachment", "progress":
			return n.at("sessionId").isText() && !n.has("message")
		}
		return false
	})
}

// sessionLine is a line of a session file that has a place in its tree.
type sessionLine struct {
	n           node // zero but for messages
	line        int
	uuid        string
	parent      string // "" if there is none
	isRoot      bool   // it says that it has none
	isSidechain bool   // of a sub-agent
	onBranch    bool   // that was followed to the end
}

func (l *sessionLine) isMessage() bool   { return l.n.exists() && !l.isSidechain }
func (l *sessionLine) isAssistant() bool { return l.n.at("type").text() == "assistant" }

// claudeSession reads a file session by session.
type claudeSession struct {
	in       *input
	session  string
	lines    []sessionLine
	places   map[string]int    // in lines, by uuid
	settings map[string]string // the agent, by session
}

// readClaudeSession makes a trial of each session: the messages on the branch of its
// last one, and those of sub-agents.
func readClaudeSession(in *input) error {
	s := &claudeSession{in: in, places: map[string]int{}, settings: map[string]string{}}
	if err := in.records(s.record); err != nil {
		return err
	}
	return s.end()
}

func (s *claudeSession) record(n node, line int) error {
	switch n.at("type").text() {
	case "user", "assistant":
		return s.add(n, n, line)
	case "agent-setting":
		s.settings[n.at("sessionId").text()] = n.at("agentSetting").text()
	case "system", "attachment", "progress":
		return s.add(n, node{}, line)
	case "queue-operation", "last-prompt", "summary", "file-history-snapshot", "custom-title", "ai-title", "agent-name", "tag",
		"mode", "permission-mode", "pr-link", "worktree-state", "cost-state", "content-replacement":
	default:
		s.in.notes.skip(unknownEvent)
	}
	return nil
}

// add keeps a line of the tree. It begins another session if it names one, unless it
// goes on with a line of this one, as in a session that was forked.
func (s *claudeSession) add(n, message node, line int) error {
	session := n.at("sessionId").text()
	if _, goesOn := s.places[n.at("parentUuid").text()]; session != "" && session != s.session && !goesOn {
		if err := s.end(); err != nil {
			return err
		}
		s.session = session
	}
	parent := n.either("parentUuid", "logicalParentUuid") // the latter where the history was compacted
	l := sessionLine{
		n: message, line: line, uuid: n.at("uuid").text(), parent: parent.text(),
		isRoot: n.has("parentUuid") && !parent.exists(), isSidechain: n.at("isSidechain").isTrue(),
	}
	if l.uuid != "" {
		s.places[l.uuid] = len(s.lines)
	}
	s.lines = append(s.lines, l)
	return nil
}

// end hands out the trial of the session.
func (s *claudeSession) end() error {
	defer func() { s.lines, s.places = nil, map[string]int{} }()
	last := len(s.lines) - 1
	for last >= 0 && !s.lines[last].isMessage() {
		last--
	}
	if last < 0 {
		for _, l := range s.lines {
			if l.n.exists() {
				s.in.notes.pass("sessions of sub-agents")
				break
			}
		}
		return nil
	}
	s.follow(last)
	s.gather()
	return s.in.emitTrace(s.trial())
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
		for i--; i >= 0 && !s.lines[i].isMessage(); i-- {
		}
	}
}

// gather marks what belongs to the branch and does not lie on it: tools that are
// called at once fork the tree, for each result follows the part of the message that
// holds its call.
func (s *claudeSession) gather() {
	messages, calls := map[string]bool{}, map[string]bool{}
	for _, l := range s.lines {
		if id := l.n.at("message", "id").text(); l.onBranch && id != "" {
			messages[id] = true
		}
	}
	for i := range s.lines {
		l := &s.lines[i]
		if messages[l.n.at("message", "id").text()] && l.isMessage() {
			l.onBranch = true
			for _, block := range l.n.at("message", "content").list() {
				calls[block.at("id").text()] = true
			}
		}
	}
	for i := range s.lines {
		l := &s.lines[i]
		for _, block := range l.n.at("message", "content").list() {
			if isResult(block) && calls[block.at("tool_use_id").text()] && l.isMessage() {
				l.onBranch = true
			}
		}
	}
}

// trial puts the marked lines together, in the order of the file.
func (s *claudeSession) trial() *trace {
	c := newAnthropicTrace(s.in, 0)
	var failed *apiFailure
	for _, l := range s.lines {
		n := l.n
		if !n.exists() {
			continue
		}
		if l.isMessage() && !l.onBranch {
			s.in.notes.pass("messages of abandoned branches")
			continue
		}
		if c.Place.Line == 0 {
			c.Place = s.in.place(l.line)
			c.setTags("", n, "sessionId", "cwd", "gitBranch", "version", "entrypoint")
			c.setTag("agentSetting", node{s.settings[s.session]})
		}
		p := messagePart{at: n.at("timestamp").time(), final: true}
		if l.isSidechain {
			p.depth = 1
		}
		c.addTime(p.at)
		m := n.at("message")
		if !l.isAssistant() {
			c.results(m, n.at("toolUseResult"), p, !n.at("isMeta").isTrue() && !n.at("isCompactSummary").isTrue())
			continue
		}
		if f := failureOf(n); p.depth == 0 {
			failed = f
		}
		if m.at("model").text() != syntheticModel {
			step := &c.Steps[c.message(m, p)]
			step.CostUSD = larger(step.CostUSD, n.at("costUSD").amount())
		}
	}
	if failed != nil {
		failed.set(&c.Trial)
	}
	return c.end()
}

// failureOf returns the failure that Claude Code wrote in place of an answer.
func failureOf(n node) *apiFailure {
	if !n.at("isApiErrorMessage").isTrue() {
		return nil
	}
	text, _ := n.at("message", "content").blockText()
	return &apiFailure{n.at("error").text(), text}
}
