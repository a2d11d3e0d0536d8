// Package stratified decides about a suite of scenarios as one question: has the mean of their pass rates become too
// low, and has any scenario collapsed? It takes few trials of each scenario, and its errors are proved for every vector
// of rates.
//
//	design, err := stratified.New(ctx, stratified.Question{Scenarios: 20})
//	evidence := stratified.Evidence{Candidate: make([]string, 20)}
//	for {
//		decision, err := design.Judge(evidence)
//		if decision.Outcome != sprt.Undecided {
//			break
//		}
//		for _, i := range decision.Next {
//			evidence.Candidate[i] += run(i) // "P" or "F"
//		}
//	}
//
// # What is promised
//
// Against a threshold, with the floor from c0 to c1:
//
//	P(Fail) <= alpha  where the mean is the threshold or more and no scenario is below c0,
//	P(Pass) <= beta   where the mean is lower by delta or more, or any scenario is at c1 or below.
//
// Alpha is split between the mean and the floors, whatever trials they share. Beta is not, for a Pass needs both.
// Against a baseline the mean is that of the baseline, and a collapse is a loss of 1 - c1 or more of a scenario: a Fail
// is false where the mean has not dropped and no scenario passes less often than it did. Of a scenario between c1 and
// c0, or one that lost less, nothing is promised: it may collapse or be cleared. [Design.Promise] has the errors that
// are proved of a design.
//
// # Rounds
//
// A round tries every scenario once, or as often as its weight says. The mean is looked at between rounds only, and
// counts whole rounds only: a likelihood ratio of equal rates is no supermartingale within a round, nor is one of
// weighted outcomes. Trials that an open scenario takes after the mean is decided are chosen for its failures, so the
// mean does not see them. Within a round, and among scenarios that are still open, any order will do, also one that
// depends on outcomes. The mean is decided before the end of a round where the rest of it makes no difference.
//
// A scenario that is cleared is tried no more once the mean is decided. While rounds go on it may still collapse.
//
// # What is proved how
//
// Scenarios may have unlike rates. Equal ones are the worst for most tests of a sum, and not for all. So the mean test
// is proved against an adversary who chooses, before each round and knowing all outcomes so far, any vector of rates
// with the given mean: see adversary.go. Collapse tests are proved one by one, and together by how many scenarios can
// be near their floor while the mean holds: see floor.go. Against a baseline, and at any time, the mean is decided by
// betting (see pairs.go and betting.go): errors hold by Ville's inequality, for every vector too, and any look between
// rounds is allowed.
//
// # Which file to open
//
// question.go has what is asked, design.go how a test is planned, judge.go how evidence is judged; mean.go the search
// for the boundaries of the mean, chances.go and pair_chances.go exact characteristics, simulate.go simulated ones.
package stratified
