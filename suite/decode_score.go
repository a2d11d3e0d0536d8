package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/suite/internal/modeljudge"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
)

// rubricVariable is the variable in which a program that judges a part of an axis is told by what, as JSON.
const rubricVariable = "TRIBUNAL_RUBRIC"

// rubric is by what a judge gives a level.
type rubric struct {
	Axis     string    `json:"axis"`
	Name     string    `json:"name"` // of the part
	Levels   []float64 `json:"levels,omitempty"`
	Examples []string  `json:"examples,omitempty"` // of each level, in their order
}

// text is the rubric as a model is told it.
func (r *rubric) text() string {
	var b strings.Builder
	for i, example := range r.Examples {
		fmt.Fprintf(&b, "\n\nAn example of level %s:\n%s", levelWord(r.Levels[i]), example)
	}
	return b.String()
}

// modelLevels are the levels as a model names them; nil where there are none.
func (r *rubric) modelLevels() (levels []modeljudge.Level) {
	for _, level := range r.Levels {
		levels = append(levels, modeljudge.Level{Name: levelWord(level), Score: level / r.Levels[len(r.Levels)-1]})
	}
	return levels
}

// levelWord is how a level is written.
func levelWord(level float64) string { return strconv.FormatFloat(level, 'g', -1, 64) }

// score reads the axes on which trials have points. The scenarios were read before: what an axis is from must be there.
func (d *decoder) score(n *yaml.Node, s *Suite) {
	s.ScoreSpec = d.JSON(n)
	programs := len(d.programs)
	var axes []score.Axis
	var nodes []*yaml.Node
	d.Object(n, key{Name: "axes", Needed: true, Advice: "such as axes: [{name: tests, points: 63, from: evaluators}]",
		Read: func(n *yaml.Node) {
			if n.Kind == yaml.SequenceNode && (len(n.Content) == 0 || len(n.Content) > score.MaxAxes) {
				d.Fail(n, fmt.Sprintf("must hold from 1 to %d axes", score.MaxAxes), "")
				return
			}
			d.NamedItems(n, func(item *yaml.Node) string {
				var a score.Axis
				d.Named("axis", func(n *yaml.Node) { a = d.axis(n) })(item)
				axes, nodes = append(axes, a), append(nodes, item)
				return a.Name
			})
			d.Also("minItems", 1, "maxItems", score.MaxAxes)
		}})
	d.Also("description", "on what trials have points; axes with judges come after those without")
	for i := range d.programs[programs:] {
		d.programs[programs+i].scoring = true
	}
	if len(d.Problems) > 0 || d.Describes() {
		return
	}
	for i, item := range nodes {
		d.At(fmt.Sprintf("axes[%d]", i), func() {
			d.onlyIf(item, axes, i)
			d.axisFits(item, &axes[i], s)
		})
	}
	s.Score = score.Of(axes)
}

// axis reads one, but for its condition.
func (d *decoder) axis(n *yaml.Node) score.Axis {
	a := score.Axis{Digest: beginning(canonical(d.JSON(n)))}
	var each *yaml.Node
	if at := memberOf(n, "name"); at != nil {
		if name, ok := at.Value, at.Kind == yaml.ScalarNode; ok && score.IsName(name) {
			a.Name = name
		}
	}
	found := d.Object(n,
		key{Name: "name", Needed: true, Advice: "every axis needs one", Read: func(n *yaml.Node) {
			if d.Takes("type", "string", "pattern", "^[a-z][a-z0-9_]{0,59}$") {
				return
			}
			if text, ok := d.Text(n); ok && !score.IsName(text) {
				d.Fail(n, "cannot be "+yamlnode.Shown(text),
					"use small letters, digits and underscores, and no word of conditions such as not")
			}
		}},
		key{Name: "points", About: "what all of it is worth",
			Needed: true, Advice: "say what all of it is worth", Read: d.Real(
				func(x float64) { a.Points = x }, "must be a positive number", "",
				yamlnode.Above(0), yamlnode.AtMost(score.MaxPoints))},
		key{Name: "from", About: "whose share it is: tests of a report that pass, scores, clauses " +
			"and limits that are kept", Read: yamlnode.Word(&d.Decoder, &a.From, score.Sources()...)},
		key{Name: "report", About: "from tests: the file that the agent leaves, from its folder; " +
			"{id} is the attempt", Read: d.Line(&a.Report)},
		key{Name: "tests", About: "how many tests there are at least; default those in the report",
			Read: d.Whole(1, maxTrials, func(x int64) { a.Tests = int(x) })},
		key{Name: "each", About: "of equal weight", Read: func(n *yaml.Node) { each = n },
			Later: func(n *yaml.Node) { d.axisParts(n, &a) }},
		key{Name: "only_if", About: "a condition over the shares of axes that are scored before, " +
			"such as tests >= 0.5; else it is worth 0, and no judge is asked",
			Read:  func(n *yaml.Node) { d.Text(n) },
			Later: d.Line(new(string))}, // is read when the other axes are known
	)
	d.Also("oneOf", eitherOf("from", "each"))
	switch {
	case found == nil:
		return a
	case found["from"] == nil && each == nil:
		d.Fail(n, "is scored by nothing", "give from, such as from: evaluators, or each, a list of judges and expressions")
	case found["from"] != nil && each != nil:
		d.At("each", func() { d.Fail(each, "stands beside from", "an axis has one of the two") })
	case a.From == score.Tests && a.Report == "":
		d.Missing(n, "report", "name the file that the agent's tests leave, such as report: junit-{id}.xml")
	}
	for _, name := range []string{"report", "tests"} {
		if at := found[name]; at != nil && a.From != score.Tests {
			d.At(name, func() { d.Fail(at, "is for an axis from tests", "omit it") })
		}
	}
	if each != nil {
		d.At("each", func() { d.axisParts(each, &a) })
	}
	return a
}

