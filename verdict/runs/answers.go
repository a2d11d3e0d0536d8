package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Answers says how many of the answers of a test had been given before, word for word. Trials have different seeds, so
// that a long answer hardly comes twice from an agent that draws it; one that a cache serves again is no new draw.
type Answers struct {
	Compared int `json:"compared"` // judged trials whose answer is longer than a label
	Repeated int `json:"repeated"` // among them, those of an earlier one of the scenario
}

// What of answers is looked at. The numbers are chosen: an answer of a sentence is no label, and of five that are drawn
// independently two come twice only where the agent has few answers. Answers that are served twice each are nearly half
// repeated.
const (
	longestLabel    = 64 // characters
	fewestAnswers   = 5
	mostOfRepeated  = 0.4 // as a share
	fewestRedrawn   = 3   // attempts
	mostOfRedrawn   = 10  // one in so many
	pricedByADesign = "tribunal plan --design-effect says what that makes of the errors"
)

// Notable reports whether so many answers came again that the trials may be no independent ones.
func (a *Answers) Notable() bool {
	return a != nil && a.Compared >= fewestAnswers && float64(a.Repeated) >= mostOfRepeated*float64(a.Compared)
}

// Sentence says for a warning what is the matter.
func (a *Answers) Sentence() string {
	if a.Repeated == a.Compared-1 {
		return fmt.Sprintf("all %d answers are the same, word for word, under different seeds: of a cache that is one "+
			"draw and no %d trials, and its errors are not those of the test", a.Compared, a.Compared)
	}
	return fmt.Sprintf("%d of %d answers are those of an earlier trial, word for word, under different seeds: where a "+
		"cache serves them they are no new draws, and the errors are not those of the test; "+pricedByADesign,
		a.Repeated, a.Compared)
}

// AnswerOf tells the answer of a trial from others, with the steps that led to it. It is 0 of one that is no longer
// than a label.
func AnswerOf(t *trial.Trial) uint64 {
	text := t.Output.Text()
	if utf8.RuneCountInString(text) <= longestLabel {
		return 0
	}
	h := sha256.New()
	part := func(text string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(text)))
		h.Write(n[:])
		h.Write([]byte(text))
	}
	part(text)
	for _, s := range t.Steps {
		// A journal that is read back may have other white space.
		var arguments bytes.Buffer
		if err := json.Compact(&arguments, s.Arguments); err != nil {
			arguments.Write(s.Arguments)
		}
		for _, text := range []string{string(s.Action), s.Tool, arguments.String(), s.Output.Text(), s.Error} {
			part(text)
		}
	}
	return max(1, binary.LittleEndian.Uint64(h.Sum(nil)))
}

// answer is that of the trial; 0 is none that is compared.
func (x TrialEvidence) answer() uint64 {
	if x.Answer != nil {
		return *x.Answer
	}
	return AnswerOf(x.Trial)
}

// answers compares those of the judged trials of a side; nil where none is longer than a label.
func (t TestEvidence) answers(judged int) *Answers {
	type key struct {
		scenario string
		answer   uint64
	}
	a, seen := &Answers{}, map[key]bool{}
	for i, x := range t.all {
		if i >= judged {
			break
		}
		if x.Trial == nil || x.Trial.Outcome == trial.Error {
			continue
		}
		k := key{x.Scenario, x.answer()}
		if k.answer == 0 {
			continue
		}
		a.Compared++
		if seen[k] {
			a.Repeated++
		}
		seen[k] = true
	}
	if a.Compared == 0 {
		return nil
	}
	return a
}

// compareAnswers sets how many answers came again, of the candidate and of a baseline in rounds beside it, and warns of
// them.
func (r *Test) compareAnswers(t TestEvidence) {
	r.Answers, r.BaselineAnswers = t.savedAnswers[0], t.savedAnswers[1]
	if !t.saved {
		r.Answers = t.side(false).answers(r.Trials)
		if t.Against != nil && t.Against.Rounds != nil {
			r.BaselineAnswers = t.side(true).answers(r.Regression.Baseline.Trials)
		}
	}
	if r.Answers.Notable() {
		r.Warnings = append(r.Warnings, WarnAnswers.Warning("%s", r.Answers.Sentence()))
	}
	if r.BaselineAnswers.Notable() {
		r.Warnings = append(r.Warnings, WarnAnswers.Warning("of the baseline %s", r.BaselineAnswers.Sentence()))
	}
}

// checkAnswers compares what is counted of answers with the trials.
func (r *Result) checkAnswers() error {
	for i := range r.Tests {
		t := &r.Tests[i]
		path := fmt.Sprintf("scenarios[%d].", i)
		if err := t.Answers.check(path+"answers.", t.Passes+t.Fails); err != nil {
			return err
		}
		beside := 0 // trials with an outcome
		if x := t.Regression; x != nil && x.Outcomes != "" {
			beside = x.Baseline.Trials - x.Baseline.Errors
		}
		if err := t.BaselineAnswers.check(path+"baseline_answers.", beside); err != nil {
			return err
		}
	}
	return nil
}

// check compares the counts with the most answers that there may be. The path is where they stand.
func (a *Answers) check(path string, most int) error {
	switch {
	case a == nil:
	case a.Compared < 1 || a.Compared > most:
		return &verdict.DifferenceError{Path: path + "compared", Have: fmt.Sprint(a.Compared),
			Want: fmt.Sprintf("from 1 to %d", most)}
	case a.Repeated < 0 || a.Repeated >= a.Compared:
		return &verdict.DifferenceError{Path: path + "repeated", Have: fmt.Sprint(a.Repeated),
			Want: fmt.Sprintf("from 0 to %d", a.Compared-1)}
	}
	return nil
}

// Redrawn is how many attempts another one replaced, but those that the run itself stopped before they began.
func (s Spent) Redrawn() (n int) {
	for cause, k := range s.Repeated {
		if cause != "stopped" {
			n += k
		}
	}
	return n
}

// OftenRedrawn reports whether so many attempts were made again that what they would have come to may matter.
func (s Spent) OftenRedrawn() bool {
	n := s.Redrawn()
	return n >= fewestRedrawn && n*mostOfRedrawn > s.Attempts
}

// RedrawnText says how many attempts were made again.
func (s Spent) RedrawnText() string {
	return fmt.Sprintf("%d of %s never began and were made again: where what turned them away has to do with what the "+
		"agent was doing, the rate is that of the others", s.Redrawn(), prose.Count(s.Attempts, "attempt"))
}

// warnRedrawn warns where attempts were made again often.
func (r *Result) warnRedrawn() {
	if r.Spent.OftenRedrawn() {
		r.Warnings = append(r.Warnings, WarnRedrawn.Warning("%s", r.Spent.RedrawnText()))
	}
}
