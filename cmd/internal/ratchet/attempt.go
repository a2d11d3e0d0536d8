package ratchet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// attempt is one of a loop, as it was made and tested.
type attempt struct {
	improvement.Attempt
	files Files       // nil where there are none
	tests testOutcome // by count
	again testOutcome // the tests that did not pass, once more on the same files

	stop     improvement.Stop // it ended the loop
	stopText string
}

// evidence is the attempt as a result has it.
func (a *attempt) evidence(tests []string) improvement.Attempt {
	e := a.Attempt
	if a.State != improvement.Tried || a.MaxPairs > 0 {
		return e
	}
	e.Outcomes = letters(tests, &a.tests)
	if len(a.again.Cases) > 0 {
		e.Again = letters(tests, &a.again)
	}
	return e
}

// letters are the outcomes of an execution, one for each test.
func letters(tests []string, t *testOutcome) string {
	var b strings.Builder
	for _, name := range tests {
		if found := t.find(name); found != nil {
			b.WriteString(found.Outcome)
		} else {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// describe is an attempt in a sentence.
func describe(a *attempt, j *improvement.Judgement) string {
	name := fmt.Sprintf("attempt %d", a.Number)
	if a.Number == 0 {
		name = "what lies there"
	}
	switch {
	case a.State != improvement.Tried:
		return fmt.Sprintf("%s: %s: %s", name, a.State, a.Problem)
	case j.Counts != nil:
		return fmt.Sprintf("%s: %d of %s pass: %v; the current version is attempt %d", name, j.Counts.Passes,
			prose.Count(j.Counts.Tests(), "test"), j.Decision, j.Champion)
	}
	return fmt.Sprintf("%s: %v after %s", name, j.Decision, prose.Count(len(a.Pairs), "pair"))
}

// attempt makes and tests one, or returns what the journal has of it.
func (l *Loop) attempt(ctx context.Context, number int) (*attempt, error) {
	a := &attempt{Attempt: improvement.Attempt{Number: number, State: improvement.Tried}}
	if number == 0 {
		a.files = l.begun.Start
		return a, l.test(ctx, a)
	}
	if err := l.make(ctx, a); err != nil || a.State != improvement.Tried {
		return a, err
	}
	a.Files = a.files.digest()
	if l.config.Suite != nil {
		return a, l.tryPairs(ctx, a)
	}
	return a, l.test(ctx, a)
}

// make has the programs make an attempt.
func (l *Loop) make(ctx context.Context, a *attempt) error {
	c := l.config
	name, stage := fixStage, &c.Fix
	if a.Number == 1 && c.Generate != nil {
		name, stage = generateStage, c.Generate
	}
	t := c.newTask(name, a.Number, stage, l.champion)
	if name == fixStage {
		failing, err := l.failing(ctx, a.Number)
		if err != nil {
			return err
		}
		t.Failing = failing
	}
	if err := l.ask(ctx, a, stage, t, l.champion); err != nil || a.State != improvement.Tried {
		return err
	}
	// A review is of the first attempt: what it finds would fail every test, and is found once.
	if a.Number != 1 || c.Review == nil {
		return nil
	}
	return l.review(ctx, a)
}

// review has the first attempt looked at, and mended where something is found.
func (l *Loop) review(ctx context.Context, a *attempt) error {
	c := l.config
	made := a.files
	found, err := l.stage(ctx, a, c.Review, c.newTask(reviewStage, a.Number, c.Review, made), made)
	if err != nil || a.State != improvement.Tried {
		return err
	}
	if found.Problem != "" || strings.EqualFold(strings.TrimSpace(found.Text), clean) {
		return nil
	}
	t := c.newTask(rewriteStage, a.Number, &c.Fix, made)
	t.Review = found.Text
	before := *a
	if err := l.ask(ctx, a, &c.Fix, t, made); err != nil || a.State != improvement.Unread {
		return err
	}
	*a = before // what was made stands, where its mending cannot be read
	return nil
}

// failing are the tests to be mended: those that the champion does not pass, without flaky ones.
func (l *Loop) failing(ctx context.Context, number int) ([]testCase, error) {
	if l.config.Suite != nil {
		return l.search(ctx, number)
	}
	r, err := l.result()
	if err != nil {
		return nil, err
	}
	flaky := map[string]bool{}
	for _, name := range r.Flaky {
		flaky[name] = true
	}
	var list []testCase
	for i := range l.attempts {
		a := &l.attempts[i]
		if a.Number != r.Champion || a.State != improvement.Tried {
			continue
		}
		for _, t := range a.tests.Cases {
			if t.Outcome != "P" && !flaky[t.Name] {
				list = append(list, t)
			}
		}
		if a.tests.Problem != "" {
			list = append(list, testCase{Name: "all tests", Outcome: "E", Message: a.tests.Problem})
		}
	}
	return list, nil
}

// ask starts a program that makes files, and gives them to the attempt.
func (l *Loop) ask(ctx context.Context, a *attempt, stage *Stage, t *task, from Files) error {
	r, err := l.stage(ctx, a, stage, t, from)
	if err != nil || a.State != improvement.Tried {
		return err
	}
	a.files = Files{}
	for name, text := range from {
		a.files[name] = text
	}
	if l.config.Extract.Language == noLanguage {
		a.files = r.Files
		return nil
	}
	for name, text := range r.Files {
		a.files[name] = text
	}
	return nil
}

// promptRecord is noted before a program starts: one that was killed with the loop is known to have begun.
type promptRecord struct {
	Prompt string `json:"prompt"`
}

// stage starts the program of a stage in a copy that has these files, or returns what the journal has of that.
func (l *Loop) stage(ctx context.Context, a *attempt, stage *Stage, t *task, files Files) (*reply, error) {
	t.write()
	key := attemptKey(t.Attempt) + t.Stage
	if err := l.countLost(key, t); err != nil {
		return nil, err
	}
	r, err := done(l.journal, key+"/reply", func() (*reply, error) {
		if err := l.journal.put(key+"/asked", promptRecord{t.Prompt}); err != nil {
			return nil, err
		}
		return l.start(ctx, stage, t, files)
	})
	if err != nil {
		return nil, err
	}
	l.calls = append(l.calls, r.Call)
	a.take(r)
	if r.Problem != "" && a.State == improvement.Unread && t.Stage == reviewStage {
		a.State, a.Problem = improvement.Tried, "" // a review that fails holds nothing up
	}
	return r, nil
}

// take takes in what came of a program.
func (a *attempt) take(r *reply) {
	switch {
	case r.Stop != "":
		a.State, a.stop, a.stopText = improvement.Ended, r.Stop, r.StopText
		a.Problem = string(r.Stop)
	case len(r.Changed) > 0:
		a.State, a.Problem = improvement.Tampered, "it changed "+prose.Some(r.Changed, 3)
	case r.Problem != "":
		a.State, a.Problem = improvement.Unread, r.Problem
	}
}

// countLost notes a call that was under way when the loop was killed: it was paid for, and is made again.
func (l *Loop) countLost(key string, t *task) error {
	lost := 0
	for ; l.journal.has(fmt.Sprintf("%s/lost/%d", key, lost)); lost++ {
	}
	if l.journal.has(key+"/asked") && !l.journal.has(key+"/reply") {
		if err := l.journal.put(fmt.Sprintf("%s/lost/%d", key, lost), true); err != nil {
			return err
		}
		lost++
	}
	for range lost {
		l.calls = append(l.calls, improvement.Call{Attempt: t.Attempt, Stage: t.Stage, Route: t.Route, Model: t.Model,
			Lost: true})
	}
	return nil
}

// start starts a program, and takes in what it left.
func (l *Loop) start(ctx context.Context, stage *Stage, t *task, files Files) (*reply, error) {
	c := l.config
	folder, remove, err := l.copied(ctx, t.Stage, files)
	if err != nil {
		return nil, err
	}
	defer remove()
	left := -1.0
	if c.MaxCost > 0 {
		left = c.MaxCost
		for _, call := range l.calls {
			if call.CostUSD != nil {
				left -= *call.CostUSD
			}
		}
		left = max(left, 0)
	}
	r, err := l.programs.ask(ctx, stage, t, folder, left)
	if err != nil {
		// What it changed before it was ended is undone too.
		_, undone := l.undo(folder)
		return nil, errors.Join(err, undone)
	}
	if r.Changed, err = l.undo(folder); err != nil {
		return nil, err
	}
	if r.Problem != "" || r.Stop != "" || t.Stage == reviewStage {
		return r, nil
	}
	if c.Extract.Language == noLanguage {
		r.Files, err = readFiles(folder, c.Files)
		if err == nil && len(r.Files) == 0 {
			r.Problem = "it left none of the files"
		}
		return r, err
	}
	r.Files, err = c.extract(ctx, r.Text)
	if tampered, ok := errors.AsType[*tamperedError](err); ok {
		r.Changed, err = append(r.Changed, tampered.file), nil
	}
	if unread, ok := errors.AsType[*unreadError](err); ok {
		r.Problem, err = unread.why, nil
	}
	return r, err
}

// undo puts back what a program changed that it must not: what is protected, in its copy and in the project, and the
// files of the current version. It returns the names.
func (l *Loop) undo(folder string) ([]string, error) {
	c := l.config
	copied, err := c.protected(folder)
	if err != nil {
		return nil, err
	}
	names := changed(l.begun.Protected, copied)
	own, err := c.protected(c.Dir())
	if err != nil {
		return nil, err
	}
	if outside := changed(l.begun.Protected, own); len(outside) > 0 {
		if err := l.begun.Protected.write(c.Dir(), outside); err != nil {
			return nil, err
		}
		names = append(names, outside...)
	}
	now, err := readFiles(c.Dir(), c.Files)
	if err != nil {
		return nil, err
	}
	if behind := changed(l.champion, now); len(behind) > 0 {
		if err := l.champion.write(c.Dir(), behind); err != nil {
			return nil, err
		}
		names = append(names, behind...)
	}
	return names, nil
}

// copied makes a copy of the project that has these files.
func (l *Loop) copied(ctx context.Context, name string, files Files) (folder string, remove func(), err error) {
	folder = filepath.Join(l.work(), name)
	remove = func() { _ = removeAll(folder) }
	remove()
	if err := l.config.copyTo(ctx, folder); err != nil {
		return "", remove, err
	}
	return folder, remove, files.write(folder, l.config.Files)
}

// test runs the tests of an attempt in a copy of its own, and those that do not pass once more in another.
func (l *Loop) test(ctx context.Context, a *attempt) error {
	run := func(names []string) func() (testOutcome, error) {
		return func() (testOutcome, error) {
			folder, remove, err := l.copied(ctx, "tests", a.files)
			if err != nil {
				return testOutcome{}, err
			}
			defer remove()
			t, err := l.config.Tests.run(ctx, folder, names)
			if err != nil {
				return t, err
			}
			_, err = l.undo(folder)
			return t, err
		}
	}
	var err error
	if a.tests, err = done(l.journal, attemptKey(a.Number)+"tests", run(nil)); err != nil {
		return err
	}
	a.Files, a.Problem = a.files.digest(), a.tests.Problem
	var names []string
	for _, t := range a.tests.Cases {
		if t.Outcome != "P" {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 || !l.config.Tests.Again {
		return nil
	}
	a.again, err = done(l.journal, attemptKey(a.Number)+"again", run(names))
	a.again.Cases = a.repeated()
	return err
}

// repeated are the tests that were run once more because they did not pass: a runner that cannot be told which to run
// has run all.
func (a *attempt) repeated() (list []testCase) {
	for _, t := range a.again.Cases {
		if found := a.tests.find(t.Name); found != nil && found.Outcome != "P" {
			list = append(list, t)
		}
	}
	return list
}

// attemptKey is what the keys of an attempt begin with.
func attemptKey(number int) string { return fmt.Sprintf("%d/", number) }
