package relation

import "slices"

// Family is one of the four families of relations.
type Family string

// The families (AgentAssay, Sections 6.1.1 to 6.1.4).
const (
	permutation  Family = "permutation"  // the answer does not depend on an order
	perturbation Family = "perturbation" // it answers a change of the input in proportion
	composition  Family = "composition"  // agents that work one after the other, or in place of each other
	Oracle       Family = "oracle"       // what is known of every right answer
)

// Kind is one of the relations.
type Kind string

// The relations.
const (
	DocumentOrder Kind = "document-order"
	ToolOrder     Kind = "tool-order"
	Difficulty    Kind = "monotonic-difficulty"
	Noise         Kind = "noise-robustness"
	Pipeline      Kind = "pipeline-consistency"
	Substitution  Kind = "agent-substitution"
	Format        Kind = "format-compliance"
	Constraint    Kind = "constraint-preservation"
	Idempotence   Kind = "idempotence"
)

// About says what there is to know of a kind.
type About struct {
	Kind   Kind
	Family Family
	Paper  string // its name in AgentAssay
	Claim  string // what it claims, in a sentence
	// Agent says that the follow-up is asked of another agent.
	Agent bool
	// Feeds says that the output of the source goes into the input of the follow-up.
	Feeds bool
	// Alone says that no pair of equal inputs shows how often it is violated by chance: the rate itself is tested.
	Alone bool
}

// kinds are all relations, in the order of the paper.
var kinds = []About{
	{Kind: DocumentOrder, Family: permutation, Paper: "Document order invariance",
		Claim: "the order of the documents does not change the answer"},
	{Kind: ToolOrder, Family: permutation, Paper: "Tool order invariance",
		Claim: "the order of the tools does not change the answer"},
	{Kind: Difficulty, Family: perturbation, Paper: "Monotonic difficulty",
		Claim: "a harder input does not get a higher score"},
	{Kind: Noise, Family: perturbation, Paper: "Noise robustness",
		Claim: "a little noise does not change the verdict"},
	{Kind: Pipeline, Family: composition, Paper: "Pipeline consistency", Agent: true, Feeds: true, Alone: true,
		Claim: "where the first agent is right, so is the one behind it"},
	{Kind: Substitution, Family: composition, Paper: "Agent substitutability", Agent: true,
		Claim: "the other agent comes to the same"},
	{Kind: Format, Family: Oracle, Paper: "Format compliance",
		Claim: "the output keeps its format whatever the input is"},
	{Kind: Constraint, Family: Oracle, Paper: "Constraint preservation",
		Claim: "the output satisfies what the input demands"},
	{Kind: Idempotence, Family: Oracle, Paper: "Idempotence", Feeds: true,
		Claim: "applied to its own output, the agent changes nothing"},
}

// Kinds are all relations, in the order of the paper.
func Kinds() []Kind {
	list := make([]Kind, len(kinds))
	for i, k := range kinds {
		list[i] = k.Kind
	}
	return list
}

// About returns what there is to know of the kind; the zero value of one that is not known.
func (k Kind) About() About {
	if i := slices.IndexFunc(kinds, func(a About) bool { return a.Kind == k }); i >= 0 {
		return kinds[i]
	}
	return About{}
}
