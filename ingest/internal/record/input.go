package record

import (
	"bufio"
	"cmp"

	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/trial"
)

// PrefixBytes is how much of a file is looked at to tell its format.
const PrefixBytes = 64 << 10

// Input is one file on its way to trials, as a decoder sees it.
type Input struct {
	Text    *bufio.Reader  // decompressed, without a byte order mark
	File    string         // its name, for messages and scenarios
	Options Options        // what the user asked for, as far as decoders may know
	Notes   *Notes         // takes in what is left out, and what is remarkable
	Sink    Sink           // takes in the trials; Emit and EmitTrace hand them to it
	Spread  *SplitRuns     // of runs whose records are spread over several files; nil where there is one file
	Ends    *Ends          // of the runs of the file; nil where they are not known before it is read
	Memory  *memory.Budget // what the file may take; nil is without end
	held    int64          // of it, by what was read and not released
	whole   bool           // one document holds all trials
}

// Sink takes in the trials that a decoder finds.
type Sink interface {
	// Identify gives the trial the scenario, the number and the variant that the rules
	// of the user say it has.
	Identify(t *trial.Trial) error

	// ContentOf sums up what a trial says. Several goroutines may ask for it.
	ContentOf(t *trial.Trial) Content

	// IsRepeated reports whether the same recording was handed out before, by the id that
	// its log gives it; "" is no id. One that differs is an error.
	IsRepeated(t *trial.Trial, id string, content Content) (bool, error)

	// Deliver checks, numbers and judges a trial that has its identity, and hands it
	// out.
	Deliver(t *trial.Trial, n Numbering) error
}

// Content tells what trials say apart.
type Content struct {
	Digest  [16]byte
	IsKnown bool // it was asked for, and the trial can be written
}

// Numbering says what becomes of the number of a trial.
type Numbering uint8

// How trials are numbered.
const (
	Unnumbered Numbering = iota // one without a number has none
	Numbered                    // one without a number gets the next of its scenario
	OfRun                       // as Numbered, and a number counts within the run that the file records
)

// NumberedIf is [Numbered] if so wanted, else [Unnumbered].
func NumberedIf(wanted bool) Numbering {
	if wanted {
		return Numbered
	}
	return Unnumbered
}

// Options is what a decoder may know of how the files are read.
type Options struct {
	trial.Options

	Records          trial.Options // for records of package trial: with the fields that rules need
	Attributes       []string      // the keys that rules name: what they lead to is kept however long it is
	Scorer           string        // the scorer that judges, where one trial has several; "" is the only one
	MaxDocumentBytes int           // the longest file that is held whole
	NarrowLines      bool          // the memory allows no longer lines than MaxLineBytes
	NarrowDocuments  bool          // and no longer documents than MaxDocumentBytes
	Numbered         bool          // a trial without a number gets the next of its scenario, in all formats
	LaterJudged      bool          // a trial without an outcome may go on: it is judged later, or not at all
}

// Place is a line of the file.
func (in *Input) Place(line int) trial.Place { return trial.Place{File: in.File, Line: line} }

// Emit hands out a trial of any format, with what the rules of the user say of it. A
// trial without a number gets the next one of its scenario, if so wanted.
func (in *Input) Emit(t *trial.Trial, numbered bool) error {
	if err := in.Sink.Identify(t); err != nil {
		return err
	}
	if !in.whole {
		in.Release() // of lines, those of the trial are mostly all that were held
	}
	return in.Sink.Deliver(t, NumberedIf(numbered))
}

// Decode is [DecodeNode] within the memory that there is.
func (in *Input) Decode(text []byte) (Node, error) {
	bytes := memory.OfJSON(text)
	if err := in.Memory.Take(bytes, in.File); err != nil {
		return Node{}, err
	}
	in.held += bytes
	return DecodeNode(text)
}

// Release gives back what was taken for what was read.
func (in *Input) Release() {
	in.Memory.Give(in.held)
	in.held = 0
}

// Held is what was taken and not given back.
func (in *Input) Held() int64 { return in.held }

// GiveBack gives back a part of what is held.
func (in *Input) GiveBack(bytes int64) {
	bytes = min(bytes, in.held)
	in.Memory.Give(bytes)
	in.held -= bytes
}

// EmitTrace hands out a trial that is put together from another tool's log, with an
// identity: a scenario that the log does not name is that of its file, and a number
// that it does not give is the next. One that was handed out before is left out.
func (in *Input) EmitTrace(t *Trace) error {
	t.Close(in.Sink)
	x := &t.Trial
	if again, err := in.Sink.IsRepeated(x, t.ID, t.content); again || err != nil {
		return err
	}
	if x.Scenario == "" {
		x.Scenario = FileScenario(cmp.Or(x.Place.File, in.File)) // it may have begun in an earlier file
	}
	if x.Outcome == trial.Unjudged && x.Score.Known && in.Options.PassScore.Known {
		x.Outcome = trial.ByScore(x.Score.Value, in.Options.PassScore.Value)
	}
	if err := in.Sink.Identify(x); err != nil {
		return err
	}
	return in.Sink.Deliver(x, OfRun)
}
