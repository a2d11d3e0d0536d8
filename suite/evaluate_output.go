package suite

import (
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// equals takes any value, which is compared as JSON.
func equals(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	var value trial.Raw
	if !f.options("value", f.path(&at), needed(f.value("value", &value))) {
		return nil, nil
	}
	return oracle.Equals(at, value)
}

// contains takes a text to find.
func contains(f *form) (oracle.Evaluator, error) { return f.searching(oracle.Contains) }

// notContains takes a text that must not be found.
func notContains(f *form) (oracle.Evaluator, error) { return f.searching(oracle.NotContains) }

// searching reads what to search for.
func (f *form) searching(
	evaluator func(oracle.Path, string, oracle.TextOptions) (oracle.Evaluator, error),
) (oracle.Evaluator, error) {
	var at oracle.Path
	var text string
	var o oracle.TextOptions
	if !f.options("value", f.path(&at), needed(f.text("value", &text, 1)), f.flag("ignore_case", &o.IgnoreCase)) {
		return nil, nil
	}
	return evaluator(at, text, o)
}

// regex takes an expression, which may be empty.
func regex(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	var pattern string
	if !f.options("value", f.path(&at), needed(f.text("value", &pattern, 0))) {
		return nil, nil
	}
	return oracle.Regex(at, pattern)
}

// exists takes a path.
func exists(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	if !f.options("path", needed(f.path(&at))) {
		return nil, nil
	}
	return oracle.Exists(at)
}

// inRange takes a least or a greatest number, or both.
func inRange(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	var low, high trial.Optional[float64]
	ready := f.options("", f.path(&at), f.number("min", &low), f.number("max", &high))
	// The oracle checks that one is there.
	if f.Also("anyOf", eitherOf("min", "max")); !ready {
		return nil, nil
	}
	return oracle.Range(at, low, high)
}

// jsonSchema takes a schema, written as YAML.
func jsonSchema(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	var schema trial.Raw
	value := needed(f.value("schema", &schema))
	value.Later = func(*yaml.Node) { f.Takes("type", []string{"object", "boolean"}) }
	if !f.options("", f.path(&at), value) {
		return nil, nil
	}
	return oracle.JSONSchema(at, schema)
}

// exitCode takes one code or several.
func exitCode(f *form) (oracle.Evaluator, error) {
	// the largest exit code of a process
	const most = 255
	var codes []int
	one := f.Whole(0, most, func(x int64) { codes = append(codes, int(x)) })
	if !f.options("code", key{Name: "code", Needed: true, Read: f.oneOrMany(one)}) {
		return nil, nil
	}
	return oracle.ExitCode(codes...)
}

// command takes the command line of a program that judges, as a list.
func command(f *form) (oracle.Evaluator, error) {
	var argv []string
	var again repetition
	// The judge runs in the folder of the suite, and its path leads from there.
	o := oracle.CommandOptions{Dir: f.dir, Redact: f.redact, EnvAllow: f.envAllow}
	if !f.options("command",
		key{Name: "command", Needed: true, Read: f.commandInto(&argv)},
		key{Name: "env", Read: f.envInto(&o.Env)},
		key{Name: "env_allow", Read: f.envAllowInto(&o.EnvAllow)},
		key{Name: "timeout", Read: f.Duration(&o.Timeout, false)},
		f.share("threshold", &o.Threshold),
		key{Name: "max_output_bytes", Read: f.Whole(1, 1<<31-1, func(x int64) { o.MaxOutputBytes = int(x) })},
		f.flag("confine", &o.Confine),
		again.times(f), again.combination(f),
	) {
		return nil, nil
	}
	expanded := f.expands(argv, o.Env)
	o.Env = f.rubricEnv(o.Env, expanded)
	o.Named = f.namer(argv, o.Env)
	if expanded {
		o.Expand = f.expander()
	} else {
		argv = program(f.dir, argv)
	}
	judge, err := oracle.Command(argv, o)
	if err != nil {
		return nil, err
	}
	return again.of(judge, o.Threshold)
}

// repetition says how often a judge is asked about a trial, and what its answers come to.
type repetition struct {
	count   int // 0: once, and the answer is what it says
	combine oracle.Combine
}

// maxRepeat is the largest number of answers, as the oracle has it.
const maxRepeat = 99

// times is the option of how often it is asked.
func (r *repetition) times(f *form) key {
	return key{Name: "repeat", Read: f.Whole(1, maxRepeat, func(x int64) { r.count = int(x) })}
}

// combination is the option of what the answers come to.
func (r *repetition) combination(f *form) key {
	return key{Name: "combine", Read: yamlnode.Word(&f.Decoder, &r.combine,
		oracle.Majority, oracle.AllPass, oracle.AnyPass, oracle.Median)}
}

// of is the judge, asked so often.
func (r *repetition) of(judge oracle.Evaluator, threshold float64) (oracle.Evaluator, error) {
	switch {
	case r.count == 0 && r.combine != "":
		return nil, &oracle.OptionError{
			Option: "combine", Problem: "is of several answers", Advice: "say how many with repeat: 3",
		}
	case r.count == 0:
		return judge, nil
	}
	return oracle.Repeat(judge, r.count, r.combine, threshold)
}

// mustCall takes the names of tools, and how often each must be called.
func mustCall(f *form) (oracle.Evaluator, error) {
	var tools []string
	var least int
	var o oracle.ToolOptions
	times := key{Name: "min", Read: f.Whole(1, maxTrials, func(x int64) { least = int(x) })}
	if !f.options("tools", f.tools(&tools), times, f.exactNames(&o)) {
		return nil, nil
	}
	return oracle.MustCall(tools, least, o)
}

// mustNotCall takes the names of tools.
func mustNotCall(f *form) (oracle.Evaluator, error) {
	var tools []string
	var o oracle.ToolOptions
	if !f.options("tools", f.tools(&tools), f.exactNames(&o)) {
		return nil, nil
	}
	return oracle.MustNotCall(tools, o)
}

// toolOrder takes the names of tools in their order.
func toolOrder(f *form) (oracle.Evaluator, error) {
	var tools []string
	var exact bool
	var o oracle.ToolOptions
	if !f.options("tools", f.tools(&tools), f.flag("exact", &exact), f.exactNames(&o)) {
		return nil, nil
	}
	return oracle.ToolOrder(tools, exact, o)
}

// budget reads the limit of a metric that is counted.
func budget(metric oracle.Metric) func(f *form) (oracle.Evaluator, error) {
	return func(f *form) (oracle.Evaluator, error) {
		var most int64
		// 2^53: every whole number up to it is a float64.
		if !f.options("max", key{Name: "max", Needed: true, Read: f.Whole(0, 1<<53, func(x int64) { most = x })}) {
			return nil, nil
		}
		return oracle.Budget(metric, float64(most))
	}
}

// wallTime takes a duration; the oracle counts in seconds.
func wallTime(f *form) (oracle.Evaluator, error) {
	var most time.Duration
	if !f.options("max", key{Name: "max", Needed: true, Read: f.Duration(&most, true)}) {
		return nil, nil
	}
	return oracle.Budget(oracle.WallTime, most.Seconds())
}
