// Package tribunaltest judges, within an ordinary Go test, what does not answer the same
// way twice: a function is tried until it is known whether it passes often enough.
//
//	func TestRefund(t *testing.T) {
//		design := tribunaltest.Design{Threshold: 0.9, Delta: 0.1}
//		tribunaltest.Rate(t, design, func(t *tribunaltest.Trial) {
//			reply, err := agent.Ask(t.Context(), "refund order 7")
//			if err != nil {
//				t.Infrastructure(err) // the network's fault: no failure of the agent
//			}
//			if !strings.Contains(reply, "refunded") {
//				t.Errorf("reply: %q", reply)
//			}
//		})
//	}
//
// Trials run beside each other and are judged in the order in which they began, by a
// sequential design whose error rates are exact: a function that passes 90 % of its trials
// or more fails the test with a probability of at most alpha, one that passes 80 % or less
// passes it with a probability of at most beta. The test ends as soon as that is decided.
//
// Against a baseline: a first run records so many trials of every test as [RecordVariable] says,
// in the folder that [ResultsVariable] names, and the next is compared with what is in the folder
// that [BaselineVariable] names.
//
//	$ TRIBUNAL_RECORD=100 TRIBUNAL_RESULTS=main go test ./...
//	$ TRIBUNAL_BASELINE=main go test ./...
//
// A test takes about half a millisecond beside its trials, the first as well: the designs of round thresholds
// and deltas at the usual errors are known. Others are searched for once in a process, which takes a tenth of a
// second and, of tests of a thousand trials, some seconds. go test -bench Rate measures it.
//
// A test that tries something at random is never taken from the cache of go test.
//
// Where to look: rate.go runs trials and judges them, trial.go is what the function under
// test sees, result.go says how it ended and saves it, baseline.go reads what was saved,
// and cache.go keeps go test from remembering it.
package tribunaltest
