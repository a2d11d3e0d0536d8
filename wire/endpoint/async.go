package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Async says how the answer is fetched of an agent that only takes a request and works on it: an address is asked
// again and again until the status at a path is one of the last.
type Async struct {
	// Poll is asked with GET and the headers of the call. It is an address from that of the call on, and {answer.PATH}
	// stands for what the first answer has at the path, beside the values of the trial.
	Poll   string
	Status string        // path of the status, in every answer but perhaps the first
	Done   []string      // statuses of an agent that is done: the answer is what has it
	Failed []string      // those of one that failed
	Every  time.Duration // between two questions
	Cancel string        `json:",omitempty"` // asked with POST where nobody waits any more; "" is nobody
}

// cancelWithin is for how long who waits no more tries to say so.
const cancelWithin = 5 * time.Second

// await asks until the agent is done, all of it within the timeout since start.
func (c *Caller) await(
	ctx context.Context, v Values, asked Request, first *Answer, start time.Time, timeout time.Duration,
) (*Answer, error) {
	attempt, end := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		attempt, end = context.WithDeadline(ctx, start.Add(timeout))
	}
	defer end()
	poll, err := later(v, asked, first, http.MethodGet, c.call.Async.Poll)
	answer := first
	for err == nil {
		var done bool
		if done, err = c.isDone(answer, answer == first); done || err != nil {
			break
		}
		answer, err = c.again(attempt, poll)
	}
	var why *Error
	switch {
	case err == nil:
		answer.Duration = time.Since(start)
		return answer, nil
	case ctx.Err() != nil:
		err = &Error{Kind: Cancelled, Problem: "the run was stopped", Err: context.Cause(ctx)}
	case attempt.Err() != nil:
		err = &Error{Kind: Timeout, Problem: c.call.Called + " was not done within " + timeout.String(), Err: err}
	case errors.As(err, &why):
		why.Unbegun = false // it took the request
		return nil, why
	}
	c.giveUp(ctx, v, asked, first)
	return nil, err
}

// again waits and asks, until there is an answer. That it is busy or cannot be reached for a while does not end what
// the agent works on.
func (c *Caller) again(ctx context.Context, r Request) (*Answer, error) {
	wait := c.call.Async.Every
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
		answer, err := c.send(ctx, r, 0)
		var why *Error
		if !errors.As(err, &why) || why.Kind != Refused && why.Kind != unavailable && why.Kind != Connection {
			return answer, err
		}
		wait = max(c.call.Async.Every, why.After)
	}
}

// isDone reads the status of an answer, of which the first may have none.
func (c *Caller) isDone(a *Answer, first bool) (bool, error) {
	document, err := Decode(a.Body)
	if err != nil {
		return false, &Error{Kind: Unreadable, Problem: c.call.Called + "'s answer is not JSON", Body: a.Body, Err: err}
	}
	path, err := oracle.ParsePath(c.call.Async.Status)
	if err != nil {
		return false, &Error{Kind: Template, Problem: err.Error(), Err: err}
	}
	value, ok := path.Find(document)
	if !ok && first {
		return false, nil
	}
	if !ok {
		return false, &Error{Kind: Unreadable, Body: a.Body, Problem: fmt.Sprintf(
			"nothing stands at %s of %s's answer, where its status should", c.call.Async.Status, c.call.Called)}
	}
	status := textOf(value)
	if slices.Contains(c.call.Async.Failed, status) {
		return false, &Error{
			Kind: Status, Problem: fmt.Sprintf("%s ended with the status %.100q", c.call.Called, status), Body: a.Body,
		}
	}
	return slices.Contains(c.call.Async.Done, status), nil
}

// later is a request that follows the first answer. The headers of what was asked go with it, so no answer may lead
// it elsewhere.
func later(v Values, asked Request, first *Answer, method, template string) (r Request, err error) {
	defer func() {
		if err != nil {
			err = &Error{
				Kind: Unreadable, Problem: "it cannot be asked how far it is: " + err.Error(),
				Body: first.Body, Err: err,
			}
		}
	}()
	base, err := url.Parse(asked.URL)
	if err != nil {
		return r, errors.New("its address is none")
	}
	text, err := v.fill(template, escaped)
	if err != nil {
		return r, err
	}
	if text, err = fillAnswer(text, first.Body); err != nil {
		return r, err
	}
	next, err := base.Parse(text)
	switch {
	case err != nil:
		return r, errors.New("the address that follows from its answer is none")
	case !sameServer(next, base) || next.User != nil:
		return r, fmt.Errorf("its answer leads to %s://%s, which is another host", next.Scheme, next.Host)
	}
	return Request{Method: method, URL: next.String(), headers: asked.headers}, nil
}

// answerPattern is what stands for a part of the first answer.
var answerPattern = lazy.Regexp(`\{(answer(?:[.\[][^{}]*)?)\}`)

// fillAnswer puts parts of an answer into an address: as a part of one, or as the whole.
func fillAnswer(text string, body []byte) (string, error) {
	if !answerPattern().MatchString(text) {
		return text, nil
	}
	document, err := Decode(body)
	if err != nil {
		return "", fmt.Errorf("its answer is not JSON: %w", err)
	}
	write := escaped
	if answerPattern().FindString(text) == text {
		write = func(text string) string { return text }
	}
	part := func(holder string) (any, error) { return answerPart(document, holder) }
	return replaced(answerPattern(), text, part, write)
}

// answerPart is a number or text in an answer.
func answerPart(document any, holder string) (any, error) {
	at := pathOf(holder, "answer")
	path, err := oracle.ParsePath(at)
	if err != nil {
		return nil, err
	}
	switch value, _ := path.Find(document); value.(type) {
	case string, json.Number:
		return value, nil
	}
	return nil, fmt.Errorf("no text or number stands at %s of its answer", at)
}

// CheckAsync returns what is wrong with the holders of an address that follows an answer.
func CheckAsync(text string) error {
	if _, err := Holders(text); err != nil {
		return err
	}
	for _, found := range answerPattern().FindAllStringSubmatch(text, -1) {
		if _, err := oracle.ParsePath(pathOf(found[1], "answer")); err != nil {
			return err
		}
	}
	return nil
}

// giveUp tells the agent that nobody waits for it, and does not wait for an answer that anyone reads.
func (c *Caller) giveUp(ctx context.Context, v Values, asked Request, first *Answer) {
	if c.call.Async.Cancel == "" {
		return
	}
	if r, err := later(v, asked, first, http.MethodPost, c.call.Async.Cancel); err == nil {
		_, _ = c.send(context.WithoutCancel(ctx), r, cancelWithin)
	}
}
