// Package usage says what trials took: cost, tokens, turns and calls of tools, in all and by the model that took them.
//
//	var sum usage.Sum
//	for t, err := range trial.Read(file, trial.Options{}) {
//		if err != nil {
//			return err
//		}
//		sum.Add(usage.Of(t), t.TotalCostUSD(), t.CostBasis)
//	}
//	for _, row := range sum.Usage().Models {
//		fmt.Println(row.Model, row.Trials)
//	}
//
// A step is of the model that it names, and one that names none of the trial's. A call of a tool is of the model whose
// turn called it. What nothing tells the model of has a row of its own, so that the rows add up to the whole.
//
// Where to look: trial.go says which model took what of one trial; share.go is that in a result; sum.go adds trials up;
// usage.go is what results hold; check.go refuses saved figures that do not add up.
package usage
