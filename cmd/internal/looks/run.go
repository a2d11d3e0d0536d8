package looks

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/tribunal-dev/tribunal/verdict"
)

// Run is a look at trials that are made for it. The ledger has a line of it when it begins, and one when it ends. A run
// that was begun and has no end, since it was interrupted or still goes on, is a look: whoever stopped it saw trials.
type Run struct {
	ID    string `json:"run"`
	Agent string `json:"agent,omitempty"` // digest of what identifies it
	// Digests of what is asked, one for each scenario: a run is another look at each of them.
	Questions []string `json:"questions,omitempty"`
	NewAgent  bool     `json:"new_agent,omitempty"` // the agent has changed since the looks before
	Files     string   `json:"files,omitempty"`     // digest of what else may belong to the agent
	Ended     bool     `json:"ended,omitempty"`
	Void      bool     `json:"void,omitempty"`     // no trial had an outcome, so nothing was seen
	Refused   bool     `json:"refused,omitempty"`  // no trial was begun: void, and no run that another continues
	Evidence  string   `json:"evidence,omitempty"` // digest of the trials
	Trials    int      `json:"trials,omitempty"`   // of them
	// Sample is a digest of the trials that their journal has too, whoever judges it again and by what; "" is not known.
	Sample string `json:"sample,omitempty"`
	verdict.Look

	legacy bool // a line of an earlier version, at the same task
}

// Begin writes into a ledger that a run begins, with the errors that its design allows, and returns its ID. One that
// continues is that of the same agent and questions which began last, if there is one: not one that passed or failed,
// whose trials are others, or are known again when they are judged. First says that the ledger was empty.
func Begin(in Ledger, r Run, continues bool) (id string, first bool, err error) {
	err = in(func(text []byte) ([]byte, error) {
		first = len(bytes.TrimSpace(text)) == 0
		if continues {
			list := slices.DeleteFunc(runs(text, ""), func(e Run) bool {
				return e.Refused || e.Agent != r.Agent || !slices.Equal(e.Questions, r.Questions)
			})
			if n := len(list); n > 0 && !list[n-1].Void && list[n-1].Verdict == verdict.Inconclusive {
				id = list[n-1].ID
				return nil, nil
			}
		}
		r.ID = rand.Text()
		id = r.ID
		return json.Marshal(r)
	})
	return id, first, err
}

// End writes into a ledger what a run came to, and returns the looks before it at any of its questions: for each of
// them those since a run that passed as the first or as planned, or a new agent. A run that has the trials of an
// earlier one and comes to the same verdict, as where shards are merged or a journal is judged again, is the same look.
// Task is the question of its task as earlier versions of this program had it; "" is none.
func End(in Ledger, r Run, task string) (earlier []verdict.Look, err error) {
	err = in(func(text []byte) ([]byte, error) {
		var again bool
		earlier, again = earlierRuns(runs(text, task), r)
		end := Run{ID: r.ID, Ended: true, Evidence: r.Evidence, Trials: r.Trials, Sample: r.Sample, Look: r.Look,
			Void: r.Void || r.Refused || again, Refused: r.Refused}
		return json.Marshal(end)
	})
	if err != nil {
		return nil, err
	}
	return earlier, nil
}

// Seal is a ledger as it was: lines only become more, so that whatever is added it begins with the same.
type Seal struct {
	bytes int
	sum   [sha256.Size]byte
}

// SealOf is that of a ledger as it is.
func SealOf(in Ledger) (s Seal, err error) {
	err = in(func(text []byte) ([]byte, error) {
		s = Seal{len(text), sha256.Sum256(text)}
		return nil, nil
	})
	return s, err
}

// Broken reports whether a ledger does not begin with what it was.
func (s Seal) Broken(in Ledger) (broken bool, err error) {
	err = in(func(text []byte) ([]byte, error) {
		broken = len(text) < s.bytes || sha256.Sum256(text[:s.bytes]) != s.sum
		return nil, nil
	})
	return broken, err
}

