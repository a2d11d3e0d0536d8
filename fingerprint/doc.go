// Package fingerprint tests whether two systems behave alike: a trial becomes a
// vector of named columns (how often each tool was called, how many steps there
// were, what it cost), and two sets of vectors are compared as a whole.
//
// A [Sample] takes trials in one at a time and keeps a few counts of each;
// [Compare] tests two samples and gives a [Comparison]:
//
//	var baseline, candidate fingerprint.Sample
//	for t, err := range trial.Read(file, trial.Options{}) {
//		if err != nil {
//			return err
//		}
//		baseline.Add(t)
//	}
//	// ... and the candidate's
//	c, err := fingerprint.Compare(ctx, &baseline, &candidate, fingerprint.Options{Seed: 1})
//	if err != nil {
//		return err
//	}
//	if c.Changed {
//		for _, change := range c.ChangedColumns() {
//			fmt.Println(change) // output tokens 512 -> 707 (+38 %)
//		}
//	}
//
// H0 is that within a scenario the trials of both sides are exchangeable: that it
// does not matter which side a trial is counted to. The default test exchanges
// the sides of trials and asks how rare the observed difference is among all such
// permutations, so its
// level holds at any number of trials and columns. For that, nothing that the test
// is made of may depend on the labels, and nothing does: not the columns, not how
// they are scaled, and not what stands for an unknown value.
//
// Package hotelling has the test with F-distributed reference that AgentAssay (Definition
// 7.1, Theorem 7.1) uses; it needs more trials than columns and normal vectors.
// Package interim compares while trials are still coming in.
// [PlanBudget] says how many trials it takes to see a given shift.
//
// # How data flows through the files
//
//   - A trial becomes counts: sample.go keeps them, tally.go counts steps, complexity.go measures the
//     output; counts.go writes and reads a sample as series of numbers.
//   - Counts become vectors: vocabulary.go and column.go say which columns there are, and how each is
//     transformed.
//   - Vectors of both sides become a pool: pool.go fills in what is unknown, takes the scenarios' means
//     away, and scales.
//   - A pool is tested: permutation_t2.go puts the statistic together from quadratic forms (tail.go,
//     axes.go, ledoitwolf.go), the largest column (largest.go) and separating events (separating.go);
//     permutation.go exchanges the sides; stepdown.go has the p-values of columns.
//   - What came of it: compare.go, change.go for columns, describe.go for events and distance, map.go and
//     map_sample.go for pictures.
//   - Planning: budget.go searches for the number of trials, simulate.go for the power of one number.
package fingerprint
