package suite

// Kind says what an evaluator is like, before anything is judged by it.
type Kind struct {
	Name  string `json:"name"`  // by which a suite asks for it
	About string `json:"about"` // what passes

	// Deterministic says whether the same trial is judged alike every time, Portable whether it is on every machine
	// that has the suite and the files it names, and ReferenceFree whether nobody has to know the right answer.
	Deterministic Answer `json:"deterministic"`
	Portable      Answer `json:"portable"`
	ReferenceFree Answer `json:"reference_free"`

	Cost  Cost  `json:"cost"`  // of judging one trial
	Score Score `json:"score"` // that it gives where it can judge
	// Live and Recorded say when it can judge: a trial that the suite runs, and one that was recorded.
	Live     bool   `json:"live"`
	Recorded bool   `json:"recorded"`
	From     string `json:"answered_from"` // what of a trial is looked at, or what no record has
}

// Answer is whether an evaluator has a property.
type Answer string

// The answers. ByParts is that of the evaluators that it is made of; Depends is up to the program that is asked.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	ByParts Answer = "parts"
	Depends Answer = "depends"
)

// Cost is what it takes to judge one trial.
type Cost string

// What may be spent on a trial. PartsCost is the sum of what the parts take.
const (
	NoCost      Cost = "none"
	ProcessCost Cost = "process" // a program is started
	ModelCost   Cost = "model"   // a model is asked
	PartsCost   Cost = "parts"
)

// Score is the kind of score that an evaluator gives; one that cannot judge gives none.
type Score string

// The kinds of scores. Those of evaluators that are made of others follow from the scores of these.
const (
	Binary Score = "0 or 1"
	Graded Score = "0 to 1"
)

// Kinds are all evaluators that a suite may ask for, in the order in which a person would list them.
func Kinds() []Kind {
	var list []Kind
	for _, e := range evaluators() {
		k := kindOf(e.name)
		k.Name, k.About = e.name, e.about
		k.Live, k.Recorded, k.From = true, needsOf(e.name).Answer != "no", needsOf(e.name).Why
		if k.Cost == PartsCost {
			k.From = "what its parts are answered from"
		}
		list = append(list, k)
	}
	return list
}

// kindOf is what cannot be seen from the table of evaluators. One that it does not know has no properties, which a test
// finds.
func kindOf(name string) Kind {
	pure := Kind{Deterministic: Yes, Portable: Yes, ReferenceFree: Yes, Cost: NoCost, Score: Binary}
	graded := pure
	graded.Score = Graded
	switch name {
	// Rules that hold for any answer.
	case "not-contains", "exists", "json-schema", "must-not-call", "exit-code", "contract":
		return pure
	case "max_steps", "token-budget", "tool-call-count", "turn-count", "error-count", "wall-time":
		return graded
	// Somebody has written down what is right.
	case "equals", "contains", "regex", "range":
		pure.ReferenceFree = No
		return pure
	case "must-call", "tool-order":
		graded.ReferenceFree = No
		return graded
	case "all", "any", "not", "weighted":
		return Kind{Deterministic: ByParts, Portable: ByParts, ReferenceFree: ByParts, Cost: PartsCost, Score: Graded}
	case commandEvaluator:
		return Kind{Deterministic: Depends, Portable: Depends, ReferenceFree: Depends, Cost: ProcessCost, Score: Graded}
	case "model":
		return Kind{Deterministic: No, Portable: Depends, ReferenceFree: Depends, Cost: ModelCost, Score: Graded}
	}
	return Kind{}
}
