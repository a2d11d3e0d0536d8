package runs

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// What is looked at of attempts that were made again. The numbers are chosen.
const (
	fewestRedrawn = 3  // attempts
	mostOfRedrawn = 10 // one in so many
)

// answer is that of the trial; 0 is none that is compared.
func (x TrialEvidence) answer() uint64 {
	if x.Answer != nil {
		return *x.Answer
	}
	return verdict.AnswerOf(x.Trial)
}

// answers compares those of the judged trials of a side; nil where none is longer than a label.
func (t TestEvidence) answers(judged int) *verdict.Answers {
	type key struct {
		scenario string
		answer   uint64
	}
	a, seen := &verdict.Answers{}, map[key]bool{}
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
	if t.saved != nil {
		r.Answers, r.BaselineAnswers = t.saved.Answers, t.saved.BaselineAnswers
	} else {
		r.Answers = t.side(false).answers(r.Trials)
		if t.inRounds() {
			r.BaselineAnswers = t.side(true).answers(r.beside().Trials)
		}
	}
	if r.Answers.Notable() {
		r.Warnings = append(r.Warnings, verdict.WarnAnswers.Warning("%s", r.Answers.Sentence()))
	}
	if r.BaselineAnswers.Notable() {
		r.Warnings = append(r.Warnings, verdict.WarnAnswers.Warning("of the baseline %s", r.BaselineAnswers.Sentence()))
	}
}

// checkAnswers compares what is counted of answers, and of doubtful passes, with the trials.
func (r *Result) checkAnswers() error {
	for i := range r.Tests {
		t := &r.Tests[i]
		path := fmt.Sprintf("scenarios[%d].", i)
		if err := t.checkDoubtful(path); err != nil {
			return err
		}
		if err := t.Answers.Check(path+"answers.", t.Passes+t.Fails); err != nil {
			return err
		}
		beside := 0 // trials with an outcome
		if t.besideOutcomes() != "" {
			beside = t.beside().Trials - t.beside().Errors
		}
		if err := t.BaselineAnswers.Check(path+"baseline_answers.", beside); err != nil {
			return err
		}
	}
	return nil
}

// Redrawn is how many attempts another one replaced, but those that the run itself stopped before they began.
func (s Expense) Redrawn() (n int) {
	for cause, k := range s.Repeated {
		if cause != "stopped" {
			n += k
		}
	}
	return n
}

// OftenRedrawn reports whether so many attempts were made again that what they would have come to may matter.
func (s Expense) OftenRedrawn() bool {
	n := s.Redrawn()
	return n >= fewestRedrawn && n*mostOfRedrawn > s.Attempts
}

// RedrawnText says how many attempts were made again.
func (s Expense) RedrawnText() string {
	return fmt.Sprintf("%d of %s never began and were made again: where what turned them away has to do with what the "+
		"agent was doing, the rate is that of the others", s.Redrawn(), prose.Count(s.Attempts, "attempt"))
}

// warnRedrawn warns where attempts were made again often.
func (r *Result) warnRedrawn() {
	if r.Spent.OftenRedrawn() {
		r.Warnings = append(r.Warnings, WarnRedrawn.Warning("%s", r.Spent.RedrawnText()))
	}
}
