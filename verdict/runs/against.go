package runs

import "github.com/tribunal-dev/tribunal/sprt/baseline"

// Against is the test of a candidate against a baseline, as it was planned. Exactly one of
// Stored and Rounds is there.
type Against struct {
	Stored *StoredBaseline  // the baseline was recorded before
	Rounds *baseline.Rounds // both sides run, a trial of each in every round
	// Gamma is the chance, at most, that the baseline's rate is outside the guarded rates. It
	// adds to both errors; 0 where the guarded rates were given.
	Gamma float64
}

// StoredBaseline is a baseline that was recorded before, and the test that was planned for it.
type StoredBaseline struct {
	Family *baseline.Family // of the test: boundaries for every outcome that the baseline could have had
	// What it came to, with the trials that have no outcome as passes.
	Outcome baseline.Outcome
	// Trials without an outcome.
	Errors int
	// What it came to with these as failures; zero: the same trials, and so many failures more.
	Worst  baseline.Outcome
	Source BaselineSource // where it comes from
}

// BaselineSource says where a recorded baseline comes from.
type BaselineSource struct {
	File     string `json:"file"`                  // that was named
	Finished string `json:"finished_at,omitempty"` // when its run ended, RFC 3339; empty where it is not known
	// Of the suite that it is of: what was asked and how it was judged; empty where it is not known.
	Task string `json:"task_digest,omitempty"`
	// What is different of the agent, a line each, such as `agent.command: "old" -> "new"`.
	Changed []string `json:"changed"`
}
