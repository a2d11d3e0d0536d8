// Package coverage measures how much of what an agent can do a set of trials has
// tried: which of its tools were called, how many of its decision paths and states
// were seen, which limits of its tools' parameters were touched, and on which of its
// models it ran (AgentAssay, Definitions 4.1 to 4.10).
//
// A [Collector] is made from what is [Declared] of the agent, takes trials in one at
// a time, and measures whenever it is asked:
//
//	c, err := coverage.NewCollector(coverage.Declared{Tools: []string{"search", "refund"}})
//	if err != nil {
//		return err
//	}
//	for t, err := range trial.Read(file, trial.Options{}) {
//		if err != nil {
//			return err
//		}
//		c.Add(t)
//	}
//	fmt.Println(c.Measure().Tools.Uncalled)
//
// A dimension that nobody declared is not measured, which is never the same as
// covered: it is left out of the mean, with a warning. Nothing here is a verdict, and
// no error probability goes with it: coverage says where the trials have not looked.
package coverage
