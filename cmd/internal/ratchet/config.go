package ratchet

import (
	"path/filepath"
	"time"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// FileName is what the file of a loop is called.
const FileName = "ratchet.yaml"

// Config is a loop as its file says it.
type Config struct {
	File string // from the working directory
	Name string

	Files   []string // that may change, from the folder of the file, with slashes
	Protect []string // globs of what must not change, likewise
	Exclude []string // globs of what a copy of the project does not have
	Link    []string // what a copy has as a link: large, and only read
	Rules   []string // that every prompt ends with

	Generate *Stage // makes the first attempt; nil: it is what lies there
	Review   *Stage // looks at the first attempt; nil: nobody does
	Fix      Stage  // mends

	Tests *Tests // deterministic ones; nil where there is a suite
	Suite *Pairs // of an agent that varies; nil where there are tests

	Extract  Extract
	Attempts int           // most, without what lies there
	Stalled  int           // it stops after so many without progress; 0: it does not
	Least    float64       // it stops below this chance of an improvement; 0: it does not
	MaxCost  float64       // in US dollars, of all calls; 0: no bound
	MaxTime  time.Duration // of the loop, over all sessions; 0: no bound
	Routes   map[string]string
	Prices   *prices.Table // laid over those that are built in; nil is none
	Wire     bool          // programs ask their models over the wire
	Guard    string        // a contract whose guardrails are held on the wire; "" is none
	Confine  bool          // programs write below their copy alone, and reach the wire alone
	Seed     uint64
	Digest   string // of the file's text, "sha256:" and 64 hexadecimal digits

	programs []mention // that it starts
	written  []mention // Files, as they stand
}

// Dir is the folder of the file, which is the project.
func (c *Config) Dir() string { return filepath.Dir(c.File) }

// Path is a file of the project.
func (c *Config) Path(name string) string { return filepath.Join(c.Dir(), filepath.FromSlash(name)) }

// Stage is a program that asks a model.
type Stage struct {
	Command []string
	JSON    bool   // it has all that there is as one JSON document; else the prompt as text
	Route   string // one of Config.Routes; "" is none
	Timeout time.Duration
}

// Tests are a command that runs tests.
type Tests struct {
	Command []string
	From    ingest.Format // of its report
	Stdout  bool          // the report is what it prints
	Timeout time.Duration
	Again   bool // tests that fail are run again on the same files, to find those that are flaky
}

// Pairs are how an agent that varies is tried: by pairs of trials of a suite, the champion beside the attempt.
type Pairs struct {
	File     string // of the suite, from the folder of the loop
	Alpha    float64
	Spending keep.Spending
	Question keep.Question // without its level
	Price    trial.Optional[float64]
}

// Language says how an answer is read as files.
type Language string

// The languages.
const (
	noLanguage Language = "none"    // the program changes the files itself, in the copy that it runs in
	python     Language = "python"  // checked by Python's own parser
	Go         Language = "go"      // checked by Go's
	JSON       Language = "json"    // one JSON value
	Command    Language = "command" // checked by a command, which has the text on its standard input
)

// Extract says how files are found in an answer.
type Extract struct {
	Language Language
	Command  []string // of [Command], and the interpreter of [python]
}

// What holds where a file says nothing. The attempts, the timeout of tests and the two budgets are those of the article
// on test-driven termination; the rest is chosen.
const (
	defaultAttempts     = 5
	defaultTestTimeout  = 120 * time.Second
	defaultStageTimeout = 10 * time.Minute
	workdayUSD          = 10.0
	overnightUSD        = 30.0
)
