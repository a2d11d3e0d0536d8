package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// CommandOptions say how an external judge is run.
type CommandOptions struct {
	Dir            string        // working directory; "" is that of this process
	Env            []string      // NAME=value, beside the environment of this process
	Timeout        time.Duration // 0 is [DefaultCommandTimeout]
	MaxOutputBytes int           // of stdout and of stderr; 0 is [DefaultCommandOutput]
	Threshold      float64       // the least score that passes where the judge gives one; 0 is 0.5
}

const (
	DefaultCommandTimeout = time.Minute
	DefaultCommandOutput  = 1 << 20 // bytes
	defaultPassingScore   = 0.5
)

// Command asks an external program, such as one that asks a model. It is started
// without a shell, with the trial as one line of JSON on standard input. Exit code
// 0 passes and 1 fails, with what it prints as the reason. It may print a JSON
// object instead,
//
//	{"score": 0.8, "pass": true, "reason": "polite, and to the point"}
//
// in which score is in [0,1] and decides by the threshold unless pass says so. An
// exit code of 1 fails in any case, and contradicts a pass.
//
// Anything else is an error of the judging: another exit code, a signal, the
// timeout, more output than allowed, JSON that cannot be read. The program and its
// children are killed then, and whenever it ends.
func Command(argv []string, o CommandOptions) (Evaluator, error) {
	switch {
	case len(argv) == 0 || argv[0] == "":
		return nil, &OptionError{Option: "command", Problem: "names no program"}
	case o.Timeout < 0:
		return nil, &OptionError{Option: "timeout", Value: o.Timeout.String(), Problem: "must not be negative"}
	case o.MaxOutputBytes < 0:
		return nil, &OptionError{Option: "max_output_bytes", Value: fmt.Sprint(o.MaxOutputBytes), Problem: "must not be negative"}
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return nil, &OptionError{Option: "threshold", Value: number(o.Threshold), Problem: "must lie above 0 and be at most 1"}
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultCommandTimeout
	}
	if o.MaxOutputBytes == 0 {
		o.MaxOutputBytes = DefaultCommandOutput
	}
	if o.Threshold == 0 {
		o.Threshold = defaultPassingScore
	}
	argv, o.Env = slices.Clone(argv), slices.Clone(o.Env)
	return evaluator{"command", func(ctx context.Context, e Evidence) Result {
		line, err := judgedLine(e.Trial)
		if err != nil {
			return unjudged("the trial cannot be given to the judge: %v", err)
		}
		return ask(ctx, argv, line, o)
	}}, nil
}

// judgedLine writes the trial. An outcome that is not known yet is left out.
func judgedLine(t *trial.Trial) ([]byte, error) {
	judged := *t
	if t.Outcome == trial.Unjudged {
		judged.Outcome = trial.Error // the codec wants one; it is cut out below
	}
	line, err := trial.Append(nil, &judged)
	if err != nil {
		return nil, err
	}
	if t.Outcome == trial.Unjudged {
		// Quotes inside of strings are escaped, so this is the member itself.
		line = bytes.Replace(line, []byte(`,"outcome":"error"`), nil, 1)
	}
	return append(line, '\n'), nil
}

// killDelay is how long pipes are read after the program ended: a child of it may
// hold them open.
const killDelay = time.Second

// ask runs the judge and reads its answer.
func ask(ctx context.Context, argv []string, line []byte, o CommandOptions) Result {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("it took longer than %v", o.Timeout))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	judge := exec.CommandContext(ctx, argv[0], argv[1:]...)
	judge.Dir, judge.WaitDelay = o.Dir, killDelay
	judge.Env = append(os.Environ(), o.Env...)
	judge.Stdin = bytes.NewReader(line)
	overflow := func() { stop(fmt.Errorf("it printed more than %d bytes", o.MaxOutputBytes)) }
	stdout, stderr := &capped{most: o.MaxOutputBytes, overflow: overflow}, &capped{most: o.MaxOutputBytes, overflow: overflow}
	judge.Stdout, judge.Stderr = stdout, stderr
	ownGroup(judge)
	err := judge.Run()
	killGroup(judge)

	name := trial.Printable(argv[0])
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case stdout.overflowed || stderr.overflowed:
		return unjudged("the judge %s printed more than %d bytes", name, o.MaxOutputBytes)
	case ctx.Err() != nil:
		return unjudged("the judge %s was stopped: %v", name, context.Cause(ctx))
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && judge.ProcessState.Success():
		return answer(stdout.kept.Bytes(), true, name, o.Threshold)
	case exited && exit.ExitCode() == 1:
		return answer(stdout.kept.Bytes(), false, name, o.Threshold)
	case exited:
		return unjudged("the judge %s ended with %v%s", name, exit.ProcessState, complaint(stderr.kept.Bytes()))
	default:
		return unjudged("the judge %s could not be run: %v", name, err)
	}
}

// answer reads what a judge printed that exited with 0 (zero) or 1.
func answer(output []byte, zero bool, name string, threshold float64) Result {
	text := strings.TrimSpace(string(output))
	if !strings.HasPrefix(text, "{") {
		if text == "" {
			text = "the judge " + name + " gave no reason"
		}
		return decided(zero, trial.Printable(text))
	}
	var a struct {
		Score  *float64 `json:"score"`
		Pass   *bool    `json:"pass"`
		Reason string   `json:"reason"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a); err != nil {
		return unjudged("the answer of the judge %s cannot be read: %v", name, err)
	}
	if decoder.More() {
		return unjudged("the judge %s printed more than one JSON object", name)
	}
	if a.Score != nil && !(*a.Score >= 0 && *a.Score <= 1) {
		return unjudged("the score %v of the judge %s is not in [0,1]", *a.Score, name)
	}
	pass := zero
	switch {
	case a.Pass != nil:
		pass = *a.Pass
	case a.Score != nil:
		pass = *a.Score >= threshold
	}
	if pass && !zero {
		return unjudged("the judge %s contradicts itself: exit code 1, and an answer that passes", name)
	}
	r := decided(pass, trial.Printable(a.Reason))
	if a.Score != nil {
		r.Score = trial.Some(*a.Score)
	}
	return r
}

// complaint is the last line of what was printed on stderr.
func complaint(stderr []byte) string {
	text := strings.TrimSpace(string(stderr))
	if text == "" {
		return ""
	}
	return ": " + trial.Printable(text[strings.LastIndexByte(text, '\n')+1:])
}

// capped keeps the first bytes that are written to it.
type capped struct {
	kept       bytes.Buffer // not embedded: io.Copy would read past the cap
	most       int
	overflowed bool
	overflow   func()
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.most - c.kept.Len(); len(p) > room {
		c.kept.Write(p[:room])
		c.overflowed = true
		c.overflow()
		return room, errors.New("too much output")
	}
	return c.kept.Write(p)
}