// axisParts reads what an axis is the mean of.
func (d *decoder) axisParts(n *yaml.Node, a *score.Axis) {
	if n.Kind == yaml.SequenceNode && (len(n.Content) == 0 || len(n.Content) > score.MaxParts) {
		d.Fail(n, fmt.Sprintf("must hold from 1 to %d parts", score.MaxParts), "")
		return
	}
	d.NamedItems(n, func(item *yaml.Node) string {
		var p score.Part
		d.Named("axisPart", func(n *yaml.Node) { p = d.axisPart(n, a.Name) })(item)
		a.Parts = append(a.Parts, p)
		return p.Name
	})
	d.Also("minItems", 1, "maxItems", score.MaxParts)
}

// axisPart reads one: a judge or an expression.
func (d *decoder) axisPart(n *yaml.Node, axis string) score.Part {
	var p score.Part
	var judge, examples *yaml.Node
	var name string // of the only file
	found := d.Object(n,
		key{Name: "name", Needed: true, Advice: "every part needs one", Read: d.Name(&p.Name, maxNameBytes)},
		key{Name: "judge", About: "its score is the share", Read: func(n *yaml.Node) { judge = n },
			Later: d.Named("evaluator", d.anyEvaluator)},
		key{Name: "levels", About: "scores that a judge may give, 0 first; default any",
			Read: func(n *yaml.Node) { p.Levels = d.axisLevels(n) }},
		key{Name: "examples", About: "what each level looks like, in their order",
			Read:  func(n *yaml.Node) { examples = n },
			Later: func(n *yaml.Node) { d.axisExamples(n, &rubric{}) }},
		key{Name: "regex", About: "looked for in each line of the files (RE2)", Read: func(n *yaml.Node) {
			text, ok := d.Text(n)
			if !ok {
				return
			}
			var err error
			if p.Regexp, err = regexp.Compile(text); err != nil {
				d.Fail(n, "is no expression: "+err.Error(), "")
			}
		}},
		key{Name: "found", About: "what it means where it is found; default bad", Read: func(n *yaml.Node) {
			var word string
			yamlnode.Word(&d.Decoder, &word, "bad", "good")(n)
			p.Wanted = word == "good"
		}},
		key{Name: "files", About: "patterns, from the folder of the agent; {id} is the attempt; default its output",
			Read: func(n *yaml.Node) {
				one, many := d.Line(&name), d.Texts(&p.Files, d.IsLine)
				switch {
				case d.Either(one, many):
				case n.Kind != yaml.ScalarNode:
					many(n)
				default:
					if one(n); name != "" {
						p.Files = []string{name}
					}
				}
			}},
	)
	d.Also("oneOf", eitherOf("judge", "regex"))
	if found == nil {
		return p
	}
	if (judge == nil) == (found["regex"] == nil) {
		d.Fail(n, "needs a judge or a regex, one of the two", "such as regex: 'except:', with files: '**/*.py'")
	}
	only := func(name, kind string, has bool) {
		if at := found[name]; at != nil && !has {
			d.At(name, func() { d.Fail(at, "is for a "+kind, "omit it") })
		}
	}
	only("files", "regex", found["regex"] != nil)
	only("found", "regex", found["regex"] != nil)
	only("levels", "judge", judge != nil)
	only("examples", "judge", judge != nil)
	r := &rubric{Axis: axis, Name: p.Name, Levels: p.Levels}
	if examples != nil && judge != nil {
		d.At("examples", func() { d.axisExamples(examples, r) })
	}
	if judge != nil {
		d.rubric = r
		d.At("judge", func() {
			if e, ok := d.evaluation(judge); ok {
				p.Judge = e.Evaluator
			}
		})
		d.rubric = nil
	}
	return p
}

// mostLevels is how many a model may name.
const mostLevels = 20

// axisLevels reads what a judge may say: numbers from 0 up.
func (d *decoder) axisLevels(n *yaml.Node) (levels []float64) {
	d.Items(n, func(item *yaml.Node) {
		x, ok := d.Number(item)
		if d.Also("minimum", 0); ok {
			levels = append(levels, x)
		}
	})
	d.Also("minItems", 2, "maxItems", mostLevels, "uniqueItems", true)
	ascending := slices.IsSorted(levels) && len(slices.Compact(slices.Clone(levels))) == len(levels)
	if n.Kind == yaml.SequenceNode && (len(levels) < 2 || len(levels) > mostLevels || levels[0] != 0 || !ascending) {
		d.Fail(n, fmt.Sprintf("must be from 2 to %d numbers, 0 and then ever larger ones", mostLevels), "such as [0, 1, 2]")
		return nil
	}
	return levels
}

