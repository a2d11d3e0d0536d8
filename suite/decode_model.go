package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
	"github.com/tribunal-dev/tribunal/wire/model"
)

// toolPattern is the name of a tool, as both providers have it.
var toolPattern = lazy.Regexp(`^[A-Za-z0-9_-]{1,64}$`)

// Chosen: what lies beyond them is taken for a slip.
const (
	defaultModelTurns = 20
	maxModelTurns     = 1000
	maxModelTokens    = 1 << 30
	maxTools          = 128 // as OpenAI has it
)

// model reads a model that is asked as an agent, over the one that is there: of a variant, what it does not say is the
// agent's.
func (d *decoder) model(n *yaml.Node, a *Agent) {
	m := Model{Prompt: "{input}", MaxTurns: defaultModelTurns}
	over := a.Model != nil
	if over {
		m = *a.Model
	}
	filled := func(target *string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			text, ok := d.Text(n)
			_, err := endpoint.Holders(text)
			d.refusedPath(n, err)
			if ok && err == nil {
				*target = text
			}
		}
	}
	keys := append(d.modelKeys(&m.Provider, &m.Name, &m.URL, &m.KeyEnv, !over && !d.Describes()),
		key{Name: "system", About: "{input.PATH}, {seed} and the like stand for values of the trial",
			Read: filled(&m.System)},
		key{Name: "prompt", About: "message of the user; default {input}", Read: filled(&m.Prompt)},
		key{Name: "tools", About: "tools that it may call, with the answers they give",
			Read: func(n *yaml.Node) { m.Tools = d.mocks(n) }},
		key{Name: "max_turns", About: "answers of the model in a trial; default 20",
			Read: d.Whole(1, maxModelTurns, func(x int64) { m.MaxTurns = int(x) })},
		key{Name: "temperature", Read: d.temperature(&m.Temperature)},
		key{Name: "max_tokens", About: "of an answer; default the provider's, and 4096 of anthropic",
			Read: d.Whole(1, maxModelTokens, func(x int64) { m.MaxTokens = int(x) })},
		key{Name: "seed", About: "sent to the model: {seed} is that of the trial; default: none",
			Read: func(n *yaml.Node) { d.modelSeed(n, &m.Seed) }},
		key{Name: "price", About: "US dollars for a million tokens; default: what a trial costs is not known",
			Read: func(n *yaml.Node) { m.Price = d.price(n) }},
	)
	found := d.Object(n, keys...)
	d.Also("description", "a model that is asked, in place of a command")
	d.keyOf(n, found["key_env"], m.KeyVariable())
	if m.Seed != "" && m.Provider == model.Anthropic {
		at := n
		if found["seed"] != nil {
			at = found["seed"]
		}
		d.At("seed", func() { d.Fail(at, "is sent to no model of anthropic, which takes none", "omit it") })
	}
	a.Model, a.HTTP, a.Command, a.Mode, a.Output = &m, nil, nil, ProcessMode, OutputText
}

// modelKeys are the keys that say which model is asked, and where.
func (d *decoder) modelKeys(provider *model.Provider, name, url, keyEnv *string, needed bool) []key {
	return []key{
		{Name: "provider", About: "openai: chat completions, which many servers speak; anthropic: messages",
			Needed: needed, Advice: "openai, which many servers speak, or anthropic",
			Read: yamlnode.Word(&d.Decoder, provider, model.OpenAI, model.Anthropic)},
		{Name: "name", About: "of the model", Needed: needed, Advice: "such as name: gpt-5-mini", Read: d.Line(name)},
		{Name: "url", About: "base of another server, such as http://localhost:11434/v1; ${NAME} " +
			"stands for variables", Read: func(n *yaml.Node) {
			if text, ok := d.Text(n); ok && d.isBase(n, text) {
				d.noteReferences(n, text)
				*url = text
			}
		}},
		{Name: "key_env", About: "variable of the key; default OPENAI_API_KEY or ANTHROPIC_API_KEY, " +
			"and none with a url", Read: func(n *yaml.Node) {
			if text, ok := d.Text(n); ok && d.isVariable(n, text) {
				*keyEnv = text
			}
		}},
	}
}

