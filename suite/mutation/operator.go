package mutation

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Class is what operators change: one of the four of the paper, the orchestration, or what tools answer.
type Class string

// The classes.
const (
	PromptClass  Class = "prompt"
	toolClass    Class = "tool"
	ModelClass   Class = "model"
	contextClass Class = "context"
	ResultClass  Class = "result"
	leadClass    Class = "orchestration"
	ownClass     Class = "own"      // of a [Command]
	Composed     Class = "composed" // of several operators
)

// Classes are the classes of the operators that are built in.
func Classes() []Class {
	return []Class{PromptClass, toolClass, ModelClass, contextClass, leadClass, ResultClass}
}

// component is what a class changes.
func (c Class) component() Component {
	switch c {
	case toolClass:
		return ToolsComponent
	case ModelClass:
		return ModelComponent
	case contextClass:
		return ContextComponent
	case leadClass:
		return OrchestrationComponent
	case ResultClass:
		return ResultsComponent
	}
	return PromptComponent
}

// Severity is how much a change is likely to matter (Section 5.6, semantic granularity). It is judged by the kind of
// change, and measured by nothing.
type Severity string

// The severities.
const (
	subtle   Severity = "subtle"
	moderate Severity = "moderate"
	severe   Severity = "severe"
)

// rank orders severities, the least first.
func (s Severity) rank() int { return slices.Index([]Severity{subtle, moderate, severe}, s) }

// Operator is a kind of change, m: A → A of Definition 5.1.
type Operator struct {
	Name     string   // with its class, such as prompt.synonym
	Class    Class    // what it changes
	Paper    string   // its symbol and name in the paper; "" is none of its twelve
	Summary  string   // what it does, for a person
	Severity Severity // of its mutants
	Category string   // of faults as they happen: a few words that operators of several classes share
}

// operator is an operator with what it does.
type operator struct {
	Operator
	sites func(*view) []site
}

// site is a place where an operator changes something.
type site struct {
	Site
	identity string // by which the place is found again, wherever it has moved to
	// change makes the change. It may use random numbers, and must not change what its argument refers to.
	change func(c Configuration, r *rand.Rand) Configuration
}

// view is a configuration with what is found in it once.
type view struct {
	Configuration
	prompt *parsedPrompt
}

// viewOf is a configuration that was checked.
func viewOf(c Configuration) (*view, error) {
	p, err := parsed(c.Prompt)
	return &view{c, p}, err
}

// The categories.
const (
	wording   = "wording"
	order     = "order"
	pollution = "pollution"
	omission  = "omission"
	strength  = "strength"
	reversal  = "reversal"
	quantity  = "quantity"
	capacity  = "capacity"
	contract  = "interface"
	failure   = "failure"
)

