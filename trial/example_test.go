package trial_test

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

func ExampleRead() {
	recording := `{"scenario":"refund","trial":0,"outcome":"pass","cost_usd":0.25}
{"scenario":"refund","trial":1,"outcome":"fail"}
{"scenario":"refund","trial":2,"outcome":"passed"}
`
	for t, err := range trial.Read(strings.NewReader(recording), trial.Options{File: "trials.jsonl"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.Scenario, t.Outcome, "cost known:", t.CostUSD.Known)
	}
	// Output:
	// refund pass cost known: true
	// refund fail cost known: false
	// trials.jsonl:3:42: outcome "passed" is not one of pass, fail, error; did you mean "pass"?
}
