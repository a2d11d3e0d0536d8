package runs

import "github.com/tribunal-dev/tribunal/verdict"

// State is what the executions of a test show of it, whatever share of them is asked to pass.
type State string

// The states. A test that is none of them was not executed often enough to say so, or ended in errors.
const (
	Broken State = "broken" // it failed each time, and the verdict is Fail
	Flaky  State = "flaky"  // it passed, and it failed
	Sound  State = "sound"  // it never failed, and the verdict is Pass
)

// States are all of them, the worst first.
func States() []State { return []State{Broken, Flaky, Sound} }

// state is that of the judged trials.
func (t *Test) state() State {
	switch {
	case t.Passes > 0 && t.Fails > 0:
		return Flaky
	case t.Passes == 0 && t.Fails > 0 && t.Verdict == verdict.Fail:
		return Broken
	case t.Fails == 0 && t.Errors == 0 && t.Verdict == verdict.Pass:
		return Sound
	}
	return ""
}
