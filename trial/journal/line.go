package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// formatVersion is that of the lines; a journal of another one is not read. The names of the members are
// part of it.
const formatVersion = 1

// Line is one line of a journal. Exactly one field is set beside the chain.
type Line struct {
	Header    *Header    `json:"header,omitempty"`   // the first line, and no other
	Launch    *Launch    `json:"launched,omitempty"` // an attempt began
	End       *End       `json:"finished,omitempty"` // an attempt ended
	Decision  *Decision  `json:"decision,omitempty"` // a test ended
	Extension *Extension `json:"extended,omitempty"` // a test that had ended goes on
	// How many trials are recorded was worked out.
	Calibration *Calibration `json:"calibrated,omitempty"`
	Cut         *Cut         `json:"cut,omitempty"`   // the budget ended attempts
	Share       *Share       `json:"share,omitempty"` // the part of the run was run, in the journal of a shard
	Chain       string       `json:"chain,omitempty"` // beside one of them: see [Chain]; "" in earlier versions
}

// Header says what the run was, so that nobody continues it as another one.
type Header struct {
	Format int    `json:"journal"` // version of the format of the lines; set by [Create]
	Suite  string `json:"suite"`   // digest of the suite
	// What the digest is of, a line each, to say what of it changed; nil in journals of earlier versions.
	Describes []string `json:"describes,omitempty"`
	Seed      uint64   `json:"seed"`    // of the order and of every trial
	Tests     []Test   `json:"tests"`   // in the order of the run
	Version   string   `json:"version"` // of the program that began it; another one may go on
	// The command line that continues the run, and the journal as it is named where that is given; "" is not told.
	Command   string `json:"command,omitempty"`
	File      string `json:"file,omitempty"`
	Calibrate int    `json:"calibrate,omitempty"` // trials of each scenario that calibrate the run; 0: none do
	// The programs that the run starts, as they were when it began; nil in journals of earlier versions.
	Programs []Program `json:"programs,omitempty"`
	// Agent is the digest of what the agent is known by; "" is not told.
	Agent string `json:"agent,omitempty"`
	// What of the agents was to be confined, and was not, such as "agent: network"; nil where all of it was.
	Unconfined []string `json:"unconfined,omitempty"`
	Profile    string   `json:"profile,omitempty"`  // of the suite; "" is none
	Began      string   `json:"began_at,omitempty"` // RFC 3339, of a run that may not stretch for any time
	Shard      *Shard   `json:"shard,omitempty"`    // that the journal is of; nil is the whole run
}

// Program is a file that a run starts, or that an argument of such a program names.
type Program struct {
	File   string `json:"file"`   // as the suite has it
	SHA256 string `json:"sha256"` // of its content, in hexadecimal digits
}

// Test is what a header says of one test of the run.
type Test struct {
	Name      string   `json:"name"`              // of the test
	Variant   string   `json:"variant,omitempty"` // of the agent
	Design    string   `json:"design"`            // digest of the sequential design that it began with
	Scenarios []string `json:"scenarios"`         // their names, in the order in which they are drawn from
	// Where the design may stop; nil of a test against a baseline, and in journals of earlier versions.
	Stops *Stops `json:"stops,omitempty"`
}

// Stops says where a test may stop, so that what it came to can be judged by that. Either
// Fixed is set or the others are.
type Stops struct {
	Fixed      int    `json:"fixed,omitempty"`      // trials, all of which run whatever they come to
	MaxTrials  int    `json:"max_trials,omitempty"` // of a sequential test
	Boundaries string `json:"boundaries,omitempty"` // of it, as in the records of package baseline
}

// Launch says that an attempt at a trial began.
type Launch struct {
	Test     string `json:"test"`               // that the trial belongs to
	Scenario string `json:"scenario"`           // by its name
	Variant  string `json:"variant,omitempty"`  // of the agent
	Baseline bool   `json:"baseline,omitempty"` // it is of the side that the agent is tested against
	Trial    int    `json:"trial"`              // its number within scenario, variant and side, from 0
	Attempt  int    `json:"attempt"`            // 0, and one more after each attempt that was repeated
	Seed     uint64 `json:"seed"`               // of the trial, the same for all its attempts
	// Of the first attempt of a session: what the agents and judges are made of and was another when the run began.
	Changed []string `json:"changed,omitempty"`
}

// Key names the trial of the attempt.
func (l Launch) Key() Key { return Key{l.Scenario, l.Variant, l.Baseline, l.Trial} }

// End says how an attempt ended.
type End struct {
	Scenario string `json:"scenario"`           // by its name
	Variant  string `json:"variant,omitempty"`  // of the agent
	Baseline bool   `json:"baseline,omitempty"` // it is of the side that the agent is tested against
	Trial    int    `json:"trial"`              // its number within scenario, variant and side, from 0
	Attempt  int    `json:"attempt"`            // from 0
	// Retry says that it never began and that another attempt follows. There is an Error then and
	// no Record; otherwise it is the other way round. Earlier versions also repeated what had begun:
	// such a trial is read as an error.
	Retry bool   `json:"retry,omitempty"`
	Cause string `json:"cause,omitempty"` // of the repeat, such as "start"; "" where there is a Record
	// Lost says that nothing is known but that it began: an earlier session was killed or stopped
	// while it ran. Its Record is an error.
	Lost  bool   `json:"lost,omitempty"`
	Error string `json:"error,omitempty"` // what it ended in; "" where there is a Record
	Spent Spend  `json:"spent"`           // by this attempt
	// ElapsedSeconds is the time since the run began, without that between its sessions.
	ElapsedSeconds float64         `json:"elapsed_s"`
	Process        *Process        `json:"process,omitempty"` // nil where there is nothing to tell of it
	Record         json.RawMessage `json:"record,omitempty"`  // of the trial, for trial.Decode
}

