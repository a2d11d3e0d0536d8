package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
)

// SessionAgent is a program that stays up as an agent: it reads requests from its standard input, a line each, and
// answers each with a line. As many of it run as attempts do at a time. One that does not answer in time, crashes or
// ends is ended with all that it started, and the next attempt has another; its attempt ends as that of a
// [CommandAgent] does that behaves so. In arguments and variables, {id} stands for a name that no other program of
// the agent has. It has no OutputFile.
type SessionAgent struct {
	CommandAgent

	mutex sync.Mutex
	idle  []*runningProgram
}

// runningProgram is a program that is up, with its way over the wire; nil where there is none.
type runningProgram struct {
	*process.Session
	route *wire.Route
	tidy  func() // removes its folder
}

// Close ends the program, and its way.
func (p *runningProgram) Close() {
	p.Session.Close()
	p.tidy()
	if p.route != nil {
		p.route.Close()
	}
}

// errMoreThanALine and errOtherTrial are what a program may do wrong that answers in lines.
var (
	errMoreThanALine = errors.New(
		"it printed more than one line for a trial: it answers with one, and logs to its standard error")
	errOtherTrial = errors.New("its record is of another trial than it was asked for")
)

// Run asks a program, which is started where none is idle.
func (a *SessionAgent) Run(ctx context.Context, r Request) Attempt {
	input, err := r.JSON()
	if err != nil {
		return notJSON(err)
	}
	input = append(input, '\n')
	took := r.spent          // before this attempt
	var before *wire.Traffic // of programs that had ended before they were asked
	for {
		session, opened, err := a.take(ctx, r)
		if err != nil {
			attempt := Attempt{Err: notBegun(err)}
			if before != nil {
				attempt = a.overWire(ctx, r, attempt, before)
			}
			return attempt
		}
		answer, seen := a.ask(ctx, r, session, input)
		if seen != nil {
			seen.Follow(before)
		}
		usable := session.Usable()
		// It ended before it was asked: nothing of the attempt has to do with that.
		if answer.Unread && !opened && !answer.TimedOut && !answer.Cancelled && (seen == nil || seen.Stopped == "") {
			if before = seen; seen != nil {
				r.spent = took.Plus(seen.Spent)
			}
			continue
		}
		attempt := a.answered(ctx, r, answer)
		if seen != nil {
			attempt = a.overWire(ctx, r, attempt, seen)
		}
		if usable && !attempt.Broken && attempt.Err == nil {
			a.give(session)
		} else {
			session.Close()
		}
		return attempt
	}
}

// ask gives a program a request, and returns what was seen on the wire meanwhile; nil where there is none.
func (a *SessionAgent) ask(
	ctx context.Context, r Request, session *runningProgram, input []byte,
) (answer *process.Answer, seen *wire.Traffic) {
	if session.route == nil {
		return session.Ask(ctx, input), nil
	}
	session.route.Begin(a.wiring.bounds(r), a.wiring.acts(r)...)
	a.wiring.on(ctx, session.route, func(ctx context.Context) Attempt {
		answer = session.Ask(ctx, input)
		return Attempt{}
	})
	return answer, session.route.Take()
}

// answered makes an attempt of an answer.
func (a *SessionAgent) answered(ctx context.Context, r Request, answer *process.Answer) Attempt {
	p := &answer.Result
	if answer.More && !p.TimedOut && !p.Cancelled && !p.Overflowed {
		err := fmt.Errorf("the agent's output cannot be used: %w", errMoreThanALine)
		return a.broken(r, p, p.Stdout, outputProblem, err, a.OutputIsError)
	}
	attempt := a.read(ctx, r, p, p.Stdout)
	if t := attempt.Trial; t != nil && !attempt.Broken && !ofRequest(t, r) {
		err := fmt.Errorf("the agent's output cannot be used: %w", errOtherTrial)
		return a.broken(r, p, p.Stdout, outputProblem, err, a.OutputIsError)
	}
	return attempt
}

// ofRequest reports whether a record may be of the trial that was asked for. It need not say of which it is.
func ofRequest(t *trial.Trial, r Request) bool {
	return (t.Scenario == "" || t.Scenario == r.Scenario) && (!t.Index.Known || t.Index.Value == r.Trial)
}

// take returns a program that can be asked, and whether it was started for that.
func (a *SessionAgent) take(ctx context.Context, r Request) (session *runningProgram, opened bool, err error) {
	for {
		a.mutex.Lock()
		last := len(a.idle) - 1
		if last >= 0 {
			session, a.idle = a.idle[last], a.idle[:last]
		}
		a.mutex.Unlock()
		if last < 0 {
			break
		}
		if session.Usable() {
			return session, false, nil
		}
		session.Close()
	}
	command, _, err := a.named(r)
	if err != nil {
		return nil, true, err
	}
	command, tidy, err := a.placed(command)
	if err != nil {
		return nil, true, err
	}
	session = &runningProgram{tidy: tidy}
	if a.wiring != nil {
		if session.route, err = a.wiring.route(r); err != nil {
			tidy()
			return nil, true, err
		}
		command = a.wiring.confined(wired(command, session.route))
	}
	if session.Session, err = command.Open(ctx); err != nil {
		tidy()
		if session.route != nil {
			session.route.Close()
		}
		return nil, true, err
	}
	return session, true, nil
}

// give takes back a program that can be asked again.
func (a *SessionAgent) give(session *runningProgram) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.idle = append(a.idle, session)
}

// Close ends the programs that are idle, and waits for their end.
func (a *SessionAgent) Close() {
	a.mutex.Lock()
	idle := a.idle
	a.idle = nil
	a.mutex.Unlock()
	var closing sync.WaitGroup
	for _, session := range idle {
		closing.Go(session.Close)
	}
	closing.Wait()
	a.wiring.close()
	a.config.close()
}

// Closer is an [Agent] that keeps something between attempts, such as programs that stay up. A run closes its agents
// when its last attempt has ended.
type Closer interface{ Close() }

// closeAll closes agents. One may stand in several places.
func closeAll(agents ...Agent) {
	var closing sync.WaitGroup
	for _, agent := range agents {
		if closer, ok := agent.(Closer); ok {
			closing.Go(closer.Close)
		}
	}
	closing.Wait()
}
