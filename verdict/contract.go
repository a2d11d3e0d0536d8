package verdict

import (
	"github.com/tribunal-dev/tribunal/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial"
)

// ContractSchema names the JSON form of a [ContractResult].
const ContractSchema = "tribunal/contract/v1"

// ContractResult says how recorded trials keep a contract. It fails if one trial
// violates a hard clause, and is inconclusive where there is nothing to judge: no
// trials, or a clause that could be judged in none.
type ContractResult struct {
	Schema       string                `json:"schema"`
	Verdict      Verdict               `json:"verdict"`
	ExitCode     int                   `json:"exit_code"`
	Contract     string                `json:"contract"`
	Digest       string                `json:"digest"`
	Alpha        float64               `json:"alpha"`
	Trials       ContractCounts        `json:"trials"` // by the hard clauses together
	Clauses      []ContractClause      `json:"clauses"`
	Satisfaction *ContractSatisfaction `json:"satisfaction"` // null without judged trials
	Reasons      []Reason              `json:"reasons"`
	Warnings     []Warning             `json:"warnings"`
}

// ContractCounts counts trials by what became of the contract or of a clause in them.
type ContractCounts struct {
	Trials       int       `json:"trials"`
	Kept         int       `json:"kept"`
	Violated     int       `json:"violated"`
	Unjudged     int       `json:"unjudged"`
	Inapplicable int       `json:"inapplicable"`
	Rate         *float64  `json:"rate"`     // kept among those judged
	Interval     *Interval `json:"interval"` // exact; holds whatever became of the unjudged
}

// ContractClause is what was found of a clause.
type ContractClause struct {
	Name     string            `json:"name"`
	Kind     contract.Kind     `json:"kind"`
	Severity contract.Severity `json:"severity"`
	ContractCounts
	Places     int                 `json:"places"`     // that violate it: steps, or whole trials
	Violations []ContractViolation `json:"violations"` // the first of them
	Problem    string              `json:"problem,omitempty"`
}

// ContractViolation is a place where a clause is violated.
type ContractViolation struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Trial    *int   `json:"trial"`
	Place    string `json:"place,omitempty"` // of the trial in its file
	Step     *int   `json:"step"`            // from 0; null for the whole trial
	Tool     string `json:"tool,omitempty"`
	Evidence string `json:"evidence"`
}

// ContractSatisfaction is [contract.Satisfaction]: what is promised of the next
// trials.
type ContractSatisfaction struct {
	contract.Promise
	Trials  int     `json:"trials"`
	Kept    int     `json:"kept"`
	Rate    float64 `json:"rate"`
	Low     float64 `json:"rate_low"` // exact, at confidence 1-alpha
	Needed  int     `json:"needed"`   // of k
	Chance  float64 `json:"probability"`
	Reached float64 `json:"p_reached"`
	Windows struct {
		Count     int     `json:"count"`
		Satisfied int     `json:"satisfied"`
		Worst     float64 `json:"worst"`
	} `json:"windows"`
}

// Reasons and warnings of contracts.
const (
	CodeContractViolated   Code = "contract-violated"
	CodeContractKept       Code = "contract-kept"
	CodeClauseNotJudged    Code = "clause-not-judged"
	CodeContractNotJudged  Code = "contract-not-judged"
	WarnContractSoft       Code = "soft-clauses-violated"
	WarnContractUnjudged   Code = "contract-unjudged-trials"
	WarnClauseInapplicable Code = "clause-never-applied"
)

// JudgeContract judges what a summary holds, with intervals at level 1-alpha; 0 is
// [DefaultAlpha].
func JudgeContract(s *contract.Summary, alpha float64) (*ContractResult, error) {
	if alpha == 0 {
		alpha = DefaultAlpha
	}
	r := &ContractResult{
		Schema: ContractSchema, Contract: s.Contract.Name, Digest: s.Contract.Digest(), Alpha: alpha,
		Clauses: []ContractClause{}, Warnings: []Warning{},
	}
	var err error
	if r.Trials, err = contractCounts(s.Trials, alpha); err != nil {
		return nil, err
	}
	for i, t := range s.Clauses {
		of := s.Contract.Clauses[i]
		c := ContractClause{Name: of.Name, Kind: of.Kind, Severity: of.Severity, Places: t.Places, Violations: []ContractViolation{}, Problem: t.Problem}
		if c.ContractCounts, err = contractCounts(t, alpha); err != nil {
			return nil, err
		}
		for _, found := range t.First {
			c.Violations = append(c.Violations, contractViolation(found))
		}
		r.Clauses = append(r.Clauses, c)
	}
	if len(s.Sequence) > 0 {
		if r.Satisfaction, err = contractSatisfaction(s, alpha); err != nil {
			return nil, err
		}
	}
	r.judge(s)
	return r, nil
}

// judge sets the verdict, its reasons and the warnings.
func (r *ContractResult) judge(s *contract.Summary) {
	var hard, soft, blind []string
	for _, c := range r.Clauses {
		switch {
		case c.Violated > 0 && c.Severity == contract.Hard:
			hard = append(hard, quote(c.Name))
		case c.Violated > 0:
			soft = append(soft, quote(c.Name))
		case c.Kept == 0 && c.Unjudged > 0:
			blind = append(blind, quote(c.Name))
			r.Warnings = append(r.Warnings, warning(CodeClauseNotJudged, "clause %s could be judged in no trial: %s", quote(c.Name), c.Problem))
		case c.Kept == 0 && c.Inapplicable > 0:
			r.Warnings = append(r.Warnings, warning(WarnClauseInapplicable, "clause %s applied to no trial", quote(c.Name)))
		}
	}
	t := r.Trials
	switch {
	case t.Trials == 0:
		r.Reasons = []Reason{reason(CodeNoTrials, "there are no trials")}
	case len(hard) > 0:
		r.Verdict = Fail
		r.Reasons = []Reason{reason(CodeContractViolated, "%d of %d trials violate %s", t.Violated, t.Trials, several(len(hard), "hard clause", hard))}
	case len(blind) > 0:
		r.Reasons = []Reason{reason(CodeClauseNotJudged, "%s could be judged in no trial", several(len(blind), "clause", blind))}
	case t.Kept == 0:
		r.Reasons = []Reason{reason(CodeContractNotJudged, "the contract could be judged in none of %d trials", t.Trials)}
	default:
		r.Verdict = Pass
		r.Reasons = []Reason{reason(CodeContractKept, "%d of %d trials were judged, and none violates a hard clause", t.Kept, t.Trials)}
	}
	r.ExitCode = r.Verdict.ExitCode()
	if len(soft) > 0 {
		r.Warnings = append(r.Warnings, warning(WarnContractSoft, "violated: %s", several(len(soft), "soft clause", soft)))
	}
	if t.Unjudged > 0 {
		r.Warnings = append(r.Warnings, warning(WarnContractUnjudged, "%d of %d trials could not be judged, and count against the lower limit; the first: %s", t.Unjudged, t.Trials, s.Trials.Problem))
	}
}

func contractViolation(f contract.Found) ContractViolation {
	return ContractViolation{
		Scenario: f.Scenario, Variant: f.Variant, Trial: numberOf(f.Trial), Place: f.Place.String(),
		Step: numberOf(f.Step), Tool: f.Tool, Evidence: f.Evidence,
	}
}

func numberOf(x trial.Optional[int]) *int {
	if !x.Known {
		return nil
	}
	return &x.Value
}
