package mutation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Command is an operator of the user's own: a program, which is started without a shell. It reads a configuration as
// JSON on standard input, as [Configuration.MarshalJSON] writes it, and prints one that is changed, or a JSON list of
// some. Each must differ in one component, and may leave out what it does not change.
type Command struct {
	Name           string        // of the operator, which is own.NAME
	Argv           []string      // program and arguments
	Dir            string        // working directory; "" is that of this process
	Env            []string      // names of variables that it inherits, beside the few that programs need
	Timeout        time.Duration // 0 is [defaultCommandTimeout]
	MaxOutputBytes int           // 0 is [defaultCommandOutput]
	Severity       Severity      // of its mutants; "" is [moderate]
}

// What a [Command] stands for where it says nothing.
const (
	defaultCommandTimeout = time.Minute
	defaultCommandOutput  = 16 << 20 // bytes
)

// maxOwn bounds the configurations that a command makes. It is chosen.
const maxOwn = 1000

// failed says that an operator of the user's own, such as own.paraphrase, did not come to configurations, and quotes
// the last of what it complained of, which may be nothing.
func failed(name, problem, stderr, advice string) error {
	text := "the operator " + prose.Printable(name) + " " + problem
	if lines := strings.Split(strings.TrimSpace(stderr), "\n"); lines[len(lines)-1] != "" {
		text += ": " + prose.Excerpt(lines[len(lines)-1])
	}
	return &fault.Error{Problem: text, Advice: advice, Code: exit.Unavailable}
}

// operator is the command as one of the table.
func (o Command) operator() Operator {
	severity := o.Severity
	if severity == "" {
		severity = moderate
	}
	return Operator{
		Name: string(ownClass) + "." + o.Name, Class: ownClass, Severity: severity, Category: string(ownClass),
		Summary: "what " + prose.Excerpt(strings.Join(o.Argv, " ")) + " makes of it",
	}
}

// own finds the mutants that a command makes.
func (e *enumeration) own(ctx context.Context, command Command) error {
	made, err := command.run(ctx, e.Configuration)
	if err != nil {
		return err
	}
	o := command.operator()
	for i, changed := range made {
		components := e.Changed(changed)
		if len(components) == 0 {
			continue
		}
		if len(components) > 1 {
			var names []string
			for _, c := range components {
				names = append(names, string(c))
			}
			return failed(o.Name, fmt.Sprintf("changes the %s in configuration %d", prose.And(names), i+1), "",
				"a mutant changes one component: print a configuration for each")
		}
		component := components[0]
		sum := sha256.Sum256([]byte(changed.text(component)))
		e.add(Mutant{
			Key: o.Name + "-" + hex.EncodeToString(sum[:6]), Operator: o.Name, Class: ownClass, Severity: o.Severity,
			Category: o.Category, Site: e.ownSite(changed, component), Seed: e.seed, component: component, own: &changed,
		}, changed)
	}
	return nil
}

// ownSite says what a command changed.
func (e *enumeration) ownSite(changed Configuration, component Component) Site {
	s := Site{Text: "the " + string(component)}
	if component != PromptComponent {
		return s
	}
	if all := hunks(e.Prompt, changed.Prompt); len(all) > 0 {
		lines := strings.Count(e.Prompt, "\n") + 1
		s.Line = min(all[0].after, lines)
		s.EndOfLine = max(s.Line, min(all[len(all)-1].after+all[len(all)-1].added-1, lines))
	}
	return s
}

// put puts the component that a command made in the place of that of a configuration.
func (m Mutant) put(c Configuration) (Configuration, error) {
	before := c
	switch m.component {
	case PromptComponent:
		c.Prompt = m.own.Prompt
	case ToolsComponent:
		c.Tools = slices.Clone(m.own.Tools)
	case ModelComponent:
		c.Model, c.Temperature = m.own.Model, m.own.Temperature
	case ContextComponent:
		c.Context = slices.Clone(m.own.Context)
	}
	if before.same(c, m.component) {
		return Configuration{}, errNoSite
	}
	return c, nil
}

