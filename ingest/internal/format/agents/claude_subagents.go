package agents

import (
	"io"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// claudeSessionID is how lines of session files name their session.
var claudeSessionID = lazy.Regexp(`"sessionId"\s*:\s*"([^"\\]{1,128})"`)

// claudeSessionIDs hands out the sessions of a file: the messages of sub-agents lie in files of their own, which name
// the session that they are of (SESSION/subagents/agent-*.jsonl in version 2.1.332, agent-*.jsonl before).
func claudeSessionIDs(text io.Reader, found func(id string)) error {
	return record.IDsIn(text, claudeSessionID(), found)
}

// lastMessage is the last message of the agent itself or to it, which ends the branch that counts; -1 if there is none.
func (s *claudeSession) lastMessage() int {
	last := len(s.lines) - 1
	for last >= 0 && !s.lines[last].isMessage() {
		last--
	}
	return last
}

// handOut hands out the trial of a session from all files that name it. A session that is recorded twice has all of its
// sub-agents both times.
func (s *claudeSession) handOut(parts []*claudeSession) error {
	var helpers []sessionLine
	known := map[string]bool{}
	mains := 0
	for _, part := range parts {
		if part.lastMessage() >= 0 {
			mains++
			continue
		}
		for _, l := range part.lines {
			if l.n.Exists() && (l.uuid == "" || !known[l.uuid]) {
				known[l.uuid] = true
				helpers = append(helpers, l)
			}
		}
	}
	if mains == 0 && len(helpers) > 0 {
		s.in.Notes.Pass(sessionsOfSubAgents)
		return nil
	}
	slices.SortStableFunc(helpers, func(a, b sessionLine) int { return a.time().Compare(b.time()) })
	for _, part := range parts {
		if part.lastMessage() < 0 {
			continue
		}
		part.in = s.in // of which the sink and the notes are
		part.join(helpers)
		part.remarkOnHelpers()
		if err := part.emit(); err != nil {
			return err
		}
	}
	return nil
}

// time is when a line was written; zero is not known.
func (l *sessionLine) time() time.Time { return l.n.At("timestamp").Time() }

// join puts the lines of sub-agents, by time, between those of the session, unless they stand there.
func (s *claudeSession) join(helpers []sessionLine) {
	helpers = slices.DeleteFunc(slices.Clone(helpers), func(l sessionLine) bool {
		_, stands := s.places[l.uuid]
		return stands && l.uuid != ""
	})
	if len(helpers) == 0 {
		return
	}
	var all []sessionLine
	for _, l := range s.lines {
		for at := l.time(); len(helpers) > 0 && !at.IsZero() && !helpers[0].time().After(at); helpers = helpers[1:] {
			all = append(all, helpers[0])
		}
		all = append(all, l)
	}
	s.lines, s.places = append(all, helpers...), map[string]int{}
	for i, l := range s.lines {
		if l.uuid != "" {
			s.places[l.uuid] = i
		}
	}
}

// remarkOnHelpers says where the session started sub-agents whose messages are not there.
func (s *claudeSession) remarkOnHelpers() {
	seen := map[string]bool{}
	for _, l := range s.lines {
		if l.isSidechain {
			seen[l.n.At("agentId").Text()] = true
		}
	}
	for _, l := range s.lines {
		// Versions before agents had ids wrote all into one file.
		if id := l.n.At("toolUseResult", "agentId").Text(); id != "" && !seen[id] && !seen[""] {
			s.in.Notes.Remark("sub-agents were started whose messages are in other files: name the folder to read them, too")
			return
		}
	}
}

// claudeCost is what a session took by the events cost-state, which count all models and sub-agents.
type claudeCost struct {
	total     claudeTotal
	isUnknown bool // the cost of a model is
}

// cost takes in what the session took so far.
func (s *claudeSession) cost(n record.Node) {
	id := n.At("sessionId").Text()
	if s.costs[id] == nil {
		s.costs[id] = &claudeCost{}
	}
	s.costs[id].total.read(n.At("modelUsage"), n.At("totalCostUSD").Amount())
	s.costs[id].isUnknown = n.At("hasUnknownModelCost").IsTrue()
}

// set gives a trial what its session took, unless its messages took more: then the session went on after the event.
func (c *claudeCost) set(t *record.Trace) {
	sum, steps := c.total.Sum(), t.StepUsage()
	if sum.Input.Value < steps.Input.Value || sum.Output.Value < steps.Output.Value {
		return
	}
	if c.isUnknown {
		sum.Cost = trial.Optional[float64]{}
	}
	t.AddTotals(sum)
	c.total.shareOut(t)
}