// axisExamples reads what levels look like, one for each.
func (d *decoder) axisExamples(n *yaml.Node, r *rubric) {
	d.Items(n, func(item *yaml.Node) {
		if text, ok := d.Text(item); ok {
			r.Examples = append(r.Examples, text)
		}
	})
	d.Also("minItems", 2, "maxItems", mostLevels)
	if n.Kind == yaml.SequenceNode && len(n.Content) != len(r.Levels) {
		d.Fail(n, fmt.Sprintf("must be as many as the levels, which are %d", len(r.Levels)),
			"one text for each, in their order")
	}
}

// onlyIf reads the condition of an axis, which is about those that are scored before it.
func (d *decoder) onlyIf(n *yaml.Node, axes []score.Axis, i int) {
	at := memberOf(n, "only_if")
	if at == nil {
		return
	}
	var before []string
	for j, other := range axes {
		if other.Judged() == axes[i].Judged() && j < i || !other.Judged() && axes[i].Judged() {
			before = append(before, other.Name)
		}
	}
	condition, err := score.NewCondition(at.Value, before)
	if refused, ok := errors.AsType[*score.ConditionError](err); ok {
		d.At("only_if", func() { d.Fail(at, refused.Problem, refused.Advice) })
		return
	}
	axes[i].OnlyIf = condition
}

// axisFits refuses an axis from what the suite does not have, and files of an agent that leaves none.
func (d *decoder) axisFits(n *yaml.Node, a *score.Axis, s *Suite) {
	at := func(name string) *yaml.Node {
		if member := memberOf(n, name); member != nil {
			return member
		}
		return n
	}
	lacks := func(has func(Scenario) bool) (name string, lacks bool) {
		for _, c := range s.Scenarios {
			if !has(c) {
				return c.Name, true
			}
		}
		return "", false
	}
	var name string
	var without bool
	switch a.From {
	case score.Evaluators:
		name, without = lacks(func(c Scenario) bool { return len(c.Evaluators()) > 0 })
	case score.Contracts:
		name, without = lacks(func(c Scenario) bool {
			return slices.ContainsFunc(c.Evaluate, func(e Evaluation) bool {
				return e.Name == contract.EvaluatorName || strings.Contains(string(e.Spec), `"`+contract.EvaluatorName+`"`)
			})
		})
	case score.Limits:
		name, without = lacks(func(c Scenario) bool {
			return c.Limits.MaxTurns.Known || c.Limits.MaxCostUSD.Known || c.Limits.MaxTokens.Known
		})
	}
	if without {
		d.At("from", func() {
			d.Fail(at("from"), fmt.Sprintf("is %s, and the scenario %q has none", a.From, name),
				"give it some, or another source")
		})
	}
	if len(a.Left()) == 0 {
		return
	}
	for _, agent := range s.allAgents() {
		if len(agent.Command) == 0 {
			d.Fail(n, "looks into files, and an agent of the suite is no program that leaves any", "score its output")
			return
		}
		for _, file := range a.Left() {
			if filepath.IsAbs(file) {
				d.Fail(n, fmt.Sprintf("looks into %q, which is no path from the folder of the agent", file), "")
				return
			}
			if s.Concurrency > 1 && !strings.Contains(file, "{id}") {
				d.Fail(n, fmt.Sprintf("looks into %q, which %d trials at a time would share", file, s.Concurrency),
					"write {id} into it and into the command, where it stands for a name of the attempt, or set concurrency: 1")
				return
			}
		}
	}
}

// rubricEnv is a command's environment with the rubric of the part that it judges, if it judges one. Signs of
// variables in it are no variables.
func (d *decoder) rubricEnv(env map[string]string, expanded bool) map[string]string {
	if d.rubric == nil {
		return env
	}
	text, err := json.Marshal(d.rubric)
	if err != nil {
		return env // not reached: it holds texts and finite numbers
	}
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	env[rubricVariable] = string(text)
	if expanded {
		env[rubricVariable] = referencePattern().ReplaceAllStringFunc(string(text), func(found string) string {
			return "$" + found
		})
	}
	return env
}

// scoreDigest is of all by which trials are scored, beside the programs that judge; "" where they are not.
func (s *Suite) scoreDigest() string {
	if len(s.ScoreSpec) == 0 {
		return ""
	}
	return beginning(canonical(s.ScoreSpec))
}

// ScoreJudges are the judges that have a say in the points of trials, in the order in which they are asked.
func (s *Suite) ScoreJudges() (judges []oracle.Evaluator) {
	for _, a := range s.Score {
		for _, p := range a.Parts {
			if p.Judge != nil {
				judges = append(judges, p.Judge)
			}
		}
	}
	return judges
}
