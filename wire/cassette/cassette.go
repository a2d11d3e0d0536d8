package cassette

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// Replay says what is answered from a file.
type Replay string

// The forms of replay.
const (
	Record   Replay = ""          // nothing: all is recorded
	Strict   Replay = "strict"    // all; what is not there is an error, and nothing goes over the network
	OrRecord Replay = "or-record" // what is there; the rest is asked, and recorded
)

// Options say how a cassette is used.
type Options struct {
	Replay  Replay
	Ignore  []string // members of JSON bodies that do not tell requests apart: dotted paths, * is any
	Timing  bool     // answers take the time that they took
	Secrets []string // texts that are kept out of the file
}

// Cassette is a file that is open. Its methods may be called by several goroutines at once.
type Cassette struct {
	name    string
	options Options
	file    *os.File
	hold    *hold
	secrets redactor
	session string

	mu     sync.Mutex
	headed bool  // this session has its head
	failed error // of writing, the first

	conversations map[Conversation][]place // what is replayed, in its order
	torn          error
}

// place is where an exchange is in the file.
type place struct {
	at     int64
	length int
	key    digest
}

// Open opens a file, and makes it where it may be recorded. What a killed program left of a line at its end is cut off
// before more is recorded. Errors say the file, and the line where it is one; [ErrInUse] is that of a file that another
// process records, or that is to be recorded while another has it open.
func Open(name string, o Options) (*Cassette, error) {
	if !slices.Contains([]Replay{Record, Strict, OrRecord}, o.Replay) {
		return nil, fmt.Errorf("replay is %q, and not strict or or-record", o.Replay)
	}
	flags := os.O_RDWR | os.O_CREATE | os.O_APPEND
	if o.Replay == Strict {
		flags = os.O_RDONLY
	}
	opening.Lock()
	defer opening.Unlock()
	file, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the cassette cannot be opened: %w", err)
	}
	held, err := holdOf(file, o.Replay != Strict)
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	c := &Cassette{
		name: name, options: o, file: file, hold: held, secrets: redactorOf(o.Secrets), session: rand.Text(),
		conversations: map[Conversation][]place{},
	}
	end, err := c.index(file)
	if errors.Is(err, errTorn) {
		c.torn, err = err, nil
		if o.Replay != Strict {
			err = file.Truncate(end)
		}
	}
	if err != nil {
		_, _ = file.Close(), held.release() // nothing was written
		return nil, err
	}
	return c, nil
}

// Err is why something could not be written, if that is so.
func (c *Cassette) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// Close closes the file, and returns why anything could not be written to it.
func (c *Cassette) Close() error {
	opening.Lock()
	defer opening.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	closed := c.file.Close()
	if closed == nil {
		closed = c.hold.release()
	}
	return cmp.Or(c.failed, closed)
}

// Note says for a person what of the file could not be read; "" is nothing.
func (c *Cassette) Note() string {
	if c.torn == nil {
		return ""
	}
	return fmt.Sprintf("%s: %v: it was written by a run that was killed; all before that is read", c.name, c.torn)
}

// index finds the exchanges of a file, and where the last whole line ends.
func (c *Cassette) index(from io.Reader) (end int64, err error) {
	buffered := bufio.NewReaderSize(from, 64<<10)
	kinds := map[string]string{}      // of sessions
	last := map[Conversation]string{} // the recording session of each
	for number := 1; ; number++ {
		frame, err := readFrame(buffered)
		if errors.Is(err, io.EOF) {
			return end, nil
		}
		var l line
		if err == nil {
			l, err = parse(frame)
		}
		if err == nil && l.Exchange != nil && kinds[l.Session] == "" {
			err = errors.New("an exchange stands before the head of its session")
		}
		if err != nil {
			return end, fmt.Errorf("%s:%d: %w", c.name, number, err)
		}
		if e := l.Exchange; e == nil {
			kinds[l.Session] = l.Kind
		} else {
			if kinds[l.Session] == recording && last[e.Conversation] != l.Session {
				c.conversations[e.Conversation], last[e.Conversation] = nil, l.Session
			}
			c.conversations[e.Conversation] = append(c.conversations[e.Conversation],
				place{end, len(frame), digestOf(e, c.options.Ignore)})
		}
		end += int64(len(frame))
	}
}

// parse reads a line.
func parse(frame []byte) (l line, err error) {
	text, err := unpacker().DecodeAll(frame, nil)
	if err != nil {
		return l, fmt.Errorf("the line cannot be unpacked: %w", err)
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("the line is no JSON of a cassette: %w", err)
	}
	switch {
	case l.Exchange != nil && l.Cassette != 0, l.Exchange == nil && l.Cassette == 0:
		return l, errors.New("the line is neither the head of a session nor an exchange")
	case l.Exchange == nil && l.Cassette != version:
		return l, fmt.Errorf("the cassette has version %d, and %d is known", l.Cassette, version)
	case l.Exchange == nil && l.Kind != recording && l.Kind != adding:
		return l, fmt.Errorf("the session is of the kind %q, and not record or add", l.Kind)
	case l.Exchange != nil && l.Exchange.Status != 0 && (l.Exchange.Status < 100 || l.Exchange.Status > 999):
		return l, fmt.Errorf("the status %d is none of HTTP", l.Exchange.Status)
	}
	return l, nil
}

// load reads an exchange again.
func (c *Cassette) load(p place) (*exchange, error) {
	frame := make([]byte, p.length)
	if _, err := c.file.ReadAt(frame, p.at); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	l, err := parse(frame)
	if err == nil && l.Exchange == nil {
		err = errors.New("it was changed while it was read")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	return l.Exchange, nil
}

// write appends an exchange, each line at once, so that several may write.
func (c *Cassette) write(e *exchange) {
	frame, err := packed(line{Session: c.session, Exchange: e})
	opening.RLock()
	defer opening.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && !c.headed {
		kind := recording
		if c.options.Replay == OrRecord {
			kind = adding
		}
		head, _ := json.Marshal(line{Cassette: version, Session: c.session, Kind: kind}) // of texts and numbers alone
		_, err = c.file.Write(packer().EncodeAll(head, nil))
		c.headed = err == nil
	}
	if err == nil {
		_, err = c.file.Write(frame)
	}
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("the cassette cannot be written: %w", err)
	}
}