// isBase refuses what is no base of the addresses of a server.
func (d *decoder) isBase(n *yaml.Node, text string) bool {
	if holders, _ := endpoint.Holders(text); holders {
		d.Fail(n, "is the same for all trials", "write no {input} and the like into it")
		return false
	}
	for _, end := range []string{"/chat/completions", "/v1/messages"} {
		if strings.HasSuffix(strings.TrimRight(text, "/"), end) {
			d.Fail(n, "ends with "+end+", which is added to it", "such as http://localhost:11434/v1 for openai")
			return false
		}
	}
	if strings.Contains(text, "?") {
		d.Fail(n, "has a part behind ?, where a path is added", "")
		return false
	}
	return d.isAddress(n, text)
}

// keyOf notes which variable has to have the key.
func (d *decoder) keyOf(n, at *yaml.Node, name string) {
	if name == "" {
		return
	}
	field := d.Field
	if at != nil {
		n, field = at, field+".key_env"
	}
	d.references = append(d.references, reference{d.Place(n), field, name, "", true})
}

// temperature reads how freely a model answers.
func (d *decoder) temperature(target *trial.Optional[float64]) func(*yaml.Node) {
	return d.Real(func(x float64) { *target = trial.Some(x) }, "must be from 0 to 2", "",
		yamlnode.AtLeast(0), yamlnode.AtMost(2))
}

// trialSeed is written for the seed of the trial.
const trialSeed = "{seed}"

// modelSeed reads a seed: that of the trial, or a number.
func (d *decoder) modelSeed(n *yaml.Node, target *string) {
	number := d.Whole(0, 1<<53, func(x int64) { *target = strconv.FormatInt(x, 10) })
	if d.Either(func(*yaml.Node) { d.Takes("const", trialSeed) }, number) {
		return
	}
	if n.Kind == yaml.ScalarNode && n.Value == trialSeed {
		*target = trialSeed
		return
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		const advice = "in quotes: seed: \"" + trialSeed + "\""
		d.Fail(n, "must be a whole number or "+trialSeed+", not "+yamlnode.Describe(n), advice)
		return
	}
	number(n)
}

// price reads what tokens cost.
func (d *decoder) price(n *yaml.Node) *model.Price {
	var p model.Price
	d.Object(n,
		key{Name: "input", Needed: true, Advice: "in US dollars for a million tokens",
			Read: d.Amount(func(x float64) { p.Input = x })},
		key{Name: "output", Needed: true, Advice: "in US dollars for a million tokens",
			Read: d.Amount(func(x float64) { p.Output = x })},
		key{Name: "cached", About: "default: as other input",
			Read: d.Amount(func(x float64) { p.Cached = trial.Some(x) })},
	)
	return &p
}

// mocks reads tools that answer as they are told.
func (d *decoder) mocks(n *yaml.Node) (list []model.Mock) {
	if n.Kind == yaml.SequenceNode && len(n.Content) > maxTools {
		d.Fail(n, fmt.Sprintf("holds more than %d tools", maxTools), "")
		return nil
	}
	d.NamedItems(n, func(item *yaml.Node) string {
		m := d.mock(item)
		list = append(list, m)
		return m.Name
	})
	d.Also("maxItems", maxTools)
	return list
}

// mock reads a tool. What it answers to every call stands beside its name, and several answers in a list.
func (d *decoder) mock(n *yaml.Node) (m model.Mock) {
	var always model.MockAnswer
	found := d.Object(n, append(d.answerKeys(&always),
		key{Name: "name", Needed: true, Read: func(n *yaml.Node) {
			const advice = "names of tools have up to 64 letters, digits, dashes and underscores"
			if text, ok := d.Text(n); ok && d.Matches(n, text, toolPattern(), advice) {
				m.Name = text
			}
		}},
		key{Name: "description", About: "description for the model",
			Read: func(n *yaml.Node) { m.Description, _ = d.Text(n) }},
		key{Name: "parameters", About: "JSON Schema of the arguments; default: any object", Read: func(n *yaml.Node) {
			if d.Takes("type", "object") || !d.Is(n, yaml.MappingNode) {
				return
			}
			m.Parameters = d.JSON(n)
			if refused, ok := errors.AsType[*oracle.OptionError](m.Check()); ok && m.Parameters != nil {
				d.Fail(n, refused.Problem, "it is a JSON Schema")
			}
		}},
		key{Name: "results", About: "the first that fits a call answers it", Read: func(n *yaml.Node) {
			if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
				d.Fail(n, "must not be empty", "")
			}
			d.Items(n, func(item *yaml.Node) { m.Answers = append(m.Answers, d.mockAnswer(item)) })
			d.Also("minItems", 1)
		}},
	)...)
	if found == nil {
		return m
	}
	result, problem, several := found["result"], found["error"], found["results"]
	switch {
	case result == nil && problem == nil && several == nil:
		d.Fail(n, "does not say what it answers", "such as result: ok, or results: [{when: {id: 7}, result: ok}]")
	case result != nil && problem != nil, several != nil && (result != nil || problem != nil):
		d.Fail(n, "has several of result, error and results", "leave one of them")
	case several == nil:
		m.Answers = []model.MockAnswer{always}
	}
	return m
}

