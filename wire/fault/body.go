package fault

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/wire"
)

// slow holds a request back for the latency of faults that are due, and returns how long a part of its answer takes.
func (f *Faults) slow(r *wire.Request) (pace time.Duration, err error) {
	for i := range f.states {
		s := &f.states[i]
		if s.fault.Kind != Slow || !f.fire(s, r.Number) {
			continue
		}
		latency, rate := s.fault.Latency, s.fault.TokensPerSecond
		if latency == 0 && rate == 0 {
			latency = someDelay
		}
		if rate > 0 {
			pace = max(pace, time.Duration(float64(time.Second)/rate))
		}
		f.tell(r, s, s.fault.String())
		if err := sleep(r.HTTP.Context(), latency); err != nil {
			return 0, err
		}
	}
	return pace, nil
}

// sleep waits, unless the context ends before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pacedBody is a body that comes line by line, each of which takes its time: about a token, where an answer comes in
// parts. What has no lines comes in pieces of so many bytes as a token has.
type pacedBody struct {
	io.ReadCloser
	ctx  context.Context
	pace time.Duration
	left []byte
	err  error
}

// tokenBytes is about a token of English.
const tokenBytes = 4

func paced(ctx context.Context, body io.ReadCloser, pace time.Duration) io.ReadCloser {
	return &pacedBody{ReadCloser: body, ctx: ctx, pace: pace}
}

// Read returns what comes next, in its time.
func (p *pacedBody) Read(into []byte) (int, error) {
	if len(p.left) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		chunk := make([]byte, 4096)
		var n int
		n, p.err = p.ReadCloser.Read(chunk)
		p.left = chunk[:n]
		if n == 0 {
			return 0, p.err
		}
	}
	end := tokenBytes
	if line := bytes.IndexByte(p.left, '\n'); line >= 0 {
		end = line + 1
	} else if bytes.HasPrefix(p.left, []byte("data:")) {
		end = len(p.left) // of a line whose end is still to come
	}
	end = min(end, len(p.left), len(into))
	if part := bytes.TrimSpace(p.left[:end]); len(part) > 0 && !bytes.HasPrefix(part, []byte("event:")) {
		if err := sleep(p.ctx, p.pace); err != nil {
			return 0, err
		}
	}
	n := copy(into, p.left[:end])
	p.left = p.left[n:]
	return n, nil
}

// mostBody bounds what is read of an answer that is changed.
const mostBody = 16 << 20

// whole reads an answer that is to be changed. !ok: it is longer than that, and its body as it was.
func whole(answer *http.Response) (body []byte, ok bool, err error) {
	body, err = io.ReadAll(io.LimitReader(answer.Body, mostBody+1))
	if err != nil {
		return nil, false, err
	}
	if len(body) > mostBody {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), answer.Body), answer.Body}
		return nil, false, nil
	}
	_ = answer.Body.Close() // all of it was read
	setBody(answer, body)
	return body, true, nil
}

// setBody gives an answer another body.
func setBody(answer *http.Response, body []byte) {
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
	answer.TransferEncoding = nil
}

// brokenBody is a body that ends before its time.
type brokenBody struct{ io.Reader }

// Read reads until the connection breaks.
func (b brokenBody) Read(into []byte) (int, error) {
	n, err := b.Reader.Read(into)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close has nothing to close.
func (brokenBody) Close() error { return nil }

// half is where an answer is cut: behind half of its parts, and so whole ones, or of its bytes where it has no parts.
func half(body []byte, streamed bool) int {
	const events, lines = "\n\n", "\n"
	if !streamed {
		return len(body) / 2
	}
	separator := []byte(lines)
	if bytes.Contains(body, []byte("data:")) {
		separator = []byte(events)
		if bytes.Contains(body, []byte("\r\n\r\n")) {
			separator = []byte("\r\n\r\n")
		}
	}
	end := 0
	for range bytes.Count(bytes.TrimSpace(body), separator)/2 + 1 {
		next := bytes.Index(body[end:], separator)
		if next < 0 {
			break
		}
		end += next + len(separator)
	}
	if end == 0 || end == len(body) {
		return len(body) / 2
	}
	return end
}
