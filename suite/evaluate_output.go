package suite

import (
	"time"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// equals takes any value, which is compared as JSON.
func equals(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	var value trial.Raw
	if !f.options("value", f.path(&at), f.value("value", &value).needed()) {
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
	if !f.options("value", f.path(&at), f.text("value", &text, 1).needed(), f.flag("ignore_case", &o.IgnoreCase)) {
		return nil, nil
	}
	return evaluator(at, text, o)
}

// regex takes an expression, which may be empty.
func regex(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	var pattern string
	if !f.options("value", f.path(&at), f.text("value", &pattern, 0).needed()) {
		return nil, nil
	}
	return oracle.Regex(at, pattern)
}

// exists takes a path.
func exists(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	if !f.options("path", f.path(&at).needed()) {
		return nil, nil
	}
	return oracle.Exists(at)
}

// inRange takes a least or a greatest number, or both.
func inRange(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	var low, high trial.Optional[float64]
	least, most := f.number("min", &low), f.number("max", &high)
	// The schema says that one is needed, and the oracle checks it.
	least.either, most.either = true, true
	if !f.options("", f.path(&at), least, most) {
		return nil, nil
	}
	return oracle.Range(at, low, high)
}

// jsonSchema takes a schema, written as YAML.
func jsonSchema(f *form) (oracle.Evaluator, error) {
	var at oracle.Path
	var schema trial.Raw
	value := f.value("schema", &schema).needed()
	// A schema is a mapping, or true or false.
	value.schema = object{{"type", []string{"object", "boolean"}}}
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
	code := object{{"type", "integer"}, {"minimum", 0}, {"maximum", most}}
	if !f.options("code", f.oneOrMany("code", one, code).needed()) {
		return nil, nil
	}
	return oracle.ExitCode(codes...)
}

// command takes the command line of a program that judges, as a list.
func command(f *form) (oracle.Evaluator, error) {
	var argv []string
	var again repeated
	// The judge runs in the folder of the suite, and its path leads from there.
	o := oracle.CommandOptions{Dir: f.dir, Redact: f.redact, EnvAllow: f.envAllow}
	// In the schema alone: commandInto and envInto check the same.
	words := object{{"type", "array"}, {"items", textSchema(0)}, {"minItems", 1}}
	variables := object{
		{"type", "object"},
		{"propertyNames", object{{"pattern", variablePattern().String()}}},
		{"additionalProperties", textSchema(0)},
	}
	if !f.options("command",
		option{key: key{Name: "command", Read: f.commandInto(&argv)}, schema: words}.needed(),
		option{key: key{Name: "env", Read: f.envInto(&o.Env)}, schema: variables},
		option{key: key{Name: "env_allow", Read: f.envAllowInto(&o.EnvAllow)}, schema: envAllowSchema()},
		f.duration("timeout", &o.Timeout, false),
		f.share("threshold", &o.Threshold),
		f.whole("max_output_bytes", 1, 1<<31-1, func(x int64) { o.MaxOutputBytes = int(x) }),
		option{key: key{Name: "confine", Read: f.Bool(&o.Confine)}, schema: object{{"type", "boolean"}}},
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

// repeated says how often a judge is asked about a trial, and what its answers come to.
type repeated struct {
	count   int // 0: once, and the answer is what it says
	combine oracle.Combine
}

// maxRepeat is the largest number of answers, as the oracle has it.
const maxRepeat = 99

// times is the option of how often it is asked.
func (r *repeated) times(f *form) option {
	o := f.whole("repeat", 1, maxRepeat, func(x int64) { r.count = int(x) })
	o.schema = append(o.schema, member{"maximum", maxRepeat})
	return o
}

// combination is the option of what the answers come to.
func (r *repeated) combination(f *form) option {
	ways := []oracle.Combine{oracle.Majority, oracle.AllPass, oracle.AnyPass, oracle.Median}
	return option{
		key:    key{Name: "combine", Read: yamlnode.Word(&f.Decoder, &r.combine, ways...)},
		schema: object{{"enum", ways}},
	}
}

// of is the judge, asked so often.
func (r *repeated) of(judge oracle.Evaluator, threshold float64) (oracle.Evaluator, error) {
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

// envAllowSchema is that of the variables that a program inherits.
func envAllowSchema() object { return object{{"$ref", "#/$defs/agent/properties/env_allow"}} }

// mustCall takes the names of tools, and how often each must be called.
func mustCall(f *form) (oracle.Evaluator, error) {
	var tools []string
	var least int
	var o oracle.ToolOptions
	if !f.options("tools", f.tools(&tools), f.whole("min", 1, maxTrials, func(x int64) { least = int(x) }),
		f.exactNames(&o)) {
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
		if !f.options("max", f.whole("max", 0, 1<<53, func(x int64) { most = x }).needed()) {
			return nil, nil
		}
		return oracle.Budget(metric, float64(most))
	}
}

// wallTime takes a duration; the oracle counts in seconds.
func wallTime(f *form) (oracle.Evaluator, error) {
	var most time.Duration
	if !f.options("max", f.duration("max", &most, true).needed()) {
		return nil, nil
	}
	return oracle.Budget(oracle.WallTime, most.Seconds())
}
