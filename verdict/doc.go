// Package verdict turns evidence and a rule into Pass, Fail or Inconclusive,
// with the reasons.
//
// [JudgeThreshold] judges the pass rate of one system against a threshold,
// the packages below this one judge comparisons, runs and gates. All return a result that holds
// everything the verdict was decided from, ready to be written as JSON; package
// report renders it.
//
//	tallies := []verdict.Tally{{Scenario: "refund", Passes: 45, Fails: 5}}
//	result, err := verdict.JudgeThreshold(tallies, verdict.ThresholdOptions{Threshold: 0.85})
//	fmt.Println(result.Verdict) // inconclusive
package verdict