// run starts the program, and reads what it made. What it leaves out is as it was.
func (o Command) run(ctx context.Context, c Configuration) ([]Configuration, error) {
	name := o.operator().Name
	asked, err := json.Marshal(c)
	if err != nil {
		return nil, err // not reached: what is checked can be written
	}
	timeout, most := o.Timeout, o.MaxOutputBytes
	if timeout <= 0 {
		timeout = defaultCommandTimeout
	}
	if most <= 0 {
		most = defaultCommandOutput
	}
	p, err := process.Command{
		Argv: o.Argv, Dir: o.Dir, Timeout: timeout, Grace: time.Second, MaxOutputBytes: most, EndOnOverflow: true,
		Environment: process.Environment{Allow: o.Env},
	}.Run(ctx, append(asked, '\n'))
	switch {
	case err != nil:
		return nil, failed(name, "cannot be run: "+errors.Unwrap(err).Error(), "",
			"its path is from the folder in which it runs")
	case p.Truncated:
		return nil, failed(name, fmt.Sprintf("printed more than %d bytes", most), "", "")
	case p.TimedOut:
		return nil, failed(name, fmt.Sprintf("did not end within %v", timeout), p.Stderr, "")
	case p.Cancelled:
		return nil, failed(name, "was stopped", "", "")
	case p.Signal != "":
		return nil, failed(name, "ended with signal "+p.Signal, p.Stderr, "")
	case p.ExitCode != 0:
		return nil, failed(name, fmt.Sprintf("ended with exit status %d", p.ExitCode), p.Stderr, "")
	}
	made, err := configurations(p.Stdout, c)
	if err != nil {
		const advice = "print a configuration as it comes on standard input, or a JSON list of some"
		return nil, failed(name, "printed what is no configuration: "+prose.Reason(err.Error()), "", advice)
	}
	return made, nil
}

// configurations reads one or some, over the one that they are made of.
func configurations(output []byte, base Configuration) (made []Configuration, err error) {
	output = bytes.TrimSpace(output)
	var raws []json.RawMessage
	if bytes.HasPrefix(output, []byte("[")) {
		if err := json.Unmarshal(output, &raws); err != nil {
			return nil, err
		}
	} else {
		raws = []json.RawMessage{output}
	}
	if len(raws) > maxOwn {
		return nil, fmt.Errorf("more than %d of them", maxOwn)
	}
	for i, raw := range raws {
		changed, err := over(raw, base)
		if err == nil {
			err = changed.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("configuration %d: %w", i+1, err)
		}
		made = append(made, changed)
	}
	return made, nil
}

// over reads a configuration over another: what it leaves out is as it was there.
func over(raw json.RawMessage, base Configuration) (Configuration, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return Configuration{}, err
	}
	if given == nil {
		return Configuration{}, errors.New("it is null")
	}
	var read Configuration
	if err := json.Unmarshal(raw, &read); err != nil {
		return Configuration{}, err
	}
	changed := base
	for name := range given {
		switch name {
		case "prompt":
			changed.Prompt = read.Prompt
		case "tools":
			changed.Tools = keptRaw(read.Tools, base.Tools)
		case "model":
			changed.Model = read.Model
		case "temperature":
			changed.Temperature = read.Temperature
		case "orchestration":
			changed.Orchestration = read.Orchestration
		case "context":
			changed.Context = read.Context
			for i, s := range changed.Context { // a text in place of JSON becomes such JSON
				if !s.JSON && len(base.Context) > 0 {
					changed.Context[i] = like(base.Context[0], s.Raw)
				}
			}
			if sameTexts(read.Context, base.Context) {
				changed.Context = base.Context
			}
		}
	}
	return changed, nil
}

// keptRaw are tools as they were read where they are the same but for their layout.
func keptRaw(read, base []Tool) []Tool {
	compact := func(t Tool) string {
		var b bytes.Buffer
		_ = json.Compact(&b, t.Raw) // it was checked
		return b.String()
	}
	tools := slices.Clone(read)
	for i, t := range tools {
		for _, old := range base {
			if compact(old) == compact(t) {
				tools[i] = old
			}
		}
	}
	return tools
}

// sameTexts reports whether segments are the same but for the layout of their JSON.
func sameTexts(a, b []Segment) bool {
	compact := func(s Segment) string {
		var b bytes.Buffer
		if !s.JSON || json.Compact(&b, []byte(s.Raw)) != nil {
			return s.Raw
		}
		return b.String()
	}
	return slices.EqualFunc(a, b, func(x, y Segment) bool { return compact(x) == compact(y) })
}