// answerKeys are the two things that a mock may answer.
func (d *decoder) answerKeys(a *model.MockAnswer) []key {
	return []key{
		{Name: "result", About: "what a call answers: text, or JSON", Read: func(n *yaml.Node) {
			a.Result = d.JSON(n)
			d.checkHolders(n)
		}},
		{Name: "error", About: "the call fails with it", Read: d.Line(&a.Error)},
	}
}

// mockAnswer reads one of several answers.
func (d *decoder) mockAnswer(n *yaml.Node) (a model.MockAnswer) {
	found := d.Object(n, append(d.answerKeys(&a),
		key{Name: "when", About: "the arguments have these; default: any", Read: func(n *yaml.Node) {
			if !d.Takes("type", "object") && d.Is(n, yaml.MappingNode) {
				a.When = d.JSON(n)
				d.checkHolders(n)
			}
		}},
		key{Name: "times", About: "for so many calls of a trial; default: all",
			Read: d.Whole(1, maxModelTurns, func(x int64) { a.Times = int(x) })},
	)...)
	if found != nil && (found["result"] == nil) == (found["error"] == nil) {
		d.Fail(n, "has a result or an error, one of the two", "")
	}
	return a
}

// checkHolders notes what is wrong with the holders in a document.
func (d *decoder) checkHolders(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		_, err := endpoint.Holders(n.Value)
		d.refusedPath(n, err)
		return
	}
	for i, item := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			d.checkHolders(item)
		}
	}
}

// expanded returns the model with the values of variables, and its key.
func (m *Model) expanded(value func(string) (string, bool)) (*Model, error) {
	e := *m
	if m.URL != "" {
		e.URL = expand(m.URL, value)
		if problem := addressProblem(e.URL); problem != "" {
			return nil, errors.New(problem)
		}
	}
	if name := m.KeyVariable(); name != "" {
		key, _ := value(name)
		e.Key = strings.TrimSpace(key)
	}
	return &e, nil
}

// asksInput reports whether the input of a scenario stands in the prompt.
func (m *Model) asksInput() bool { return strings.Contains(m.Prompt, "{input") }

// settings are what is said of it. The key is no part of it.
func (m *Model) settings(text func(string) string) []string {
	lines := []string{setting("agent.model", text(string(m.Provider)+" "+m.Name))}
	add := func(name, value string) { lines = append(lines, setting("agent.model."+name, value)) }
	if m.URL != "" {
		add("url", text(m.URL))
	}
	if m.System != "" {
		add("system", text(m.System))
	}
	add("prompt", text(m.Prompt))
	for _, t := range m.Tools {
		add("tools."+t.Name, text(toolText(t)))
	}
	add("max_turns", strconv.Itoa(m.MaxTurns))
	if m.Temperature.Known {
		add("temperature", shortest(m.Temperature.Value))
	}
	if m.MaxTokens > 0 {
		add("max_tokens", strconv.Itoa(m.MaxTokens))
	}
	if m.Seed != "" {
		add("seed", text(m.Seed))
	}
	if m.Price != nil {
		form, _ := json.Marshal(m.Price) // numbers
		add("price", string(form))
	}
	return lines
}

// toolText is what is said of a tool, on one line.
func toolText(t model.Mock) string {
	text := t.Description
	if t.Parameters != nil {
		text += " " + string(t.Parameters)
	}
	for _, a := range t.Answers {
		if a.When != nil {
			text += " when " + string(a.When)
		}
		if a.Times > 0 {
			text += fmt.Sprintf(" %d times", a.Times)
		}
		if text += " result " + string(a.Result); a.Error != "" {
			text += " error " + a.Error
		}
	}
	return strings.TrimSpace(text)
}
