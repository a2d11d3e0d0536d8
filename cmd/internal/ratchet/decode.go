package ratchet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/cmd/internal/repeat"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/glob"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// Chosen: what lies beyond them is taken for a slip.
const (
	longestName  = 200
	mostAttempts = 1000
	mostUSD      = 1e6
)

// Load reads the file of a loop; a folder stands for the [FileName] in it.
func Load(ctx context.Context, file string) (*Config, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, FileName)
	}
	text, err := yamlnode.ReadContext(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{
			File: file, Problem: "does not exist",
			Advice: "tribunal improve ratchet init --loop writes one to start from", Err: err,
		}
	case err != nil:
		return nil, err
	}
	return parse(file, text)
}

// parse reads the text of such a file. The name is where it stands: the project is in its folder.
func parse(file string, text []byte) (*Config, error) {
	root, err := yamlnode.Parse(file, "loop", text)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	c := &Config{
		File: file, Name: "ratchet", Attempts: defaultAttempts, MaxCost: workdayUSD, Seed: 1, Routes: map[string]string{},
		Digest: "sha256:" + hex.EncodeToString(sum[:]), Extract: Extract{Language: noLanguage},
	}
	d := &yamlnode.Decoder{File: file, What: "the loop"}
	given := d.Object(root, c.keys(d)...)
	if given != nil {
		c.check(d, root, given)
	}
	return c, d.Err()
}

// keys are those of the file.
func (c *Config) keys(d *yamlnode.Decoder) []yamlnode.Key {
	within := func(n *yaml.Node, name string) bool { return isWithin(d, n, name) }
	return []yamlnode.Key{
		{Name: "version", Needed: true, Advice: "write version: 1", Read: d.Whole(1, 1, func(int64) {})},
		{Name: "name", Read: d.Name(&c.Name, longestName)},
		{Name: "files", Needed: true, Advice: "name the files that an attempt may change",
			Read: d.Texts(&c.Files, func(n *yaml.Node, name string) bool {
				c.written = append(c.written, mention{d.Place(n), d.Field, name})
				return within(n, name)
			})},
		{Name: "protect", Read: d.Texts(&c.Protect, within)},
		{Name: "exclude", Read: d.Texts(&c.Exclude, within)},
		{Name: "link", Read: d.Texts(&c.Link, within)},
		{Name: "rules", Read: d.Texts(&c.Rules, d.IsLine)},
		{Name: "generate", Read: func(n *yaml.Node) { c.Generate = c.stage(d, n) }},
		{Name: "review", Read: func(n *yaml.Node) { c.Review = c.stage(d, n) }},
		{Name: "fix", Needed: true, Advice: "name the command that mends an attempt",
			Read: func(n *yaml.Node) { c.Fix = *c.stage(d, n) }},
		{Name: "tests", Read: func(n *yaml.Node) { c.Tests = c.testing(d, n) }},
		{Name: "suite", Read: func(n *yaml.Node) { c.Suite = pairsOf(d, n) }},
		{Name: "extract", Read: func(n *yaml.Node) { c.Extract = c.extraction(d, n) }},
		{Name: "attempts", Read: d.Whole(1, mostAttempts, func(x int64) { c.Attempts = int(x) })},
		{Name: "stop", Read: func(n *yaml.Node) {
			d.Object(n,
				yamlnode.Key{Name: "stalled", Read: d.Whole(1, mostAttempts, func(x int64) { c.Stalled = int(x) })},
				yamlnode.Key{Name: "least", Read: d.Share(func(x float64) { c.Least = x }, "it is the chance of an improvement")})
		}},
		{Name: "budget", Read: func(n *yaml.Node) { c.budget(d, n) }},
		{Name: "routes", Read: func(n *yaml.Node) {
			d.Members(n, func(name string, _, value *yaml.Node) {
				d.At(yamlnode.Shown(name), func() {
					var model string
					d.Object(value, yamlnode.Key{Name: "model", Needed: true, Read: d.Name(&model, longestName)})
					c.Routes[name] = model
				})
			})
		}},
		{Name: "prices", Read: func(n *yaml.Node) { c.Prices = prices.ParseNode(d, c.File, n) }},
		{Name: "wire", Read: d.Bool(&c.Wire)},
		{Name: "guard", Read: func(n *yaml.Node) {
			if name, ok := d.Text(n); ok && isWithin(d, n, name) {
				c.Guard, c.Wire = name, true
			}
		}},
		{Name: "confine", Read: d.Bool(&c.Confine)},
		{Name: "seed", Read: d.Whole(0, math.MaxInt64, func(x int64) { c.Seed = uint64(x) })},
	}
}

