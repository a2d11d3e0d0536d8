package ratchet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// Options say how a loop is opened.
type Options struct {
	Resume  bool              // continue the journal that is there
	Fresh   bool              // start again although there is one: it is kept aside
	Version string            // of the program
	Now     func() time.Time  // nil is time.Now
	Told    func(text string) // is told what is done; nil is nobody
}

// now is the time.
func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// Loop is a loop that is open. It is for one goroutine.
type Loop struct {
	config   *Config
	options  Options
	journal  *journal
	programs *programs
	begun    journalStart
	folder   string // of its journal and copies
	mark     string // of its programs

	attempts []attempt
	champion Files // what lies on disk
	calls    []improvement.Call
	stop     improvement.Stop
	stopText string
}

// journalStart is the first line of a journal.
type journalStart struct {
	Config    string `json:"config"`    // digest of the file
	Version   string `json:"version"`   // of the program
	Start     Files  `json:"start"`     // the files that may change, as they lay there
	Protected Files  `json:"protected"` // what must not change
}

const begunKey = "begun"

// The errors of journals that are there, and are not.
var (
	ErrBegun   = exit.New(exit.Input, "a loop was begun here before")
	ErrNoLoop  = exit.New(exit.Input, "no loop was begun here")
	ErrChanged = exit.New(exit.Input, "the loop is another one than that of the journal")
)

// Folder is where a loop keeps its journal and its copies.
func (c *Config) Folder() string { return filepath.Join(c.Dir(), ".tribunal", "ratchet") }

func (c *Config) journalFile() string { return filepath.Join(c.Folder(), "journal.jsonl") }

// Open begins a loop, or continues one. Nothing else may change the files until it is closed.
func Open(ctx context.Context, c *Config, o Options) (l *Loop, err error) {
	l = &Loop{config: c, options: o, folder: c.Folder()}
	if err := os.MkdirAll(l.folder, 0o700); err != nil {
		return nil, err
	}
	if l.journal, err = openJournal(c.journalFile()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if o.Fresh && len(l.journal.keys) > 0 {
		if err := l.journal.setAside(); err != nil {
			return l, err
		}
	}
	// What a loop that was killed left running would go on changing things.
	l.mark = process.FileMark(c.journalFile())
	process.EndMarked(l.mark)
	if err := os.RemoveAll(l.work()); err != nil {
		return l, err
	}
	there, err := l.journal.get(begunKey, &l.begun)
	switch {
	case err != nil:
		return l, err
	case there && !o.Resume:
		return l, ErrBegun
	case !there && o.Resume:
		return l, ErrNoLoop
	}
	if err := c.missing(); err != nil {
		return l, err
	}
	if there {
		err = l.takeUp()
	} else {
		err = l.begin()
	}
	if err == nil {
		l.programs, err = newPrograms(ctx, c)
	}
	return l, err
}

// begin notes what lies there.
func (l *Loop) begin() (err error) {
	c := l.config
	l.begun = journalStart{Config: c.Digest, Version: l.options.Version}
	if l.begun.Start, err = readFiles(c.Dir(), c.Files); err != nil {
		return err
	}
	if l.begun.Protected, err = c.protected(c.Dir()); err != nil {
		return err
	}
	l.champion = l.begun.Start
	return l.journal.put(begunKey, l.begun)
}

// takeUp looks whether a loop can be continued.
func (l *Loop) takeUp() error {
	c := l.config
	if l.begun.Config != c.Digest {
		return ErrChanged
	}
	now, err := c.protected(c.Dir())
	if err != nil {
		return err
	}
	if names := changed(l.begun.Protected, now); len(names) > 0 {
		return &touchedError{names[0], "is protected, and was changed since the loop was begun"}
	}
	l.champion = l.begun.Start
	return nil
}

// touchedError says that a file was changed while no loop ran.
type touchedError struct{ File, Problem string }

// Error names the file.
func (e *touchedError) Error() string { return e.File + " " + e.Problem }

// Hint says what to do.
func (e *touchedError) Hint() string {
	return "undo the change, or begin another loop from what lies there"
}

// ExitCode is that of input that cannot be used.
func (e *touchedError) ExitCode() int { return exit.Input }

// setAside keeps a journal beside the one that is begun.
func (j *journal) setAside() error {
	text, err := os.ReadFile(j.name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(strings.TrimSuffix(j.name, ".jsonl")+".before.jsonl", text, 0o600); err != nil {
		return err
	}
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	_, err = j.file.Seek(0, 0)
	clear(j.lines)
	j.keys = nil
	return err
}

// Close ends the loop, which may be continued.
func (l *Loop) Close() error {
	var err error
	if l.programs != nil {
		err = l.programs.close()
	}
	return errors.Join(err, os.RemoveAll(l.work()), l.journal.close())
}

// work is where copies of the project are.
func (l *Loop) work() string { return filepath.Join(l.folder, "work") }

// tell says what is done.
func (l *Loop) tell(format string, values ...any) {
	if l.options.Told != nil {
		l.options.Told(fmt.Sprintf(format, values...))
	}
}

// errTime ends a loop whose time is used up.
var errTime = errors.New("the time of the loop is used up")

// Run makes attempts until one of the reasons to stop is there, and returns what came of the loop. A context that ends
// is one of them. The error says that a program could not be run, or that files could not be written.
func (l *Loop) Run(ctx context.Context) (*improvement.Result, error) {
	ctx = process.WithMark(ctx, l.mark)
	if l.config.MaxTime > 0 {
		bounded, end := context.WithTimeoutCause(ctx, l.config.MaxTime, errTime)
		defer end()
		ctx = bounded
	}
	err := l.attemptAll(ctx)
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), errTime):
		l.stop, err = improvement.TimeCap, nil
	case ctx.Err() != nil:
		l.stop, err = improvement.Interrupted, nil
	}
	if _, touched := errors.AsType[*touchedError](err); touched {
		return nil, err // what somebody wrote there stays
	}
	if put := l.restore(); put != nil { // whatever ended it
		return nil, errors.Join(err, put)
	}
	if err != nil {
		return nil, err
	}
	return l.result()
}

