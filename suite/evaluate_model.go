package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/suite/internal/modeljudge"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/model"
)

// What a model that judges has where the suite says nothing. Both are chosen.
const (
	judgeTimeout = time.Minute
	judgeRetries = 4
)

// judgeCache is where the answers of models that judge are kept, from the folder of the suite.
const judgeCache = ".tribunal/judges"

// modelJudge takes which model judges, and by what.
func modelJudge(f *form) (oracle.Evaluator, error) {
	o := modeljudge.Options{Model: model.Settings{Timeout: judgeTimeout, Retries: judgeRetries}}
	var again repetition
	keyEnv, cache := "", true
	keys := append(f.modelKeys(&o.Model.Provider, &o.Model.Name, &o.Model.URL, &keyEnv, true),
		needed(f.text("prompt", &o.Prompt, 1)),
		key{Name: "levels", Read: func(n *yaml.Node) { o.Levels = f.levels(n) }},
		key{Name: "show", Read: func(n *yaml.Node) { o.Show = f.shown(n) }},
		f.share("threshold", &o.Threshold),
		key{Name: "temperature", Read: f.temperature(&o.Model.Temperature)},
		key{Name: "max_tokens", About: "of an answer; default the provider's, and 4096 of anthropic",
			Read: f.Whole(1, maxModelTokens, func(x int64) { o.Model.MaxTokens = int(x) })},
		key{Name: "seed", Read: f.Whole(0, 1<<53, func(x int64) { o.Seed = trial.Some(x) })},
		key{Name: "price", About: "US dollars for a million tokens; default: what a trial costs is not known",
			Read: func(n *yaml.Node) { o.Price = f.price(n) }},
		key{Name: "timeout", Read: f.Duration(&o.Model.Timeout, false)},
		key{Name: "retries", Read: f.Whole(0, 100, func(x int64) { o.Model.Retries = int(x) })},
		f.flag("cache", &cache),
		again.times(f), again.combination(f),
	)
	if !f.options("", keys...) {
		return nil, nil
	}
	if o.Seed.Known && o.Model.Provider == model.Anthropic {
		return nil, &oracle.OptionError{
			Option: "seed", Problem: "is sent to no model of anthropic, which takes none", Advice: "omit it",
		}
	}
	name := keyVariable(o.Model.Provider, o.Model.URL, keyEnv)
	var at *yaml.Node
	if keyEnv != "" {
		at = valueOf(f.node, "key_env")
	}
	f.keyOf(f.node, at, name)
	if cache {
		o.CacheDir = filepath.Join(f.dir, filepath.FromSlash(judgeCache))
	}
	o.Late, o.Redact = f.late(name), f.redactor(name)
	if f.rubric != nil {
		o.Prompt += f.rubric.text()
		if o.Levels == nil {
			o.Levels = f.rubric.modelLevels()
		}
	}
	judge, err := modeljudge.New(o)
	if err != nil {
		return nil, err
	}
	return again.of(judge, o.Threshold)
}

// late returns what tells a judge its address and its key when it is asked.
func (f *form) late(name string) func(model.Settings) (model.Settings, error) {
	held := f.held()
	return func(m model.Settings) (model.Settings, error) {
		from := held()
		if m.URL != "" {
			m.URL = expand(m.URL, from.value)
			if problem := addressProblem(m.URL); problem != "" {
				return m, fmt.Errorf("its url %s", problem)
			}
		}
		if name == "" {
			return m, nil
		}
		key, _ := from.value(name)
		if m.Key = strings.TrimSpace(key); m.Key == "" {
			return m, fmt.Errorf("it needs the variable %s, which is not set", name)
		}
		return m, nil
	}
}

// redactor returns what removes secrets from answers that are kept: the values of variables that the suite names so,
// and of those that are called like secrets.
func (f *form) redactor(keyName string) func(string) string {
	held, names := f.held(), slices.Clone(f.redact)
	return func(text string) string {
		environment := os.Environ()
		for name, value := range held() {
			environment = append(environment, name+"="+value)
		}
		named := append(slices.Clone(names), keyName)
		for _, variable := range environment {
			if name, _, _ := strings.Cut(variable, "="); isSecretName(name) && !slices.Contains(named, name) {
				named = append(named, name)
			}
		}
		return redact.Of(named, environment).Text(text)
	}
}

// levels reads what a judge may say: words from the worst to the best, or words with their scores.
func (f *form) levels(n *yaml.Node) (levels []modeljudge.Level) {
	scored := func(n *yaml.Node) {
		f.Members(n, func(name string, _, value *yaml.Node) {
			f.At(name, func() {
				f.Real(func(x float64) { levels = append(levels, modeljudge.Level{Name: name, Score: x}) },
					"must be from 0 to 1", "", yamlnode.AtLeast(0), yamlnode.AtMost(1))(value)
			})
		})
		f.Also("minProperties", 2, "maxProperties", 20)
	}
	var names []string
	listed := func(n *yaml.Node) {
		f.Texts(&names, f.IsLine)(n)
		f.Also("minItems", 2, "maxItems", 20)
	}
	switch {
	case f.Either(listed, scored):
	case n.Kind == yaml.MappingNode:
		scored(n)
	default:
		listed(n)
		levels = modeljudge.Spaced(names...)
	}
	return levels
}

// shown reads which parts of a trial a judge is shown.
func (f *form) shown(n *yaml.Node) (parts []modeljudge.Part) {
	f.Items(n, func(item *yaml.Node) {
		var part modeljudge.Part
		yamlnode.Word(&f.Decoder, &part, modeljudge.Input, modeljudge.Output, modeljudge.Steps)(item)
		parts = append(parts, part)
	})
	f.Also("minItems", 1)
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		f.Fail(n, "must not be empty", "")
	}
	return parts
}