// Key names the trial of the attempt.
func (e End) Key() Key { return Key{e.Scenario, e.Variant, e.Baseline, e.Trial} }

// Process is how the program of an attempt ended that did not pass, or not with exit code 0. What was ended
// because it took too long has neither a code nor a signal of its own.
type Process struct {
	ExitCode int    `json:"exit_code,omitempty"` // 0 also where a signal ended it
	Signal   string `json:"signal,omitempty"`    // such as "segmentation fault"
	Stderr   string `json:"stderr,omitempty"`    // the end of its standard error, at most [MaxStderrBytes]
}

// MaxStderrBytes is how much of a standard error is kept: its end, where the reason stands.
const MaxStderrBytes = 2000

// String returns such as "exit code 3" and "signal terminated"; "" where it ended with exit code 0, or was ended.
func (p *Process) String() string {
	switch {
	case p == nil:
	case p.Signal != "":
		return "signal " + p.Signal
	case p.ExitCode != 0:
		return fmt.Sprintf("exit code %d", p.ExitCode)
	}
	return ""
}

// LastLine returns the last line of the standard error that is not blank.
func (p *Process) LastLine() string {
	if p == nil {
		return ""
	}
	text := strings.TrimSpace(p.Stderr)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// of returns an error where the end's record says that it is of another trial.
func (e End) of(record *trial.Trial) error {
	if record.Scenario != e.Scenario || record.Index.Known && record.Index.Value != e.Trial {
		other := Key{Scenario: record.Scenario, Number: record.Index.Value}
		return fmt.Errorf("has a record of %v, and says that %v ended", other, e.Key())
	}
	return nil
}

// Decode reads the record of the end, and refuses one of another trial. It is nil where there is none.
func (e End) Decode(o trial.Options) (*trial.Trial, error) {
	if e.Record == nil {
		return nil, nil
	}
	record, err := trial.Decode(e.Record, o)
	if err != nil {
		return nil, err
	}
	return record, e.of(record)
}

// Key is what tells the trials of a run apart.
type Key struct {
	Scenario string // by its name
	Variant  string // of the agent; empty where there are none
	Baseline bool   // of the side that the agent is tested against
	Number   int    // within scenario, variant and side, from 0
}

// String returns such as `trial 3 of scenario "refund"`.
func (k Key) String() string {
	text := fmt.Sprintf("trial %d of scenario %q", k.Number, k.Scenario)
	if k.Variant != "" {
		text += fmt.Sprintf(" of variant %q", k.Variant)
	}
	if k.Baseline {
		text += ", baseline"
	}
	return text
}

// Decision says how a test ended.
type Decision struct {
	Test     string `json:"test"`     // by its name
	Design   string `json:"design"`   // digest of the design that decided
	Outcome  string `json:"outcome"`  // "pass", "fail" or "inconclusive", or [Spared]
	Trials   int    `json:"trials"`   // that were judged
	Failures int    `json:"failures"` // among the trials
	Errors   int    `json:"errors"`   // among the trials
}

// Spared is the outcome of a test that ended without a decision, because one of its variant failed.
const Spared = "spared"

// Extension says that a test goes on beyond the trials that its design had.
type Extension struct {
	Test   string `json:"test"`   // by its name
	More   int    `json:"more"`   // trials
	Design string `json:"design"` // digest of the extended one
	// Where the extended design may stop; nil in journals of earlier versions.
	Stops *Stops `json:"stops,omitempty"`
}

// Calibration says how many trials of each scenario the run records, and by which budget: one that is raised later does
// not change it.
type Calibration struct {
	Record       int      `json:"record"`                  // of each scenario
	Wanted       int      `json:"wanted"`                  // of each scenario; 0 is not known
	MaxUSD       *float64 `json:"max_usd,omitempty"`       // nil is no limit
	BudgetTrials int      `json:"budget_trials,omitempty"` // 0 is no limit
}

// Cut says that the budget of the run was used up while attempts were running, and ended them. None of them has an End.
type Cut struct {
	Budget string `json:"budget"` // which one: "cost" or "tokens"
	Spent  Spend  `json:"spent"`  // by the attempts that it ended, as far as it was seen
	// ElapsedSeconds is the time since the run began, without that between its sessions.
	ElapsedSeconds float64 `json:"elapsed_s"`
}

// ParseLine reads one line. It refuses text that is no JSON object, and members that
// a journal does not have. A line in which nothing is set is returned as it is.
func ParseLine(text []byte) (Line, error) {
	var l Line
	d := json.NewDecoder(bytes.NewReader(text))
	// A member that this program does not know may be one that changes what the line means.
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return Line{}, fmt.Errorf("is not a journal's: %w", err)
	}
	// A line holds one object and nothing else.
	if _, err := d.Token(); err != io.EOF {
		return Line{}, errFollows
	}
	return l, nil
}

// errFollows says that there is more in a line than its object, as where a newline was lost.
var errFollows = errors.New("is not a journal's: something follows its object")

// fields counts what a line tells; it is one for every line that was written here.
func (l Line) fields() int {
	n := 0
	for _, set := range []bool{l.Header != nil, l.Launch != nil, l.End != nil, l.Decision != nil, l.Extension != nil,
		l.Calibration != nil, l.Cut != nil, l.Share != nil} {
		if set {
			n++
		}
	}
	return n
}
