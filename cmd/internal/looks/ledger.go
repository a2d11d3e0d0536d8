// Package looks keeps the ledger of looks: every judgement of a question on an agent, in lines of JSON that only become
// more. A judgement that comes later knows by it how many there were before. One of trials that are made for it has a
// line when it begins, and another when it ends: that somebody stopped it is a look as well.
//
//	counted, err := looks.Count(looks.InFile(name), looks.Entry{Question: digest, Evidence: outcomes, Look: look}, sight)
//	id, err := looks.Begin(looks.InFile(name), looks.Run{Agent: agent, Questions: digests, Look: look}, false)
//	counted, err = looks.End(looks.InFile(name), looks.Run{ID: id, ...}, "")
package looks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/tribunal-dev/tribunal/internal/filelock"
	"github.com/tribunal-dev/tribunal/verdict"
)

// File is the name of the ledger in its folder.
const File = "looks.jsonl"

// mostBytes bounds what is read of a ledger: some hundred thousand looks.
const mostBytes = 64 << 20

// ErrTooLarge says that a ledger is too large to be read.
var ErrTooLarge = errors.New("the file that counts analyses is too large")

// ErrNotRegular says that what has the name of a ledger is no file, but a pipe or the like.
var ErrNotRegular = errors.New("the file that counts analyses is not a regular file")

// Entry is a look as the ledger keeps it.
type Entry struct {
	Question string `json:"question"`            // digest of what is asked of which agent
	Evidence string `json:"evidence"`            // digest of the trials
	Trials   int    `json:"trials"`              // of them
	NewAgent bool   `json:"new_agent,omitempty"` // the agent has changed since the looks before
	verdict.Look
}

// Sight says how a new look relates to the earlier ones.
type Sight struct {
	// Same reports whether an earlier look at so many trials saw the beginning of these; nil
	// where every earlier look at the question counts, whatever its trials were.
	Same func(trials int, evidence string) bool
	// Continues says that this is the end of the test that the last look saw the beginning of: a
	// sequential test that goes on is one look.
	Continues bool
}

// Ledger calls a function with all lines of a ledger, and adds the line that it returns; nil adds none. Nobody else
// writes meanwhile. The function may be called again.
type Ledger func(add func(text []byte) (line []byte, err error)) error

// InFile is the ledger in a file, which is made where it is not there; its folder is not.
func InFile(name string) Ledger {
	return func(add func(text []byte) (line []byte, err error)) error { return update(name, add) }
}

// Count writes a look into the ledger and returns the looks before it: those at the same
// question, since the last that passed or the last new agent. The same look taken twice, by
// its evidence, is one, and written once. Lines that cannot be read, such as one that was cut
// short, are passed over.
func Count(in Ledger, e Entry, sight Sight) (earlier []verdict.Look, err error) {
	err = in(func(text []byte) ([]byte, error) {
		var known bool
		if earlier, known = before(entries(text), e, sight); known {
			return nil, nil
		}
		return json.Marshal(e)
	})
	if err != nil {
		return nil, err
	}
	return earlier, nil
}

// update is the ledger in a file.
func update(file string, add func(text []byte) (line []byte, err error)) error {
	// An agent may have put anything into its place, such as a pipe, which would be waited for.
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return cmp.Or(err, ErrNotRegular)
	}
	// Whoever has the ledger writes a line and lets go.
	unlock, err := filelock.Wait(f)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return err
	}
	if len(text) > mostBytes {
		return ErrTooLarge
	}
	line, err := add(text)
	if err != nil || line == nil {
		return err
	}
	// One write, and a line of its own where the last was cut short.
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync())
}

// entries are the lines that can be read.
func entries(text []byte) (list []Entry) {
	for line := range bytes.Lines(text) {
		var e Entry
		if json.Unmarshal(line, &e) == nil && e.Question != "" {
			list = append(list, e)
		}
	}
	return list
}

// before are the looks before this one, and whether this one is in the ledger already.
func before(list []Entry, now Entry, sight Sight) (earlier []verdict.Look, known bool) {
	var last string
	for _, e := range list {
		if e.Question != now.Question {
			continue
		}
		if e.Evidence == now.Evidence && e.Trials == now.Trials && !now.NewAgent {
			return begun(earlier), true
		}
		if sight.Same != nil && !sight.Same(e.Trials, e.Evidence) {
			continue
		}
		if e.NewAgent {
			earlier = nil
		}
		anew := e.Verdict == verdict.Pass && planned(e.Look, earlier)
		if earlier, last = append(earlier, e.Look), e.Evidence; anew {
			earlier = nil
		}
	}
	if now.NewAgent {
		return []verdict.Look{}, false
	}
	if sight.Continues && last != "" && len(earlier) > 0 {
		earlier = earlier[:len(earlier)-1]
	}
	return begun(earlier), false
}

// begun is a list that is not nil.
func begun(list []verdict.Look) []verdict.Look { return append([]verdict.Look{}, list...) }

// Digest is the digest of what its parts say, in their order.
func Digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