// isWithin refuses a name, or a glob, that leads out of the project or is not written in the one form.
func isWithin(d *yamlnode.Decoder, n *yaml.Node, name string) bool {
	if !d.IsLine(n, name) {
		return false
	}
	if name == "." || !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name ||
		strings.Contains(name, `\`) {
		d.Fail(n, yamlnode.Shown(name)+" is no name within the project",
			"write it from the folder of this file, as in src/service.py")
		return false
	}
	return true
}

// words reads a command. Unlike in a list of names a word may stand in it twice.
func (c *Config) words(d *yamlnode.Decoder, target *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		var list []string
		d.Items(n, func(item *yaml.Node) {
			if word, ok := d.Text(item); ok {
				if list = append(list, word); len(list) == 1 {
					c.programs = append(c.programs, mention{d.Place(item), d.Field, word})
				}
			}
		})
		if len(list) == 0 {
			d.Fail(n, "must name a program", "a list: program and arguments")
		}
		*target = list
	}
}

// stage reads a program.
func (c *Config) stage(d *yamlnode.Decoder, n *yaml.Node) *Stage {
	s := &Stage{Timeout: defaultStageTimeout}
	stdin := "text"
	d.Object(n,
		yamlnode.Key{Name: "command", Needed: true, Advice: "a list: program and arguments", Read: c.words(d, &s.Command)},
		yamlnode.Key{Name: "stdin", Read: yamlnode.Word(d, &stdin, "text", "json")},
		yamlnode.Key{Name: "route", Read: d.Name(&s.Route, longestName)},
		yamlnode.Key{Name: "timeout", Read: d.Duration(&s.Timeout, false)})
	s.JSON = stdin == "json"
	return s
}

// testing reads a test command.
func (c *Config) testing(d *yamlnode.Decoder, n *yaml.Node) *Tests {
	t := &Tests{Timeout: defaultTestTimeout, Again: true}
	report := "file"
	d.Object(n,
		yamlnode.Key{Name: "command", Needed: true, Advice: "a list: program and arguments", Read: c.words(d, &t.Command)},
		yamlnode.Key{Name: "report", Read: yamlnode.Word(d, &report, "file", "stdout")},
		yamlnode.Key{Name: "from", Read: func(n *yaml.Node) {
			name, ok := d.Text(n)
			if !ok {
				return
			}
			var err error
			if t.From, err = ingest.ParseFormat(name); err != nil {
				d.Fail(n, err.Error(), "tribunal help import lists the formats")
			}
		}},
		yamlnode.Key{Name: "timeout", Read: d.Duration(&t.Timeout, false)},
		yamlnode.Key{Name: "again", Read: d.Bool(&t.Again)})
	t.Stdout = report == "stdout"
	if len(t.Command) == 0 {
		return t
	}
	if command, err := t.command(); err == nil {
		if unknown, ok := errors.AsType[*repeat.UnknownRunnerError](command.Validate()); ok {
			d.Fail(n, unknown.Message(), unknown.Hint()+", or report: stdout")
		}
	}
	return t
}

// pairsOf reads how an agent is tried by pairs.
func pairsOf(d *yamlnode.Decoder, n *yaml.Node) *Pairs {
	p := &Pairs{File: "tribunal.yaml", Alpha: keep.DefaultAlpha}
	spending := keep.Bonferroni.String()
	amount := func(x *float64) func(*yaml.Node) { return d.Amount(func(v float64) { *x = v }) }
	d.Object(n,
		yamlnode.Key{Name: "file", Read: func(n *yaml.Node) {
			if name, ok := d.Text(n); ok && isWithin(d, n, name) {
				p.File = name
			}
		}},
		yamlnode.Key{Name: "alpha", Read: amount(&p.Alpha)},
		yamlnode.Key{Name: "spending", Read: yamlnode.Word(d, &spending, keep.Bonferroni.String(), keep.LORD.String())},
		yamlnode.Key{Name: "gain", Read: amount(&p.Question.Gain)},
		yamlnode.Key{Name: "rate", Read: amount(&p.Question.Rate)},
		yamlnode.Key{Name: "power", Read: amount(&p.Question.Power)},
		yamlnode.Key{Name: "max_pairs", Read: d.Whole(1, keep.MostPairs, func(x int64) { p.Question.MaxPairs = int(x) })})
	if spending == keep.LORD.String() {
		p.Spending = keep.LORD
	}
	q := p.Question
	q.Alpha = p.Alpha
	if bad, ok := errors.AsType[*keep.QuestionError](q.Check()); ok {
		d.At(bad.Option, func() { d.Fail(n, bad.Problem, "") })
	}
	return p
}

// extraction reads how files are found in an answer.
func (c *Config) extraction(d *yamlnode.Decoder, n *yaml.Node) Extract {
	e := Extract{Language: noLanguage}
	d.Object(n,
		yamlnode.Key{Name: "language", Needed: true, Read: yamlnode.Word(d, &e.Language, noLanguage, python, Go, JSON,
			Command)},
		yamlnode.Key{Name: "command", Read: c.words(d, &e.Command)})
	if e.Language == Command && len(e.Command) == 0 {
		d.Missing(n, "command", "it says by its exit code whether its standard input is such a file")
	}
	return e
}

// mention is a program or a file of the loop, and where it stands.
type mention struct {
	fault.Place
	field, name string
}

// missing says which of the programs cannot be started, and which of the files that an attempt may change are not
// there: those that the first attempt does not make.
func (c *Config) missing() error {
	var problems yamlnode.Errors
	say := func(n mention, problem, advice string) {
		problems = append(problems, &yamlnode.Error{Place: n.Place, Field: n.field, Problem: problem, Advice: advice})
	}
	for _, p := range c.programs {
		if problem, advice := process.Missing(c.Dir(), p.name, "the loop"); problem != "" {
			say(p, problem, advice)
		}
	}
	for _, f := range c.written {
		if _, err := os.Lstat(c.Path(f.name)); errors.Is(err, fs.ErrNotExist) && c.Generate == nil {
			say(f, "names a file that is not there: "+yamlnode.Shown(f.name), "write it, or let generate make it")
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return problems
}

// budget reads the caps.
func (c *Config) budget(d *yamlnode.Decoder, n *yaml.Node) {
	profile := ""
	keys := d.Object(n,
		yamlnode.Key{Name: "profile", Read: yamlnode.Word(d, &profile, "workday", "overnight")},
		yamlnode.Key{Name: "max_cost", Read: d.Real(func(x float64) { c.MaxCost = x },
			"must lie above 0", "it is in US dollars", yamlnode.Above(0), yamlnode.AtMost(mostUSD))},
		yamlnode.Key{Name: "max_duration", Read: d.Duration(&c.MaxTime, false)})
	if keys["profile"] != nil && keys["max_cost"] != nil {
		d.Fail(n, "has a profile and max_cost", "omit one of them: workday is 10 USD, overnight 30")
	}
	if profile == "overnight" {
		c.MaxCost = overnightUSD
	}
}

// check looks at what must go together.
func (c *Config) check(d *yamlnode.Decoder, root *yaml.Node, given map[string]*yaml.Node) {
	if (c.Tests == nil) == (c.Suite == nil) && given["tests"] == nil && given["suite"] == nil {
		d.Fail(root, "has neither tests nor a suite", "name one of them: it says which attempt is better")
	}
	if given["tests"] != nil && given["suite"] != nil {
		d.Fail(given["suite"], "stands beside tests", "omit one of them: one alone says which attempt is better")
	}
	for _, name := range c.Files {
		for _, pattern := range c.Protect {
			if glob.Matches(pattern, name) {
				d.At("files", func() {
					d.Fail(given["files"], yamlnode.Shown(name)+" is protected", "omit it, or out of protect")
				})
			}
		}
	}
	for _, stage := range []struct {
		name   string
		config *Stage
	}{{"generate", c.Generate}, {"review", c.Review}, {"fix", &c.Fix}} {
		if stage.config == nil || stage.config.Route == "" || c.Routes[stage.config.Route] != "" {
			continue
		}
		d.At(stage.name+".route", func() { d.Fail(given[stage.name], "is none of routes", "name it there, with its model") })
	}
	if c.Confine && !c.Wire {
		d.At("confine", func() {
			d.Fail(given["confine"], "needs the wire", "add wire: true: it is all that a confined program reaches")
		})
	}
	slices.Sort(c.Files)
}
