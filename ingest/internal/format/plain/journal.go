package plain

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// The journal of tribunal run holds a line for each thing that happened: a header, an
// attempt that was launched, one that finished, with its record, a decision.
//
//	{"header":{"journal":1,"suite":"sha256:00","seed":1,"tests":[...]}}
//	{"launched":{"test":"day","scenario":"day","trial":0,"attempt":0,"seed":11}}
//	{"finished":{"scenario":"day","trial":0,"record":{"scenario":"day","outcome":"pass"}}}
//
// Package trial/journal has the format; a journal that was cut off is read as far as it goes.
func showsJournal(s *record.Shape) bool {
	return !s.Array && s.First().At("header").Has("journal", "tests")
}

// Journal decodes the journal of tribunal run, in the order of launch.
var Journal = record.Decoder{Shows: showsJournal, Read: readJournal}

// readJournal reads the records of the trials that ended, in the order in which they
// were launched: in that in which they ended, the quick ones would come first. An
// attempt that was repeated is no trial; a trial of which one that had begun was repeated, as earlier
// versions did, is an error.
func readJournal(in *record.Input) error {
	j := &journalFile{in: in, ended: map[journal.Key]*trial.Trial{}, launched: map[journal.Key]bool{},
		running: map[journal.Key]bool{}, replaced: map[journal.Key]bool{}}
	if err := in.EachLine(j.line); err != nil {
		return err
	}
	return j.finish()
}

// journalFile is a journal that is read.
type journalFile struct {
	in       *record.Input
	launched map[journal.Key]bool
	// launched has every trial that ever was, waiting and ended only those that are held back.
	waiting  []journal.Key                // launched and not handed out, in their order
	ended    map[journal.Key]*trial.Trial // of those
	running  map[journal.Key]bool         // an attempt of it began and has not ended
	replaced map[journal.Key]bool         // an attempt that had begun was made again
	repeated int                          // attempts
	shard    *journal.Shard               // that it is the journal of; nil is a whole run
	share    *journal.Share               // what it has of that, where that was run
	tests    []record.Sampling
	chain    journal.Chain // of the lines so far
}

// line takes in one line, which is one event.
func (j *journalFile) line(text []byte, line int) error {
	event, err := journal.ParseLine(text)
	if err != nil {
		j.in.Unread(text, line)
		return nil
	}
	if err := j.chain.Add(text); err != nil {
		return j.wrong(line, err)
	}
	if l := event.Launch; l != nil {
		key := l.Key()
		j.launch(key)
		j.replaced[key] = j.replaced[key] || j.running[key]
		j.running[key] = true
	}
	if event.Share != nil {
		j.share = event.Share
	}
	j.sampled(event)
	end := event.End
	switch {
	case end == nil:
		return nil
	// An attempt that is repeated is no trial; the one that follows is.
	case end.Retry || end.Record == nil:
		j.repeated++
		delete(j.running, end.Key())
		if end.Spent.Unstarted == 0 {
			j.replaced[end.Key()] = true
		}
		return nil
	}
	t, err := end.Decode(j.in.Options.Records)
	if err != nil {
		return j.wrong(line, err)
	}
	t.Place = j.in.Place(line)
	key := end.Key()
	j.launch(key) // of a journal whose beginning is lost
	if j.replaced[key] {
		place := t.Place
		t = journal.AsError(t)
		t.Place = place
	}
	delete(j.running, key)
	delete(j.replaced, key)
	j.ended[key] = t
	return j.emit(false)
}

// sampled takes in what an event says of how the tests were sampled.
func (j *journalFile) sampled(event journal.Line) {
	switch h, d, x := event.Header, event.Decision, event.Extension; {
	case h != nil:
		j.shard = h.Shard
		for _, t := range h.Tests {
			s := record.Sampling{Test: t.Name, Variant: t.Variant, Scenarios: t.Scenarios}
			stopsAt(&s, t.Design, t.Stops)
			j.tests = append(j.tests, s)
		}
	case d != nil:
		if t := j.test(d.Test); t != nil {
			t.Judged, t.Outcome = d.Trials, d.Outcome
		}
	case x != nil: // the decision before does not hold any more
		if t := j.test(x.Test); t != nil {
			t.Judged, t.Outcome = 0, ""
			stopsAt(t, x.Design, x.Stops)
		}
	}
}

// stopsAt sets the design of a test.
func stopsAt(t *record.Sampling, design string, s *journal.Stops) {
	if s == nil {
		s = &journal.Stops{}
	}
	t.Design, t.Fixed, t.MaxTrials, t.Boundaries = design, s.Fixed, s.MaxTrials, s.Boundaries
}

// test is what is known of the test of a name; nil of none.
func (j *journalFile) test(name string) *record.Sampling {
	for i := range j.tests {
		if j.tests[i].Test == name {
			return &j.tests[i]
		}
	}
	return nil
}

// launch notes a trial at its first attempt.
func (j *journalFile) launch(k journal.Key) {
	if !j.launched[k] {
		j.launched[k] = true
		j.waiting = append(j.waiting, k)
	}
}

// emit hands out the trials that ended, up to the first that did not, or all.
// So a trial is held only while an earlier one runs.
func (j *journalFile) emit(all bool) error {
	for len(j.waiting) > 0 {
		k := j.waiting[0]
		t := j.ended[k]
		if t == nil && !all {
			return nil
		}
		j.waiting = j.waiting[1:]
		if t == nil {
			j.in.Notes.Pass("trials that did not end")
			continue
		}
		delete(j.ended, k)
		if err := j.in.Emit(t, j.in.Options.Numbered); err != nil {
			return err
		}
	}
	return nil
}

// finish hands out the rest, and remarks on what a reader of rates should know.
func (j *journalFile) finish() error {
	if err := j.emit(true); err != nil {
		return err
	}
	if j.repeated > 0 {
		j.in.Notes.Remark(fmt.Sprintf("attempts that were repeated: %d; a trial is an error where one of them had begun",
			j.repeated))
	}
	if j.shard != nil {
		j.in.Notes.Remark(fmt.Sprintf("shard %v of a run, with a part of its trials: tribunal run merge judges all parts",
			*j.shard))
	}
	j.fixShare()
	j.in.Notes.SampledBy(j.tests)
	return nil
}

// fixShare says of a shard that ran its part that its share of a fixed number of trials was as fixed.
func (j *journalFile) fixShare() {
	if j.shard == nil || j.share == nil || j.share.Budget != "" {
		return
	}
	for i := range j.tests {
		t := &j.tests[i]
		if t.Fixed == 0 {
			continue
		}
		t.Fixed = 0
		for k := range j.launched {
			if slices.Contains(t.Scenarios, k.Scenario) && k.Variant == t.Variant {
				t.Fixed++
			}
		}
		t.Judged = t.Fixed
	}
}

// wrong says at which line an error is. The record is a part of the line, so that its own line and column say
// nothing.
func (j *journalFile) wrong(line int, err error) error {
	if e, ok := errors.AsType[*trial.FieldError](err); ok {
		e.Place.Line, e.Place.Column = line, 0
		return err
	}
	if e, ok := errors.AsType[*trial.SyntaxError](err); ok {
		e.Place.Line, e.Place.Column = line, 0
		return err
	}
	return &trial.SyntaxError{Place: j.in.Place(line), Problem: "the line " + err.Error()}
}
