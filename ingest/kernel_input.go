package ingest

import (
	"bufio"

	"github.com/tribunal-dev/tribunal/trial"
)

// PrefixBytes is how much of a file is looked at to tell its format.
const prefixBytes = 64 << 10

// input is one file on its way to trials, as a decoder sees it.
type input struct {
	text    *bufio.Reader // decompressed, without a byte order mark
	file    string        // its name, for messages and scenarios
	options inputOptions
	notes   *notes
	sink    sink
}

// sink takes in the trials that a decoder finds.
type sink interface {
	// Identify gives the trial the scenario, the number and the variant that the rules
	// of the user say it has.
	Identify(t *trial.Trial) error

	// Deliver checks, numbers and judges a trial that has its identity, and hands it
	// out. Numbered gives a trial without a number the next one of its scenario.
	Deliver(t *trial.Trial, numbered bool) error
}

// inputOptions is what a decoder may know of how the files are read.
type inputOptions struct {
	trial.Options

	records          trial.Options // for decoders that read records of package trial: with what rules need
	scorer           string        // the scorer that judges, where one trial has several; "" is the only one
	maxDocumentBytes int           // the longest file that is held whole
	numbered         bool          // a trial without a number gets the next of its scenario, in all formats
	laterJudged      bool          // a trial whose record tells no outcome may go on: it is judged later, or not at all
}

// place is a line of the file.
func (in *input) place(line int) trial.Place { return trial.Place{File: in.file, Line: line} }

// emit hands out a trial of any format, with what the rules of the user say of it. A
// trial without a number gets the next one of its scenario, if so wanted.
func (in *input) emit(t *trial.Trial, numbered bool) error {
	if err := in.sink.Identify(t); err != nil {
		return err
	}
	return in.sink.Deliver(t, numbered)
}

// emitTrace hands out a trial that is put together from another tool's log, with an
// identity: a scenario that the log does not name is that of its file, and a number
// that it does not give is the next.
func (in *input) emitTrace(t *trace) error {
	x := t.finish()
	if x.Scenario == "" {
		x.Scenario = fileScenario(in.file)
	}
	if x.Outcome == trial.Unjudged && x.Score.Known && in.options.PassScore.Known {
		x.Outcome = trial.ByScore(x.Score.Value, in.options.PassScore.Value)
	}
	return in.emit(x, true)
}
