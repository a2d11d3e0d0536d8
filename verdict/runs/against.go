package runs

import "github.com/tribunal-dev/tribunal/sprt/baseline"

// Against is the test of a candidate against a baseline, as it was planned. Exactly one of
// Stored and Rounds is there.
type Against struct {
	Stored *StoredBaseline  // the baseline was recorded before
	Rounds *baseline.Rounds // both sides run, a trial of each in every round
	// Gamma is the chance, at most, of a test in rounds, that the baseline's rate is outside the
	// guarded rates. It adds to both errors; 0 where the guarded rates were given. A family of
	// boundaries has its own.
	Gamma float64
	// Changed is what is different of the candidate's agent in rounds, like that of a source.
	Changed []string
}

// StoredBaseline is a baseline that was recorded before, and the test that was planned for it.
type StoredBaseline struct {
	Family *baseline.Family // of the test: boundaries for every outcome that the baseline could have had
	// What it came to, with the trials that have no outcome as passes.
	Outcome baseline.Outcome
	// Trials without an outcome.
	Errors int
	// What it came to with these as failures; zero: the same trials, and so many failures more.
	Worst baseline.Outcome
	// The trials of several runs that were pooled; zero of one run, where they follow from its ends.
	Counted Side
	Source  BaselineSource // where it comes from
}

// BaselineSource says where a recorded baseline comes from.
type BaselineSource struct {
	File     string `json:"file,omitempty"`        // that was named, or name; empty where it runs beside the candidate
	Finished string `json:"finished_at,omitempty"` // when its run ended, RFC 3339; empty where it is not known
	// Of what was asked and how it was judged; empty where it is not known.
	Task string `json:"task_digest,omitempty"`
	// What is different of the agent, a line each, such as `agent.env.MODEL: small -> large`.
	Changed []string `json:"changed"`

	// Of a baseline with a name, which is in File: its revision, from 1, its runs, which are pooled, and after how many
	// seconds it is no baseline any more; 0 and none of a file, and 0 where any age will do.
	Revision int      `json:"revision,omitempty"`
	Runs     []string `json:"runs,omitempty"`
	MaxAge   float64  `json:"max_age_s,omitempty"`
}
