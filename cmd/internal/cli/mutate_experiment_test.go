package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// domains are prompts of rules, each of which shows in what an agent does that follows it: by a tool that it calls.
var domains = map[string][]string{
	"shop": {"Look the order up", "Never refund more than was paid", "Ask a manager above 100 euros", "Name the order",
		"Thank the customer"},
	"clinic": {"Ask for the date of birth", "Check the allergies", "Never name a dose", "Offer the next free hour",
		"Call a nurse when it hurts"},
	"library": {"Search the catalogue", "Tell how many copies are in", "Reserve one when all are out", "Remind of the fee",
		"Give the shelf"},
	"travel": {"Ask for the dates", "Compare three trains", "Tell the price of each", "Never book without consent",
		"Send the ticket"},
}

// A suite without a check kills none of the mutants of which a rule is dropped, one with a check of every rule kills
// them all, and each check more kills one more: its score is the share of the rules that it checks.
func TestEveryCheckRaisesTheScore(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the agent needs a shell")
	}
	levels := []int{0, 1, 2, 3, 4, 5}
	for name, rules := range domains {
		if !thorough.Asked() {
			if name != "shop" {
				continue
			}
			levels = []int{0, 2, 5}
		}
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			agent := "prompt=$(cat \"$TRIBUNAL_PROMPT\")\nsteps=\n"
			for i, rule := range rules {
				agent += fmt.Sprintf("case $prompt in *%q*) "+
					"steps=\"$steps,{\\\"action\\\":\\\"call_tool\\\",\\\"tool\\\":\\\"tool%d\\\"}\" ;; esac\n", rule, i)
			}
			agent += "printf '{\"output\":\"done\",\"steps\":[{\"action\":\"respond\"}%s]}\\n' \"$steps\"\n"
			write(t, "agent.sh", []byte(agent))
			write(t, "prompt.md", []byte("- "+strings.Join(rules, ".\n- ")+".\n"))
			for _, checks := range levels {
				evaluate := "contains: done"
				for i := range checks {
					evaluate += fmt.Sprintf(", must-call: tool%d", i)
				}
				evaluate = strings.ReplaceAll("["+evaluate+"]", ", ", "}, {")
				evaluate = strings.NewReplacer("[", "[{", "]", "}]").Replace(evaluate)
				write(t, "tribunal.yaml", []byte("version: 1\nname: "+name+"\nlimits: none\nagent: {command: [sh, agent.sh], "+
					"output: trial, config: {prompt: prompt.md}}\n"+
					"test: {threshold: 0.8, delta: 0.4}\nconcurrency: 4\nscenarios: [{name: ask, input: {}, evaluate: "+evaluate+"}]\n"))
				code, stdout, stderr := tribunal(t.Context(), App{}, "run", "mutants", "--operators", "prompt.drop", "--record",
					"50", "--kill-delta", "0.5", "--json")
				// One of five is killed by chance in 23 %, two in 2.3 %: a single kill leaves the score open.
				wanted := ExitPass
				if checks == 1 {
					wanted = ExitInconclusive
				}
				if code != wanted {
					t.Fatalf("%d checks: exit %d, want %d\n%s", checks, code, wanted, stderr)
				}
				var r mutants.Result
				if err := json.Unmarshal([]byte(stdout), &r); err != nil {
					t.Fatal(err)
				}
				want := float64(checks) / float64(len(rules))
				if r.Score.Mutants != len(rules) || r.Score.Score == nil || math.Abs(*r.Score.Score-want) > 1e-12 {
					t.Errorf("%d checks of %d rules: %+v", checks, len(rules), r.Score)
				}
			}
		})
	}
}
