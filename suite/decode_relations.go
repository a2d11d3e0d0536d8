package suite

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/relation"
)

// maxRelations is chosen: each is tried in many scenarios.
const maxRelations = 100

// paraphraseTimeout is how long a program may take that paraphrases, unless it is given another time. It is chosen.
const paraphraseTimeout = time.Minute

// relations reads the relations of a suite whose scenarios are read. What their evaluators leave behind is none of the
// scenarios'.
func (d *decoder) relations(n *yaml.Node, s *Suite) {
	if d.Takes("type", "array", "maxItems", maxRelations, "items", object{"$ref", "#/$defs/relation"}) {
		return
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) > maxRelations {
		d.Fail(n, fmt.Sprintf("holds more than %d relations", maxRelations), "")
		return
	}
	contracts := d.contracts
	d.NamedItems(n, func(item *yaml.Node) string {
		programs, references := len(d.programs), len(d.references)
		r := d.relation(item, s)
		for i := range d.programs[programs:] {
			d.programs[programs+i].scenario = relationScenario + r.Name
		}
		for i := range d.references[references:] {
			d.references[references+i].scenario = relationScenario + r.Name
		}
		s.Relations = append(s.Relations, r)
		return r.Name
	})
	d.contracts = contracts
}

// relationClaim is what a relation says, before it is put together.
type relationClaim struct {
	*Relation
	on    *relation.Place // nil where it does not say
	with  relationOptions
	holds bool // it says what holds
}

// relationOptions are those of all kinds; which go with which the kind says.
type relationOptions struct {
	reversed   bool
	noise      []relation.NoiseKind
	rate       float64
	settings   []relation.Setting
	paraphrase process.Command
	ofAgent    bool // the list is that of the tools that the agent is offered
}

// relation reads one.
func (d *decoder) relation(n *yaml.Node, s *Suite) Relation {
	r := Relation{Delta: DefaultRelationDelta, Place: d.Place(n)}
	c := &relationClaim{Relation: &r}
	before := len(d.Problems)
	r.Spec = d.JSON(n)
	// The kind says how the rest is read, wherever it stands.
	if at := memberOf(n, "kind"); at != nil {
		d.At("kind", func() { yamlnode.Word(&d.Decoder, &r.Kind, relation.Kinds()...)(at) })
	}
	found := d.Object(n,
		key{Name: "name", About: "tests are named after it",
			Needed: true, Advice: "every relation needs one", Read: func(n *yaml.Node) {
				const advice = "use letters, digits, dots, dashes and underscores: tests are named after it"
				if name, ok := d.Text(n); ok && d.Matches(n, name, namePattern(), advice) {
					r.Name = name
				}
			}},
		key{Name: "kind", Needed: true, Advice: "such as kind: document-order", Read: func(*yaml.Node) {}}, // was read
		key{Name: "on", About: "a place in the input, such as input.documents",
			Read: func(n *yaml.Node) { c.on = d.place(n) }},
		key{Name: "with", About: "how the follow-up differs; which options there are depends on the kind",
			Read: func(n *yaml.Node) { d.relationWith(n, c, s) }},
		key{Name: "holds", About: "of the two executions", Read: func(n *yaml.Node) {
			c.holds = true
			d.relationHolds(n, &r)
		}},
		key{Name: "scenarios", About: "globs of names; all whose input has what it is about is the default",
			Read: d.Texts(&r.Scenarios, d.globOf(s))},
		key{Name: "max_violation_rate", About: "of all pairs, however often the agent disagrees with itself",
			Read: d.Real(func(x float64) { r.MaxViolationRate = trial.Some(x) },
				"must be at least 0.001 and below 1", "it is the share of pairs that may violate the relation",
				yamlnode.AtLeast(0.001), yamlnode.Below(1))},
		key{Name: "delta", About: "by how much more often it must be violated than the agent " +
			"disagrees with itself to matter; 0.2 is the default",
			Read: d.Inside(func(x float64) { r.Delta = x }, "")},
	)
	if found == nil || len(d.Problems) > before {
		return r
	}
	d.together(n, found, c, s)
	if len(d.Problems) == before {
		d.fits(n, found, &r, s)
	}
	return r
}

