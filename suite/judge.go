package suite

import (
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Judges returns digests of what judges the trials of scenarios, by their names: the evaluators with their options, the
// limits, the content of contracts, and the judges that evaluators ask; see [oracle.DigestOf]. Two trials of equal
// judges were judged alike, as far as that can be seen.
func (s *Suite) Judges(scenarios []Scenario) map[string]string {
	judges := make(map[string]string, len(scenarios))
	for _, c := range scenarios {
		form := struct {
			Evaluate  []evaluation
			Limits    any
			Contracts string
			Judges    []string
		}{evaluations(c), c.Limits, s.task.Parts[c.Name].Contracts, nil}
		for _, judge := range oracle.Judges(c.Evaluators()...) {
			form.Judges = append(form.Judges, oracle.DigestOf(judge))
		}
		judges[c.Name] = hash(form)
	}
	return judges
}

// HoldJudges has the judges of scenarios and of scores be what they are now: their files are known from here on, and
// the variables that they are given are read. What is judged may write both afterwards.
func (s *Suite) HoldJudges(scenarios []Scenario) {
	if s.judgeEnv != nil {
		s.judgeEnv()
	}
	judges := s.ScoreJudges()
	for _, c := range scenarios {
		judges = append(judges, oracle.Judges(c.Evaluators()...)...)
	}
	for _, judge := range judges {
		oracle.DigestOf(judge)
	}
}

// JudgesStartable returns [Errors] where a program that judges the trials of scenarios is not there, or a variable in
// its command is not set. Agents are not looked for.
func (s *Suite) JudgesStartable(scenarios []Scenario) error {
	names := map[string]bool{}
	for _, c := range scenarios {
		names[c.Name] = true
	}
	problems := s.missing(nil, func(p startedProgram) bool { return p.scoring || p.scenario != "" && names[p.scenario] })
	if len(problems) == 0 {
		return nil
	}
	return problems
}
