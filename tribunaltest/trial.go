package tribunaltest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// Trial is one try. Its methods are those of testing.T, and fail this trial alone, so that
// packages of assertions take it in place of a test. Like those of a test, FailNow, Fatal,
// Fatalf and Infrastructure end the goroutine and have to be called from the function's own;
// all others may be called from any.
type Trial struct {
	ctx    context.Context
	cancel context.CancelFunc
	name   string
	number int
	seed   uint64

	mu       sync.Mutex
	failed   bool
	messages []string // what was logged, with the failures
	failure  []string // what failed it
	cause    error    // of infrastructure; nil is none
	cut      bool     // the test's own time was over before it ended
	cleanups []func()
	cost     trial.Optional[float64]
	input    trial.Optional[int64]
	output   trial.Optional[int64]
	answer   trial.Raw
	began    time.Time
	seconds  float64
}

func newTrial(ctx context.Context, d Design, name string, number int) *Trial {
	t := &Trial{name: name, number: number, seed: seeded.Stream(d.Seed, uint64(number)).Uint64() >> 11}
	t.ctx, t.cancel = context.WithCancel(ctx)
	if d.Timeout > 0 {
		t.ctx, t.cancel = context.WithTimeoutCause(ctx, d.Timeout, timeoutError(d.Timeout))
	}
	return t
}

// timeoutError is why the context of a trial has ended.
type timeoutError time.Duration

func (e timeoutError) Error() string { return fmt.Sprintf("longer than %s", time.Duration(e)) }

// try calls f in a goroutine of its own, which may end by runtime.Goexit, and waits for it.
func (t *Trial) try(f func(*Trial)) {
	t.began = time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.end()
		f(t)
	}()
	<-done
}

// end is what stands when the function has returned, ended or panicked.
func (t *Trial) end() {
	if r := recover(); r != nil {
		t.Errorf("panic: %v\n\n%s", r, debug.Stack())
	}
	t.seconds = time.Since(t.began).Seconds()
	// The context is looked at before it is cancelled.
	cause := context.Cause(t.ctx)
	t.cancel()
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch cause := cause.(type) {
	case nil:
	case timeoutError:
		t.failed = true
		t.failure = append(t.failure, "it took "+cause.Error())
	default:
		t.cut = true
	}
}

// outcome is what came of it; trial.Unjudged where the time of the whole test was over first.
func (t *Trial) outcome() trial.Outcome {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.cut:
		return trial.Unjudged
	case t.cause != nil:
		return trial.Error
	case t.failed:
		return trial.Fail
	}
	return trial.Pass
}

// record is the trial as results hold it.
func (t *Trial) record() *trial.Trial {
	record := &trial.Trial{
		Scenario: t.name, Index: trial.Some(t.number), Outcome: t.outcome(), CostUSD: t.cost,
		InputTokens: t.input, OutputTokens: t.output, Output: t.answer,
		StartedAt:       trial.Timestamp(t.began.UTC().Format(time.RFC3339Nano)),
		DurationSeconds: trial.Some(t.seconds),
	}
	switch {
	case t.cause != nil:
		record.Error = &trial.Cause{Origin: trial.InfrastructureOrigin, Message: t.cause.Error()}
	case t.failed:
		message := strings.Join(t.failure, "\n")
		if message == "" {
			message = "it called Fail without a message"
		}
		record.Error = &trial.Cause{Message: message}
	}
	return record
}

// Context ends when the trial does, after the design's timeout, and shortly before the test has to end.
func (t *Trial) Context() context.Context { return t.ctx }

// Name is that of the test with the number of the trial, such as "TestRefund#3".
func (t *Trial) Name() string { return fmt.Sprintf("%s#%d", t.name, t.number) }

// Number is the place of the trial in the order in which they began, from 0.
func (t *Trial) Number() int { return t.number }

// Seed is of this trial alone, below 2^53, and follows from the design's.
func (t *Trial) Seed() uint64 { return t.seed }

// Rand is a source of random numbers that follows from the seed; each call returns a new one.
func (t *Trial) Rand() *rand.Rand { return seeded.Stream(t.seed, 0) }

// Helper does nothing: it is there for packages of assertions.
func (t *Trial) Helper() {}

// Log keeps a line, which is shown if the trial is.
func (t *Trial) Log(args ...any) { t.log(fmt.Sprintln(args...)) }

// Logf keeps a line, which is shown if the trial is.
func (t *Trial) Logf(format string, args ...any) { t.log(fmt.Sprintf(format, args...)) }

func (t *Trial) log(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.messages = append(t.messages, strings.TrimRight(text, "\n"))
}

// Fail fails the trial and goes on.
func (t *Trial) Fail() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
}

// FailNow fails the trial and ends it.
func (t *Trial) FailNow() {
	t.Fail()
	runtime.Goexit()
}

// Failed reports whether the trial has failed.
func (t *Trial) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// Error fails the trial, says why, and goes on.
func (t *Trial) Error(args ...any) { t.fail(fmt.Sprintln(args...)) }

// Errorf fails the trial, says why, and goes on.
func (t *Trial) Errorf(format string, args ...any) { t.fail(fmt.Sprintf(format, args...)) }

// Fatal fails the trial, says why, and ends it.
func (t *Trial) Fatal(args ...any) {
	t.fail(fmt.Sprintln(args...))
	runtime.Goexit()
}

// Fatalf fails the trial, says why, and ends it.
func (t *Trial) Fatalf(format string, args ...any) {
	t.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (t *Trial) fail(text string) {
	text = strings.TrimRight(text, "\n")
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
	t.failure = append(t.failure, text)
	t.messages = append(t.messages, text)
}

// Infrastructure ends a trial that could not be tried: the network was down, a service refused. It has no
// outcome, and the test is decided only where it would be decided alike whether the trial had passed or
// failed. Do not call it for what the system under test does itself. A nil error does nothing.
func (t *Trial) Infrastructure(err error) {
	if err == nil {
		return
	}
	t.mu.Lock()
	t.cause = err
	t.mu.Unlock()
	runtime.Goexit()
}

// Cleanup calls f when the trial has ended, the last one first.
func (t *Trial) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// Charge adds US dollars to what the trial cost. An amount that is no number or below 0 is not known, and
// fails the trial.
func (t *Trial) Charge(usd float64) {
	if !(usd >= 0) || math.IsInf(usd, 0) {
		t.Errorf("Charge(%v): no amount of money", usd)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cost = trial.Some(t.cost.Value + usd)
}

// Tokens adds to the tokens that went in and came out. Numbers below 0 fail the trial.
func (t *Trial) Tokens(input, output int64) {
	if input < 0 || output < 0 {
		t.Errorf("Tokens(%d, %d): below 0", input, output)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.input = trial.Some(t.input.Value + input)
	t.output = trial.Some(t.output.Value + output)
}

// Output keeps the answer of the system, to be seen in reports. A value that is no JSON fails the trial.
func (t *Trial) Output(answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		t.Errorf("Output: %v", err)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answer = trial.Raw(text)
}