// place reads a place in an input.
func (d *decoder) place(n *yaml.Node) *relation.Place {
	text, ok := d.Text(n)
	if !ok {
		return nil
	}
	p, err := relation.ParsePlace(text)
	if refused, is := err.(*oracle.OptionError); is {
		d.Fail(n, refused.Value+" "+refused.Problem, refused.Advice)
		return nil
	}
	return &p
}

// globOf refuses a glob that no scenario matches.
func (d *decoder) globOf(s *Suite) func(n *yaml.Node, text string) bool {
	return func(n *yaml.Node, text string) bool {
		if _, err := path.Match(text, ""); err != nil {
			d.Fail(n, yamlnode.Shown(text)+" is no glob: "+err.Error(), "such as refund-*")
			return false
		}
		if !slices.ContainsFunc(s.Scenarios, func(c Scenario) bool { return matchesAny([]string{text}, c.Name) }) {
			advice := "a * does not match a slash"
			if !strings.ContainsAny(text, `*?[\`) {
				var names []string
				for _, c := range s.Scenarios {
					names = append(names, c.Name)
				}
				advice = prose.DidYouMean(text, names)
			}
			d.Fail(n, yamlnode.Shown(text)+" matches no scenario", advice)
			return false
		}
		return true
	}
}

// relationWith reads the options of a kind.
func (d *decoder) relationWith(n *yaml.Node, c *relationClaim, s *Suite) {
	noise := []key{
		{Name: "noise", Read: func(n *yaml.Node) {
			d.Items(n, func(item *yaml.Node) {
				var kind relation.NoiseKind
				yamlnode.Word(&d.Decoder, &kind, relation.NoiseKinds()...)(item)
				c.with.noise = append(c.with.noise, kind)
			})
		}},
		{Name: "rate", Read: d.Real(func(x float64) { c.with.rate = x },
			"must lie above 0 and be at most 0.5",
			"it is the share of letters that noise changes: 0.03 is one of thirty-three",
			yamlnode.Above(0), yamlnode.AtMost(0.5))},
	}
	settings := key{Name: "set", Read: func(n *yaml.Node) { c.with.settings = d.relationSettings(n) }}
	var keys []key
	switch c.Kind {
	case relation.DocumentOrder, relation.ToolOrder:
		keys = []key{{Name: "order", Read: func(n *yaml.Node) {
			order := ""
			yamlnode.Word(&d.Decoder, &order, "shuffled", "reversed")(n)
			c.with.reversed = order == "reversed"
		}}}
		if c.Kind == relation.ToolOrder {
			keys = append(keys, key{Name: "of", Read: func(n *yaml.Node) {
				subject := ""
				yamlnode.Word(&d.Decoder, &subject, "input", "agent")(n)
				c.with.ofAgent = subject == "agent"
			}})
		}
	case relation.Difficulty:
		settings.Needed, settings.Advice = true, "what makes the input harder, such as set: {input.digits: 8}"
		keys = []key{settings}
	case relation.Noise:
		keys = append(noise, d.paraphraseKeys(&c.with.paraphrase)...)
	case relation.Format, relation.Constraint:
		keys = append(noise, settings)
	case relation.Pipeline, relation.Substitution:
		other := s.Agent
		var further []key
		if c.Kind == relation.Pipeline {
			further = []key{{Name: "evaluate", Read: func(n *yaml.Node) { d.evaluations(d.spliced(n), &c.Evaluate) }}}
		}
		d.agentOver(n, &other, further...)
		c.Agent = &other
		return
	}
	if keys == nil {
		d.Fail(n, "is not for "+string(c.Kind), "omit it")
		return
	}
	d.Object(n, keys...)
}

// paraphraseKeys are those of a program that writes a text anew.
func (d *decoder) paraphraseKeys(p *process.Command) []key {
	return []key{
		{Name: "command", Read: func(n *yaml.Node) {
			d.commandInto(&p.Argv)(n)
			p.Argv, p.Dir, p.Timeout = program(d.dir, p.Argv), d.dir, max(p.Timeout, paraphraseTimeout)
			p.Environment.Allow, p.Redact, p.MaxOutputBytes = d.envAllow, d.redact, oracle.DefaultCommandOutput
		}},
		{Name: "env", Read: d.envInto(&p.Environment.Set)},
		{Name: "timeout", Read: d.Duration(&p.Timeout, false)},
	}
}

// relationSettings reads values for places of an input.
func (d *decoder) relationSettings(n *yaml.Node) (list []relation.Setting) {
	if !d.Is(n, yaml.MappingNode) {
		return nil
	}
	if len(n.Content) == 0 {
		d.Fail(n, "must not be empty", "such as set: {input.digits: 8}")
	}
	d.Members(n, func(name string, at, value *yaml.Node) {
		place := d.place(at)
		d.At(name, func() {
			if json := d.JSON(value); json != nil && place != nil {
				list = append(list, relation.Setting{At: *place, Value: json})
			}
		})
	})
	return list
}

// together makes the relation of what it says, and refuses what its kind does not have.
func (d *decoder) together(n *yaml.Node, found map[string]*yaml.Node, c *relationClaim, s *Suite) {
	refuse := func(key, problem, advice string) {
		at := n
		if found[key] != nil {
			at = found[key]
		}
		d.At(key, func() { d.Fail(at, problem, advice) })
	}
	on := func(usual string) relation.Place {
		if c.on != nil {
			return *c.on
		}
		p, _ := relation.ParsePlace(usual)
		return p
	}
	noise := func() relation.Transform {
		if len(c.with.noise) == 0 {
			c.with.noise = relation.NoiseKinds()
		}
		return relation.AddNoise(on("input"), c.with.rate, c.with.noise...)
	}
	placed := true // the kind is about a place
	needed := ""   // what holds must be said, such as this
	switch c.Kind {
	case relation.DocumentOrder, relation.ToolOrder:
		if c.with.ofAgent {
			placed, c.Tools = false, shuffledTools
			if c.with.reversed {
				c.Tools = reversedTools
			}
			if made, err := s.Agent.Configuration(); err == nil && len(made.Tools) < 2 {
				refuse("with", "is about the tools of the agent, of which the suite names fewer than two",
					"name them in agent.config: {tools: FILE}, or leave of out where they stand in the input")
			}
			break
		}
		c.Transform = relation.Shuffle(on(usualList(c.Kind)))
		if c.with.reversed {
			c.Transform = relation.Reverse(on(usualList(c.Kind)))
		}
	case relation.Difficulty:
		placed, needed = false, "score-not-higher: {path: confidence}"
		if found["with"] == nil {
			refuse("with", "is missing", "what makes the input harder, such as with: {set: {input.digits: 8}}")
		}
		c.Transform = relation.Set(c.with.settings...)
	case relation.Noise:
		c.Transform = noise()
		if len(c.with.paraphrase.Argv) > 0 {
			c.Transform = relation.Paraphrase(on("input"), c.with.paraphrase)
			if with := found["with"]; yamlnode.Has(with, "noise") || yamlnode.Has(with, "rate") {
				refuse("with", "has noise and a program that paraphrases", "make two relations of them")
			}
		}
	case relation.Pipeline, relation.Idempotence:
		c.Feed = new(on("input"))
	case relation.Substitution:
		placed = false
	case relation.Format, relation.Constraint:
		needed = "conforms: [json-schema: {schema: {type: object}}]"
		if c.Kind == relation.Constraint {
			needed = "at-most: {words: input.max_words}"
		}
		switch {
		case len(c.with.settings) > 0:
			placed = false
			c.Transform = relation.Set(c.with.settings...)
		case c.on != nil || found["with"] != nil:
			c.Transform = noise()
		}
	}
	if c.on != nil && !placed {
		refuse("on", "is not for "+string(c.Kind), "omit it")
	}
	if c.Kind.About().Agent && c.Agent == nil {
		refuse("with", "is missing", "the other agent, such as with: {command: [./other]}")
	}
	switch {
	case c.Kind == relation.Pipeline && c.holds:
		refuse("holds", "is not for "+string(c.Kind), "what the second agent must pass stands in with: {evaluate: [...]}")
	case c.Kind == relation.Pipeline:
		c.Holds, c.AsksOutcome = relation.RightAfterRight(), true
	case c.Holds == nil && needed != "":
		refuse("holds", "is missing", "such as holds: {"+needed+"}")
	case c.Holds == nil && c.Kind == relation.Idempotence:
		c.Holds = relation.Equal()
	case c.Holds == nil:
		c.Holds, c.AsksOutcome = relation.SameOutcome(), true
	}
	if c.Alone() && !c.MaxViolationRate.Known {
		c.MaxViolationRate = trial.Some(defaultMostViolated)
	}
	if most := c.MaxViolationRate; most.Known && most.Value+c.Delta >= 1 {
		refuse("max_violation_rate", fmt.Sprintf("%v and delta %v must be less than 1 together", most.Value, c.Delta),
			"a test tells the rate from one that is higher by delta")
	}
}

// usualList is where the list of a kind stands most often.
func usualList(k relation.Kind) string {
	if k == relation.ToolOrder {
		return "input.tools"
	}
	return "input.documents"
}

// fits refuses a relation that no scenario has anything for, or one of those that it names has not.
func (d *decoder) fits(n *yaml.Node, found map[string]*yaml.Node, r *Relation, s *Suite) {
	var first error
	tried := 0
	for _, c := range s.Scenarios {
		err := r.Fits(c.Input)
		if first == nil {
			first = err
		}
		if !r.about(c) {
			continue
		}
		tried++
		if err != nil {
			d.At("scenarios", func() {
				d.Fail(found["scenarios"], fmt.Sprintf("names %s, and there %v", yamlnode.Shown(c.Name), err), advised(err))
			})
			return
		}
	}
	if tried == 0 && first != nil {
		d.Fail(n, fmt.Sprintf("fits no scenario: of the first, %v", first), advised(first))
	}
}

// advised is the hint of an error; "" is none.
func advised(err error) string {
	if hinted, ok := err.(interface{ Hint() string }); ok {
		return hinted.Hint()
	}
	return ""
}

// relationHolds reads what holds: a word, or a mapping of one key.
func (d *decoder) relationHolds(n *yaml.Node, r *Relation) {
	type form struct {
		name string
		bare func()             // nil where it needs a value
		read func(n *yaml.Node) // nil where it has none
	}
	evaluators := func(rule func(...oracle.Evaluator) relation.Criterion) func(*yaml.Node) {
		return func(n *yaml.Node) {
			var list []Evaluation
			d.evaluations(d.spliced(n), &list)
			if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
				d.Fail(n, "must not be empty", "")
			}
			all := make([]oracle.Evaluator, len(list))
			for i, e := range list {
				all[i] = e.Evaluator
			}
			r.Holds = rule(all...)
		}
	}
	forms := []form{
		{"same-outcome", func() { r.Holds, r.AsksOutcome = relation.SameOutcome(), true }, nil},
		{"equal", func() { r.Holds = relation.Equal() }, nil},
		{"equal-json", func() { r.Holds = relation.EqualJSON(oracle.Path{}) }, func(n *yaml.Node) {
			var at oracle.Path
			d.Object(n, d.pathKey(&at, true))
			r.Holds = relation.EqualJSON(at)
		}},
		{"same-facts", nil, func(n *yaml.Node) { d.facts(n, r) }},
		{"score-not-higher", func() { r.Holds = relation.ScoreNotHigher(oracle.Path{}, 0) }, func(n *yaml.Node) {
			var at oracle.Path
			var tolerance float64
			d.Object(n, d.pathKey(&at, false), key{Name: "tolerance", Read: d.Amount(func(x float64) { tolerance = x })})
			r.Holds = relation.ScoreNotHigher(at, tolerance)
		}},
		{"within", nil, func(n *yaml.Node) {
			var at oracle.Path
			var apart float64
			distance := d.Amount(func(x float64) { apart = x })
			if n.Kind == yaml.ScalarNode {
				distance(n)
			} else {
				d.Object(n, key{Name: "distance", Needed: true, Read: distance}, d.pathKey(&at, false))
			}
			r.Holds = relation.Within(at, apart)
		}},
		{"conforms", nil, evaluators(relation.Conforms)},
		{"at-most", nil, func(n *yaml.Node) { d.atMost(n, r) }},
		{"evaluate", nil, evaluators(relation.Judged)},
	}
	var names []string
	for _, f := range forms {
		names = append(names, f.name)
	}
	if n.Kind == yaml.ScalarNode {
		var word string
		yamlnode.Word(&d.Decoder, &word, names...)(n)
		for _, f := range forms {
			switch {
			case f.name != word:
			case f.bare == nil:
				d.Fail(n, yamlnode.Shown(word)+" needs a value", "such as "+word+": "+exampleOf(word))
			default:
				f.bare()
			}
		}
		return
	}
	if !d.Is(n, yaml.MappingNode) {
		return
	}
	if len(n.Content) != 2 {
		d.Fail(n, "must have one key", "one of them holds, such as holds: {same-facts: {matches: \"[0-9]+\"}}")
		return
	}
	var keys []key
	for _, f := range forms {
		read := f.read
		if read == nil {
			read = func(n *yaml.Node) { d.Fail(n, "has no options", "write holds: "+f.name) }
		}
		keys = append(keys, key{Name: f.name, Read: read})
	}
	d.Object(n, keys...)
}

// exampleOf shows what a form of what holds is given.
func exampleOf(form string) string {
	switch form {
	case "same-facts":
		return `{matches: "[0-9]+"}`
	case "within":
		return "0.1"
	case "conforms":
		return "[json-schema: {schema: {type: object}}]"
	case "at-most":
		return "{words: input.max_words}"
	}
	return "[command: [./same]]"
}

// pathKey is the key of a path into an output.
func (d *decoder) pathKey(to *oracle.Path, needed bool) key {
	return key{Name: "path", Needed: needed, Advice: "into a JSON output, such as department", Read: func(n *yaml.Node) {
		d.outputPath(n, to)
	}}
}

// outputPath reads a path into an output.
func (d *decoder) outputPath(n *yaml.Node, to *oracle.Path) {
	text, ok := d.Text(n)
	if !ok {
		return
	}
	parsed, err := oracle.ParsePath(text)
	if refused, is := err.(*oracle.OptionError); is {
		d.Fail(n, refused.Value+" "+refused.Problem, refused.Advice)
		return
	}
	*to = parsed
}

// facts reads what of an output is a fact.
func (d *decoder) facts(n *yaml.Node, r *Relation) {
	var f relation.Facts
	oneOrMany := func(one func(*yaml.Node)) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if n.Kind == yaml.ScalarNode {
				one(n)
				return
			}
			d.Items(n, one)
		}
	}
	before := len(d.Problems)
	d.Object(n,
		key{Name: "paths", Read: oneOrMany(func(n *yaml.Node) {
			var at oracle.Path
			d.outputPath(n, &at)
			f.Paths = append(f.Paths, at)
		})},
		key{Name: "matches", Read: oneOrMany(func(n *yaml.Node) {
			text, ok := d.Text(n)
			if !ok {
				return
			}
			expression, err := regexp.Compile(text)
			if err != nil {
				d.Fail(n, yamlnode.Shown(text)+" is no expression: "+err.Error(), "the syntax is RE2's")
				return
			}
			f.Patterns = append(f.Patterns, expression)
		})},
		key{Name: "ignore_case", Read: d.Bool(&f.IgnoreCase)},
	)
	if len(d.Problems) == before && len(f.Paths)+len(f.Patterns) == 0 {
		d.Fail(n, "says of nothing that it is a fact", `such as matches: "[0-9]+", or paths: [city]`)
	}
	r.Holds = relation.SameFacts(f)
}

// atMost reads a unit and where its limit stands in the input.
func (d *decoder) atMost(n *yaml.Node, r *Relation) {
	if n.Kind == yaml.MappingNode && len(n.Content) != 2 {
		d.Fail(n, "must have one key", "such as words: input.max_words")
		return
	}
	var keys []key
	for _, unit := range relation.Units() {
		keys = append(keys, key{Name: string(unit), Read: func(n *yaml.Node) {
			if place := d.place(n); place != nil {
				r.Holds = relation.AtMost(unit, *place)
			}
		}})
	}
	d.Object(n, keys...)
}
