package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// CommandOptions say how an external judge is run.
type CommandOptions struct {
	Dir string            // working directory; "" is that of this process
	Env map[string]string // variables that are set
	// EnvAllow are the variables of this process that it inherits, beside the few without which programs do
	// not start, such as PATH and HOME: names, beginnings such as AWS_*, or * for all.
	EnvAllow []string
	// Expand returns the arguments and variables that the judge is started with in place of those that were given, such
	// as with values of variables in them; nil leaves them as they are. It must not change its arguments.
	Expand func(argv []string, env map[string]string) ([]string, map[string]string)
	// Named returns the arguments and variables by which the judge is told from others, such as without the folder of
	// the program and without secrets; nil: those that were given.
	Named          func() (argv []string, env map[string]string)
	Redact         []string      // names of variables whose values are removed from what it complains of
	Timeout        time.Duration // 0 is [defaultCommandTimeout]
	MaxOutputBytes int           // of what it prints; 0 is [DefaultCommandOutput]
	Confine        bool          // it writes temporary files alone, and reaches no network: see package confine
	Threshold      float64       // the least score that passes where the judge gives one; 0 is 0.5
}

// What [CommandOptions] stand for where they say nothing.
const (
	defaultCommandTimeout = time.Minute
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
// Anything else is an error of the judging: another exit code, 1 with words on standard error alone (an exception), a
// signal, the timeout, more output than allowed, JSON that cannot be read, such an object behind other text, "false" or
// a bare number below 1 beside an exit code that passes. The program and its
// children are killed then, and whenever it ends.
//
// Its digest is of its arguments and variables, of the threshold, and of the content of the files that these name: the
// program, or, where that is one of PATH, such as python3, what its arguments name.
func Command(argv []string, o CommandOptions) (Evaluator, error) {
	switch {
	case len(argv) == 0 || argv[0] == "":
		return nil, &OptionError{Option: "command", Problem: "names no program"}
	case o.Timeout < 0:
		return nil, &OptionError{Option: "timeout", Value: o.Timeout.String(), Problem: "must not be negative"}
	case o.MaxOutputBytes < 0:
		return nil, &OptionError{
			Option: "max_output_bytes", Value: fmt.Sprint(o.MaxOutputBytes), Problem: "must not be negative",
		}
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return nil, &OptionError{
			Option: "threshold", Value: number(o.Threshold), Problem: "must lie above 0 and be at most 1",
		}
	}
	if o.Timeout == 0 {
		o.Timeout = defaultCommandTimeout
	}
	if o.MaxOutputBytes == 0 {
		o.MaxOutputBytes = DefaultCommandOutput
	}
	if o.Threshold == 0 {
		o.Threshold = defaultPassingScore
	}
	argv, o.Env, o.Redact = slices.Clone(argv), maps.Clone(o.Env), slices.Clone(o.Redact)
	o.EnvAllow = slices.Clone(o.EnvAllow)
	var files watchedFiles
	started := func() []string {
		if o.Expand == nil {
			return argv
		}
		expanded, _ := o.Expand(argv, o.Env)
		return expanded
	}
	digest := sync.OnceValue(func() string {
		files.changed(started(), o.Dir) // from now on they are known
		return commandDigest(argv, o)
	})
	return programJudge{evaluator{"command", unsure, func(ctx context.Context, e Evidence) Result {
		line, err := judgedLine(e.Trial)
		if err != nil {
			return unjudged("the trial cannot be given to the judge: %v", err)
		}
		argv, o := argv, o // those of this call
		if o.Expand != nil {
			argv, o.Env = o.Expand(argv, o.Env)
		}
		changed := func() string { return files.changed(argv, o.Dir) }
		if path := changed(); path != "" {
			return replaced(argv[0], path)
		}
		r := ask(ctx, argv, line, o)
		if path := changed(); path != "" {
			return replaced(argv[0], path)
		}
		return r
	}}, digest, func() []string { return judgeFiles(started(), o.Dir) }}, nil
}

// replaced is what a judge says that is not the one that was asked for.
func replaced(name, path string) Result {
	return unjudged("the judge %s is not what it was when judging began: %s was changed; keep its files where nothing "+
		"that is judged writes, such as in a folder of its own", prose.Excerpt(name), prose.Excerpt(path))
}

// judgedLine writes the trial as one line of JSON, which is what a recording has.
func judgedLine(t *trial.Trial) ([]byte, error) {
	line, err := trial.Append(nil, t)
	if err != nil {
		return nil, err
	}
	return append(line, '\n'), nil
}

// ask runs the judge and reads its answer.
func ask(ctx context.Context, argv []string, line []byte, o CommandOptions) Result {
	judge := process.Command{
		Argv: argv, Dir: o.Dir, Timeout: o.Timeout, Grace: killDelay,
		MaxOutputBytes: o.MaxOutputBytes, EndOnOverflow: true,
		Environment: process.Environment{Allow: o.EnvAllow, Set: o.Env}, Redact: o.Redact,
	}
	if o.Confine {
		judge.Confine = &confine.Rules{Network: confine.None}
	}
	name := prose.Excerpt(argv[0])
	p, err := judge.Run(ctx, line)
	switch {
	case err != nil:
		return unjudged("the judge %s could not be run: %v", name, errors.Unwrap(err))
	// A cut output is no answer, whatever the exit code.
	case p.Truncated:
		return unjudged("the judge %s printed more than %d bytes", name, o.MaxOutputBytes)
	case p.TimedOut:
		return unjudged("the judge %s was stopped: it took longer than %v", name, o.Timeout)
	case p.Cancelled:
		return unjudged("the judge %s was stopped: %v", name, context.Cause(ctx))
	// A program that an exception ends, such as Python's, exits with 1 too.
	case p.ExitCode == 1 && len(bytes.TrimSpace(p.Stdout)) == 0 && complaint(p.Stderr) != "":
		return unjudged("the judge %s ended with exit status 1 and without a reason on standard output%s", name,
			complaint(p.Stderr))
	case p.ExitCode == 0 || p.ExitCode == 1:
		return answer(p.Stdout, p.ExitCode == 0, name, o.Threshold)
	case p.Signal != "":
		return unjudged("the judge %s ended with signal %s%s", name, p.Signal, complaint(p.Stderr))
	}
	return unjudged("the judge %s ended with exit status %d%s", name, p.ExitCode, complaint(p.Stderr))
}

// killDelay is how long a judge may take to end once it is asked to.
const killDelay = time.Second

// answer reads what a judge printed that exited with 0 (zero) or 1.
func answer(output []byte, zero bool, name string, threshold float64) Result {
	text := strings.TrimSpace(string(output))
	// Text that does not begin as an object is the reason, and the exit code decides.
	if !strings.HasPrefix(text, "{") {
		switch {
		case text == "":
			text = "the judge " + name + " gave no reason"
		case answersLater(text):
			return unjudged("the judge %s printed other text before its JSON object: print that to standard error", name)
		case zero && bareNo(text):
			return unjudged("the judge %s contradicts itself: exit code 0 passes, and it printed %s: print "+
				`{"score": 0} or {"pass": false}, or end with exit code 1`, name, text)
		}
		return decided(zero, prose.Excerpt(text))
	}
	var a struct {
		Score  *float64 `json:"score"`
		Pass   *bool    `json:"pass"`
		Reason string   `json:"reason"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	// A misspelt "score" would else be passed over, and the exit code decide.
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a); err != nil {
		if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			err = fmt.Errorf("%s is a %s", wrong.Field, wrong.Value)
		}
		return unjudged("the answer of the judge %s cannot be read: %v", name, err)
	}
	if decoder.More() {
		return unjudged("the judge %s printed more than one JSON object", name)
	}
	if a.Score != nil && !(*a.Score >= 0 && *a.Score <= 1) {
		return unjudged("the score %v of the judge %s is not in [0,1]", *a.Score, name)
	}
	// By rank: pass, the score against the threshold, the exit code.
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
	r := decided(pass, prose.Excerpt(a.Reason))
	if a.Score != nil {
		r.Score = trial.Some(*a.Score)
	}
	return r
}

// answersLater reports whether text has an answer behind other lines.
func answersLater(text string) bool {
	for at := strings.Index(text, "\n{"); at >= 0; at = strings.Index(text, "\n{") {
		text = text[at+1:]
		var answer map[string]any
		if json.NewDecoder(strings.NewReader(text)).Decode(&answer) != nil {
			continue
		}
		for _, key := range []string{"score", "pass"} {
			if _, there := answer[key]; there {
				return true
			}
		}
	}
	return false
}

// bareNo reports whether text is but a word for "no", or a score below 1.
func bareNo(text string) bool {
	score, err := strconv.ParseFloat(text, 64)
	return strings.EqualFold(text, "false") || err == nil && score >= 0 && score < 1
}

// complaint is the last line of what was printed on stderr.
func complaint(stderr string) string {
	text := strings.TrimSpace(stderr)
	if text == "" {
		return ""
	}
	return ": " + prose.Excerpt(text[strings.LastIndexByte(text, '\n')+1:])
}
