package fault

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// The names of events of the client: what it did after a fault, and should not have done.
const (
	IgnoredRetryAfter = "ignored-retry-after" // it asked again sooner than it was told to
	RetriedRefused    = "retried-refused"     // it asked the same again that was refused for what it is
	TrustedCut        = "trusted-cut-call"    // it carried out a call of an answer that was cut off
)

// ClientNames are the names of events of the client, and what they say.
func ClientNames() [][2]string {
	return [][2]string{
		{IgnoredRetryAfter, "it asked again sooner than it was told to"},
		{RetriedRefused, "it asked the same again, after 400, 401, 403, 404, 413 or 422: nothing else can come of it"},
		{TrustedCut, "it carried out a call of an answer that was cut off, or whose arguments were"},
	}
}

// client is what is known of the agent's client. Its lock is that of [Faults].
type client struct {
	until   time.Time // it was told to wait
	since   time.Time
	refused map[[32]byte]int // statuses, by the requests that had them
	broken  map[string]Kind  // by the ids of calls that must not be carried out
}

func (c *client) init() { c.refused, c.broken = map[[32]byte]int{}, map[string]Kind{} }

// judge looks at what a client asks after what it had before.
func (f *Faults) judge(r *wire.Request, now time.Time) {
	const timers = 20 * time.Millisecond // which may be early by so much
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &f.client
	tell := func(name, format string, arguments ...any) {
		r.Tell(wire.Event{Act: Client, Name: name, Detail: fmt.Sprintf(format, arguments...)})
	}
	if now.Add(timers).Before(c.until) {
		tell(IgnoredRetryAfter, "asked again after %v of %v",
			now.Sub(c.since).Round(time.Millisecond), c.until.Sub(c.since).Round(time.Millisecond))
		c.until = time.Time{} // told once
	}
	if status := c.refused[sha256.Sum256(r.Body)]; status != 0 {
		tell(RetriedRefused, "asked the same again after %d", status)
	}
	for _, result := range r.Asked.Results {
		kind, is := c.broken[result.CallID]
		if !is {
			continue
		}
		delete(c.broken, result.CallID) // told once
		if !result.Failed && !failing().MatchString(result.Output) {
			tell(TrustedCut, "carried out a call of an answer with %s", kind)
		}
	}
}

// failing is a result that tells of an error, where the form has no other way to say so.
var failing = lazy.Regexp(`(?i)error|invalid|incomplete|truncat|cut off|pars(e|ing)|malformed|not valid|fail`)

// distrust notes calls that must not be carried out.
func (f *Faults) distrust(r *wire.Request, k Kind, calls []dialect.Call) {
	r.Asked.Identify(calls)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, call := range calls {
		if len(f.client.broken) < mostResults {
			f.client.broken[call.ID] = k
		}
	}
}

// note keeps what an answer tells its client: how long to wait, or not to ask again. Calls of an answer that comes
// whole may be carried out, also where an earlier one had their ids.
func (f *Faults) note(r *wire.Request, answer *http.Response) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &f.client
	switch answer.StatusCode {
	case 400, 401, 403, 404, 413, 422:
		if len(c.refused) < mostResults {
			c.refused[sha256.Sum256(r.Body)] = answer.StatusCode
		}
	case 429, 503, 529:
		c.wait(told(answer.Header))
	case http.StatusOK:
		if len(c.broken) > 0 {
			answer.Body = &trustedBody{ReadCloser: answer.Body, faults: f, request: r, header: answer.Header}
		}
	}
}

// wait notes how long a client is told to wait; 0 is not told. The lock is held.
func (c *client) wait(told time.Duration) {
	if told > 0 {
		c.since = time.Now()
		c.until = c.since.Add(told)
	}
}

// told is how long an answer says to wait; 0 is not told.
func told(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return time.Until(at)
	}
	return 0
}

// trustedBody is the body of an answer whose calls may be carried out once it has come whole.
type trustedBody struct {
	io.ReadCloser
	faults  *Faults
	request *wire.Request
	header  http.Header
	copy    bytes.Buffer
}

// Read reads, and looks at the calls at the end.
func (t *trustedBody) Read(into []byte) (int, error) {
	n, err := t.ReadCloser.Read(into)
	if t.copy.Len()+n <= mostBody {
		t.copy.Write(into[:n])
	}
	if err == io.EOF {
		t.end()
	}
	return n, err
}

// end forgets that calls were broken.
func (t *trustedBody) end() {
	d := dialect.Of(t.request.Path)
	a, err := d.Answer(t.copy.Bytes(), d.Streamed(t.request.Asked.Stream, t.header.Get("Content-Type")))
	if err != nil || !a.Ended {
		return
	}
	t.request.Asked.Identify(a.Calls)
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	for _, call := range a.Calls {
		delete(t.faults.client.broken, call.ID)
	}
}