// table are all operators that are built in.
func table() []operator {
	newOperator := func(name, paper string, severity Severity, category, summary string,
		sites func(*view) []site) operator {
		class, _, _ := strings.Cut(name, ".")
		return operator{Operator{name, Class(class), paper, summary, severity, category}, sites}
	}
	return []operator{
		newOperator("prompt.synonym", "m_syn: synonym substitution", subtle, wording,
			"the verb of an instruction is replaced by a synonym", synonymSites),
		newOperator("prompt.reorder", "m_reorder: instruction reordering", subtle, order,
			"the sentences of a paragraph, or the items of a list, stand in another order", reorderSites),
		newOperator("prompt.noise", "m_noise: noise injection", moderate, pollution,
			"an irrelevant text stands behind a paragraph or list", noiseSites),
		newOperator("prompt.drop", "m_drop: instruction dropout", severe, omission,
			"an instruction is missing, with all that stands below it", dropSites),
		newOperator("prompt.weaken", "", moderate, strength,
			"what binds binds less: must becomes should, never becomes rarely", weakenSites),
		newOperator("prompt.flip", "", severe, reversal,
			"a negation is put in or left out: must not becomes must", flipSites),
		newOperator("prompt.number", "", moderate, quantity,
			"a number is another one", numberSites),
		newOperator("prompt.example", "", moderate, omission,
			"an example is missing", exampleSites),
		newOperator("prompt.truncate", "", severe, omission,
			"the last quarter, half or three quarters of the instructions are missing", truncateSites),
		newOperator("tool.remove", "m_remove: tool removal", severe, omission,
			"a tool is not offered", removeToolSites),
		newOperator("tool.reorder", "m_treorder: tool reordering", subtle, order,
			"the tools are offered in another order", reorderToolSites),
		newOperator("tool.noise", "m_tnoise: tool noise", moderate, pollution,
			"the description of a tool says something misleading", noiseToolSites),
		newOperator("tool.description", "", subtle, omission,
			"the description of a parameter is missing", describeSites),
		newOperator("tool.required", "", moderate, contract,
			"a parameter that is required is not, or the reverse", requireSites),
		newOperator("tool.parameter", "", severe, contract,
			"a parameter is missing from the schema of a tool", parameterSites),
		newOperator("model.swap", "m_swap: model swap", severe, capacity,
			"another model of the same tier is asked", swapSites),
		newOperator("model.version", "m_version: version downgrade", severe, capacity,
			"an older or less capable model is asked", versionSites),
		newOperator("model.temperature", "", moderate, capacity,
			"the model is asked at temperature 1, or at 0 where it was 0.5 or more", temperatureSites),
		newOperator("context.truncate", "m_trunc: context truncation", severe, omission,
			"the first quarter, half or three quarters of the words of the context are left", truncateContextSites),
		newOperator("context.noise", "m_cnoise: context noise", moderate, pollution,
			"an irrelevant document stands among the context's", noiseContextSites),
		newOperator("context.permute", "m_cperm: context permutation", subtle, order,
			"the documents of the context stand in another order", permuteSites),
		newOperator("context.drop", "", severe, omission,
			"a document of the context is missing", dropSegmentSites),
		newOperator("context.duplicate", "", subtle, pollution,
			"a document of the context stands there twice", duplicateSites),
		newOperator("orchestration.number", "", moderate, quantity,
			"a number is half as large, or twice", partSites(numberParts)),
		newOperator("orchestration.switch", "", severe, reversal,
			"what is true is false, or the reverse", partSites(switchParts)),
		newOperator("orchestration.drop", "", severe, omission,
			"an item of a list is missing", partSites(itemParts)),
		newOperator("result.empty", "", severe, failure,
			"a tool answers nothing", resultSites("tool-empty")),
		newOperator("result.corrupt", "", severe, failure,
			"the answers of a tool break off in the middle", resultSites("tool-malformed")),
		newOperator("result.swap", "", severe, failure,
			"a tool answers what another one, or it itself, answered before", resultSites("tool-swapped")),
		newOperator("result.deny", "", severe, failure,
			"a tool denies access", resultSites("tool-denied")),
	}
}

// Operators are all operators that are built in, class by class.
func Operators() (all []Operator) {
	for _, o := range table() {
		all = append(all, o.Operator)
	}
	return all
}

// unknownOperator says that a pattern matches no operator. Where one of the names that are known may be meant, the hint
// says which, and else the classes.
func unknownOperator(pattern string, known []string) error {
	e := &fault.Error{Problem: prose.Quote(pattern) + " is neither an operator nor a class of operators", Code: exit.Usage}
	if near, ok := prose.Nearest(pattern, known); ok {
		e.Advice = fmt.Sprintf("did you mean %q?", near)
		return e
	}
	var classes []string
	for _, c := range Classes() {
		classes = append(classes, string(c))
	}
	e.Advice = "write a class (" + prose.Or(classes) + "), or an operator such as prompt.drop or tool.*"
	return e
}

// selected tells which operators are asked for: by name, class, or a pattern with * and ?. No pattern asks for all.
func selected(patterns []string, own []string) (asked func(Operator) bool, err error) {
	var known []string
	for _, c := range append(Classes(), ownClass) {
		known = append(known, string(c))
	}
	for _, o := range table() {
		known = append(known, o.Name)
	}
	known = append(known, own...)
	matches := func(pattern, name string) bool {
		class, _, _ := strings.Cut(name, ".")
		ok, _ := path.Match(pattern, name)
		return ok || pattern == class
	}
	for _, pattern := range patterns {
		if !slices.ContainsFunc(known, func(name string) bool { return matches(pattern, name) }) {
			return nil, unknownOperator(pattern, known)
		}
	}
	return func(o Operator) bool {
		if len(patterns) == 0 {
			return true
		}
		return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, o.Name) })
	}, nil
}
