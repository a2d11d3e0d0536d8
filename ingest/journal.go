package ingest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
)

// The journal of tribunal run holds a line for each thing that happened: a header, an
// attempt that was launched, one that finished, with its record, a decision.
func showsJournal(s *shape) bool {
	return !s.array && s.first().at("header").has("journal", "tests")
}

// readJournal reads the records of the trials that ended, in the order in which they
// were launched: in that in which they ended, the quick ones would come first. An
// attempt that was repeated is no trial.
func readJournal(in *input) error {
	j := &journal{in: in, ended: map[journalKey]*trial.Trial{}, launched: map[journalKey]bool{}}
	j.options = in.options.records
	if err := in.eachLine(j.line); err != nil {
		return err
	}
	return j.finish()
}

// journalKey names a trial of a run.
type journalKey struct {
	Scenario string `json:"scenario"`
	Trial    int    `json:"trial"`
}

// journal is a journal that is read.
type journal struct {
	in       *input
	options  trial.Options
	launched map[journalKey]bool
	waiting  []journalKey                // launched and not handed out, in their order
	ended    map[journalKey]*trial.Trial // of those
	repeated int                         // attempts
	decided  bool
}

func (j *journal) line(text []byte, line int) error {
	var event struct {
		Launched *journalKey `json:"launched"`
		Finished *struct {
			journalKey
			Retry  bool            `json:"retry"`
			Record json.RawMessage `json:"record"`
		} `json:"finished"`
		Decision json.RawMessage `json:"decision"`
	}
	if err := json.Unmarshal(text, &event); err != nil {
		j.in.unread(text, line)
		return nil
	}
	if l := event.Launched; l != nil {
		j.launch(*l)
	}
	j.decided = j.decided || event.Decision != nil
	f := event.Finished
	switch {
	case f == nil:
		return nil
	case f.Retry || f.Record == nil:
		j.repeated++
		return nil
	}
	t, err := trial.Decode(f.Record, j.options)
	if err != nil {
		return atLine(err, line)
	}
	t.Place = j.in.place(line)
	j.launch(f.journalKey) // of a journal whose beginning is lost
	j.ended[f.journalKey] = t
	return j.handOut(false)
}

func (j *journal) launch(k journalKey) {
	if !j.launched[k] {
		j.launched[k] = true
		j.waiting = append(j.waiting, k)
	}
}

// handOut hands out the trials that ended, up to the first that did not, or all.
func (j *journal) handOut(all bool) error {
	for len(j.waiting) > 0 {
		k := j.waiting[0]
		t := j.ended[k]
		if t == nil && !all {
			return nil
		}
		j.waiting = j.waiting[1:]
		if t == nil {
			j.in.notes.pass("trials that did not end")
			continue
		}
		delete(j.ended, k)
		if err := j.in.emit(t, j.in.options.numbered); err != nil {
			return err
		}
	}
	return nil
}

func (j *journal) finish() error {
	if err := j.handOut(true); err != nil {
		return err
	}
	if j.repeated > 0 {
		j.in.notes.remark(fmt.Sprintf("attempts that were repeated: %d; the last one of each trial counts", j.repeated))
	}
	if j.decided {
		j.in.notes.remark("the run ended when its tests had decided: its share of passes leans to the side of the decision")
	}
	return nil
}

// atLine has an error about a record within a line name the line alone.
func atLine(err error, line int) error {
	if e, ok := errors.AsType[*trial.FieldError](err); ok {
		e.Place.Line, e.Place.Column = line, 0
	}
	if e, ok := errors.AsType[*trial.SyntaxError](err); ok {
		e.Place.Line, e.Place.Column = line, 0
	}
	return err
}
