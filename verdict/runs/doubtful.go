package runs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
)

// asksNothing are the evaluators that an agent passes which does nothing.
var asksNothing = []string{"not-contains", "must-not-call", "exit-code", "max_steps", "token-budget", "tool-call-count",
	"turn-count", "error-count", "wall-time"}

// silent reports whether a trial passed that did nothing, where all evaluators only say what must not be.
func silent(t *trial.Trial, j oracle.Judgement) bool {
	return t.Outcome == trial.Pass && strings.TrimSpace(t.Output.Text()) == "" && len(t.Steps) == 0 &&
		len(j.Results) > 0 && !slices.ContainsFunc(j.Results, func(r oracle.Result) bool {
		return !slices.Contains(asksNothing, r.Evaluator)
	})
}

// judgesEnd reports whether one of the evaluators judges how the agent ended, be it as a part of another one.
func judgesEnd(results []oracle.Result) bool {
	return slices.ContainsFunc(results, func(r oracle.Result) bool {
		return r.Evaluator == "exit-code" || r.Evaluator == oracle.ExpectName || judgesEnd(r.Parts)
	})
}

// CountDoubtful counts a judged trial that passed although few would say so.
func (r *Test) CountDoubtful(x TrialEvidence) {
	if x.Kept != nil { // such a trial ended well
		if x.Kept.silent {
			r.SilentPasses++
		}
		return
	}
	judgement, _ := oracle.Recorded(x.Trial)
	if silent(x.Trial, judgement) {
		r.SilentPasses++
	}
	if p := x.Process; x.Trial.Outcome == trial.Pass && p != nil && p.ExitCode != 0 && !judgesEnd(judgement.Results) {
		r.CodePasses++
	}
}

// Doubtful warns of tests where at least such a share of the passes did nothing, or ended with another exit code than 0
// that no evaluator judges.
func (r *Result) Doubtful(share float64) (list []verdict.Warning) {
	tell := func(code verdict.Code, counted func(*Test) int, text string) {
		passes, names := 0, []string(nil)
		for i := range r.Tests {
			t := &r.Tests[i]
			if k := counted(t); k > 0 && float64(k) >= share*float64(t.Passes) {
				passes, names = passes+k, append(names, t.Name)
			}
		}
		if passes > 0 {
			list = append(list,
				code.Warning("%s of %s passed %s", prose.Count(passes, "trial"), phrase.First(names), text))
		}
	}
	tell(warnExitCode, func(t *Test) int { return t.CodePasses },
		"with another exit code than 0; evaluate: [exit-code: 0] makes them fail")
	tell(warnSilent, func(t *Test) int { return t.SilentPasses },
		"without any output; say what an answer needs, such as evaluate: [contains: TEXT]")
	return list
}

// checkDoubtful compares what is counted of doubtful passes with the passes.
func (t *Test) checkDoubtful(path string) error {
	for name, n := range map[string]int{"passes_with_exit_code": t.CodePasses, "silent_passes": t.SilentPasses} {
		if n < 0 || n > t.Passes {
			return &verdict.DifferenceError{Path: path + name, Have: fmt.Sprint(n), Want: fmt.Sprintf("from 0 to %d", t.Passes)}
		}
	}
	return nil
}