// attemptAll makes the attempts.
func (l *Loop) attemptAll(ctx context.Context) error {
	for number := l.first(); ; number++ {
		if number > 0 {
			stop, err := l.mayStop(number)
			if err != nil || stop != "" {
				l.stop = cmp.Or(l.stop, stop)
				return err
			}
		}
		a, err := l.attempt(ctx, number)
		if err != nil {
			return err
		}
		l.attempts = append(l.attempts, *a)
		if err := l.settle(); err != nil {
			return err
		}
		if a.stop != "" {
			l.stop, l.stopText = a.stop, a.stopText
			return nil
		}
	}
}

// first is the number of the first attempt: 0 is what lies there, where all files do and tests can say how good it is.
func (l *Loop) first() int {
	if l.config.Tests != nil && len(l.begun.Start) == len(l.config.Files) {
		return 0
	}
	return 1
}

// mayStop returns why no further attempt is made; "" is that one is.
func (l *Loop) mayStop(number int) (improvement.Stop, error) {
	c := l.config
	r, err := l.result()
	if err != nil {
		return "", err
	}
	row := 0 // attempts since the champion was found
	for _, a := range r.Attempts {
		if row++; a.Judged.Champion == a.Number {
			row = 0
		}
	}
	switch last := len(r.Attempts) - 1; {
	case last >= 0 && r.Attempts[last].Judged.Best != nil && r.Attempts[last].Judged.Best.Passed():
		return improvement.AllPass, nil
	case number > c.Attempts:
		return improvement.AttemptsOut, nil
	case c.MaxCost > 0 && r.CostUSD() >= c.MaxCost:
		return improvement.CostCap, nil
	case c.Stalled > 0 && row >= c.Stalled:
		return improvement.Stalled, nil
	case r.Chance < c.Least:
		return improvement.Unlikely, nil
	}
	return "", nil
}

// decisionRecord is what became of an attempt.
type decisionRecord struct {
	Files  string                 `json:"files,omitempty"` // digest of them
	Judged *improvement.Judgement `json:"judged"`
}

// settle puts the files of the last attempt in place where it is the current version.
func (l *Loop) settle() error {
	r, err := l.result()
	if err != nil {
		return err
	}
	a := &l.attempts[len(l.attempts)-1]
	judged := r.Attempts[len(r.Attempts)-1].Judged
	key := attemptKey(a.Number) + "decided"
	if !l.journal.has(key) {
		if err := l.journal.put(key, decisionRecord{a.Files, judged}); err != nil {
			return err
		}
	}
	before := l.champion
	if judged.Champion == a.Number && a.files != nil {
		l.champion = a.files
	}
	if err := l.place(before); err != nil {
		return err
	}
	l.tell("%s", describe(a, judged))
	return nil
}

// place makes the files of the current version those on disk. What lies there may be those before it, or some of each,
// as a loop leaves them that was killed in between; where it is something else, somebody changed it.
func (l *Loop) place(before Files) error {
	now, err := readFiles(l.config.Dir(), l.config.Files)
	if err != nil {
		return err
	}
	if l.journal.has(attemptKey(l.attempts[len(l.attempts)-1].Number+1) + "decided") {
		return nil // it is continued, and what lies there is of an attempt that comes
	}
	for _, name := range changed(l.champion, now) {
		is, was := now[name], before[name]
		if string(is) != string(was) {
			return &touchedError{name, "was changed by somebody else than the loop"}
		}
	}
	return l.champion.write(l.config.Dir(), l.config.Files)
}

// restore puts the files of the current version back where something else lies there.
func (l *Loop) restore() error {
	now, err := readFiles(l.config.Dir(), l.config.Files)
	if err != nil {
		return err
	}
	if len(changed(l.champion, now)) == 0 {
		return nil
	}
	return l.champion.write(l.config.Dir(), l.config.Files)
}

// result judges what was done so far, also where the loop was ended.
func (l *Loop) result() (*improvement.Result, error) {
	c := l.config
	asked := improvement.LoopSettings{By: improvement.ByCount, Attempts: c.Attempts, Stalled: c.Stalled, Least: c.Least}
	if c.Suite != nil {
		asked = c.Suite.asked(asked)
	}
	e := improvement.Evidence{
		Name: c.Name, Asked: asked, Calls: l.calls, Stop: l.stop, StopText: l.stopText, Seed: c.Seed,
		Version:  l.options.Version,
		Finished: l.options.now().UTC().Format(time.RFC3339),
	}
	for i := range l.attempts {
		for _, t := range l.attempts[i].tests.Cases {
			if !slices.Contains(e.Tests, t.Name) {
				e.Tests = append(e.Tests, t.Name)
			}
		}
	}
	slices.Sort(e.Tests)
	for i := range l.attempts {
		e.Attempts = append(e.Attempts, l.attempts[i].evidence(e.Tests))
	}
	return improvement.Judge(context.Background(), e)
}