// Finished returns the last run of a ledger that came to a result of these trials, and whether there is one.
func Finished(in Ledger, evidence string) (last Run, found bool, err error) {
	err = in(func(text []byte) ([]byte, error) {
		found = false
		for _, e := range runs(text, "") {
			if e.Ended && e.Evidence == evidence && (!e.Void || !found) {
				last, found = e, true
			}
		}
		return nil, nil
	})
	return last, found, err
}

// runs are the runs of a ledger in the order in which they began, as far as they can be read, with what earlier
// versions wrote of the same task.
func runs(text []byte, task string) (list []Run) {
	at := map[string]int{}
	for line := range bytes.Lines(text) {
		var e struct {
			Run
			Question string `json:"question"`
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		i, begun := at[e.ID]
		switch {
		case e.ID == "" && e.Question != "" && e.Question == task:
			e.legacy, e.Ended = true, true
			list = append(list, e.Run)
		case e.ID == "":
		case begun && e.Ended:
			was := list[i]
			e.Agent, e.Questions, e.NewAgent, e.Files, e.Command = was.Agent, was.Questions, was.NewAgent, was.Files, was.Command
			list[i] = e.Run
		case !begun:
			at[e.ID] = len(list)
			e.Open = true
			e.Verdict = verdict.Inconclusive
			list = append(list, e.Run)
		}
	}
	return list
}

// earlierRuns are the looks before a run, and whether it is one of them.
func earlierRuns(list []Run, now Run) (earlier []verdict.Look, again bool) {
	// Trials stay those of the agent that they were first judged for.
	if i := slices.IndexFunc(list, func(e Run) bool { return e.ID != now.ID && e.sampled(now) }); i >= 0 {
		now.Agent = list[i].Agent
	}
	counts := map[string][]int{} // of each question: the looks before
	for i, e := range list {
		if e.ID == now.ID && e.ID != "" {
			now.NewAgent = now.NewAgent || e.NewAgent // it continues one that was begun so
			break
		}
		same := e.legacy || e.Agent == now.Agent
		if !same || e.Void {
			continue
		}
		if e.NewAgent {
			clear(counts)
		}
		known := e.Ended && e.Evidence == now.Evidence && e.Trials == now.Trials || e.sampled(now)
		if known && e.Verdict == now.Verdict && !now.NewAgent {
			earlier, again = looksAt(list, counts, now.Questions), true // of the last such
		}
		questions := e.Questions
		if e.legacy {
			questions = now.Questions
		}
		anew := e.Verdict == verdict.Pass && planned(e.Look, looksAt(list, counts, questions))
		for _, q := range questions {
			if counts[q] = append(counts[q], i); anew {
				counts[q] = nil
			}
		}
	}
	switch {
	case now.NewAgent:
		return []verdict.Look{}, false
	case again:
		return earlier, true
	}
	return looksAt(list, counts, now.Questions), false
}

// sampled reports whether a run has the trials of another.
func (r Run) sampled(other Run) bool { return r.Sample != "" && r.Sample == other.Sample }

// looksAt are the looks at any of the questions, the oldest first.
func looksAt(list []Run, counts map[string][]int, questions []string) []verdict.Look {
	var seen []int
	for _, q := range questions {
		seen = append(seen, counts[q]...)
	}
	slices.Sort(seen)
	looks := []verdict.Look{}
	for _, i := range slices.Compact(seen) {
		looks = append(looks, list[i].Look)
	}
	return looks
}

// planned reports whether a look is the first, with these before it, or all of them were planned: a Pass then begins a
// new count. One after others, which a person has to decide on, would else make a second one of the same agent look
// like a first.
func planned(look verdict.Look, earlier []verdict.Look) bool {
	return !verdict.NewLooks(earlier, look.Declared, verdict.Risk{}).Open()
}
