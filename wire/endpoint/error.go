package endpoint

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Kind says why there is no answer.
type Kind string

// The kinds. Of all but [Timeout], [TooLong], [Unreadable] and [Status] it is nothing that the agent did.
const (
	Connection Kind = "connection" // no connection, a broken one, or no trust in who answers
	Refused    Kind = "refused"    // 429, or 503 that says when to come back: asked too much, or not ready
	// unavailable is a 503 that does not say when to come back: gateways answer so for a backend that died in the
	// middle of what it did too.
	unavailable Kind = "unavailable"
	Denied      Kind = "denied"     // 401, 403, 404, 405 or 407: it was asked in the wrong way, or at the wrong place
	Redirect    Kind = "redirect"   // to another host, or to be asked in another way
	Status      Kind = "status"     // any other status that is no success
	Unreadable  Kind = "unreadable" // an answer that does not say how far it is
	Timeout     Kind = "timeout"    // it took longer than it may
	TooLong     Kind = "too-long"   // the body has more bytes than it may
	Template    Kind = "template"   // the request could not be made
	Cancelled   Kind = "cancelled"  // the context ended
)

// Error says that there is no answer.
type Error struct {
	Kind    Kind
	Problem string // without headers and query
	// Unbegun says that the agent did nothing: it was not reached, or turned the request away.
	Unbegun bool
	Code    int           // the status; 0 where none came
	After   time.Duration // how long it asked to wait; 0 is not said
	Body    []byte        // the beginning of what came with a status; may be nil
	Err     error         // the cause; may be nil
}

// Error returns the problem.
func (e *Error) Error() string { return e.Problem }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// errRedirect is what a redirect that is not followed is refused with.
type errRedirect struct{ problem string }

func (e *errRedirect) Error() string { return e.problem }

// followed refuses a redirect to another host, and one that would ask in another way.
func followed(next *http.Request, before []*http.Request) error {
	first := before[0]
	switch {
	case !sameServer(next.URL, first.URL):
		return &errRedirect{"it redirects from " + first.URL.Host + " to " + next.URL.Scheme + "://" + next.URL.Host +
			", which is another host and is not followed"}
	case next.Method != first.Method:
		return &errRedirect{"it redirects a " + first.Method + " to a " + next.Method + ", which is not followed"}
	case len(before) >= 5:
		return &errRedirect{"it redirects more than 5 times"}
	}
	return nil
}

// sameServer reports whether two addresses are of one server, so that headers may go to both.
func sameServer(a, b *url.URL) bool { return a.Host == b.Host && a.Scheme == b.Scheme }

// failed says why a request has no response, or a broken one.
func (c *Caller) failed(ctx, attempt context.Context, err error, reached bool, limit time.Duration) *Error {
	var redirect *errRedirect
	switch {
	case ctx.Err() != nil:
		return &Error{Kind: Cancelled, Problem: "the run was stopped", Err: context.Cause(ctx)}
	case errors.As(err, &redirect):
		return &Error{Kind: Redirect, Problem: redirect.problem, Err: err}
	case attempt.Err() != nil && reached:
		return &Error{Kind: Timeout, Problem: c.call.Called + " did not answer within " + limit.String(), Err: err}
	case attempt.Err() != nil:
		return &Error{
			Kind: Connection, Problem: "no connection to " + c.call.Called + " within " + limit.String(),
			Unbegun: true, Err: err,
		}
	}
	// The text around it repeats the address, with its query.
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	problem := c.call.Called + " cannot be reached: " + err.Error()
	if reached {
		problem = "the connection to " + c.call.Called + " broke: " + err.Error()
	}
	return &Error{Kind: Connection, Problem: problem, Unbegun: !reached, Err: err}
}

// ofStatus says what a status that is no success means.
func (c *Caller) ofStatus(response *http.Response, body []byte, now time.Time) *Error {
	after, isSaid := retryAfter(response.Header.Get("Retry-After"), now)
	e := &Error{
		Kind: Status, Problem: c.call.Called + " answered with the status " + response.Status, Body: body,
		Code: response.StatusCode, After: after,
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests:
		e.Kind, e.Unbegun = Refused, true
	case http.StatusServiceUnavailable:
		e.Kind, e.Unbegun = unavailable, isSaid
		if isSaid {
			e.Kind = Refused
		}
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired:
		e.Kind = Denied
	}
	return e
}

// retryAfter reads how long is to be waited: seconds or a date (RFC 9110, 10.2.3). False says that it is not said.
func retryAfter(text string, now time.Time) (after time.Duration, isSaid bool) {
	const most = 1 << 31 // seconds, some 68 years
	if seconds, err := strconv.ParseUint(text, 10, 63); err == nil {
		return time.Duration(min(seconds, most)) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}
