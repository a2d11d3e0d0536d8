package contract_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
)

func ExampleContract_Check() {
	c, err := contract.Parse("contract.yaml", []byte(`
version: 1
name: careful-refunds
clauses:
  - name: look before you refund
    kind: invariant
    when: step.tool == "refund"
    require: any(previous, .tool == "get_order")
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	t := &trial.Trial{Steps: []trial.Step{{Action: trial.CallTool, Tool: "refund"}}}
	for _, f := range c.Check(context.Background(), t) {
		fmt.Println(f.Clause.Name, f.State, f.Violations)
	}
	// Output:
	// look before you refund violated [step 0 (refund): against any(previous, .tool == "get_order")]
}
