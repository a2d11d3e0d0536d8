package usage

import (
	"math"
	"reflect"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// What is packed is what it was, and what does not fit is not packed.
func TestPacked(t *testing.T) {
	for name, c := range map[string]struct {
		trial trial.Trial
		fits  bool
	}{
		"nothing":     {trial.Trial{}, true},
		"model alone": {trial.Trial{Model: "small"}, true},
		"all kinds": {trial.Trial{Model: "small", InputTokens: trial.Some(int64(7)), OutputTokens: trial.Some(int64(0)),
			CachedTokens: trial.Some(int64(3)), CacheWrites: trial.Some(int64(4)), Turns: trial.Some(5),
			ToolCalls: trial.Some(6)},
			true},
		"a model's steps": {trial.Trial{Steps: []trial.Step{{Action: trial.Reason, Model: "small",
			InputTokens: trial.Some(int64(9))}, {Action: trial.CallTool}}}, true},
		"as many as fit": {trial.Trial{InputTokens: trial.Some(int64(math.MaxUint32))}, true},
		"too many":       {trial.Trial{InputTokens: trial.Some(int64(math.MaxUint32 + 1))}, false},
		"two models": {trial.Trial{Steps: []trial.Step{{Action: trial.Reason, Model: "small",
			InputTokens: trial.Some(int64(9))},
			{Action: trial.Reason, Model: "large", InputTokens: trial.Some(int64(8))}}}, false},
	} {
		took := Of(&c.trial)
		p, fits := took.Pack()
		if fits != c.fits {
			t.Errorf("%s: fits %v", name, fits)
		} else if fits {
			if again := p.Trial(); !reflect.DeepEqual(again, took) {
				t.Errorf("%s: %+v, and not %+v", name, again, took)
			}
		}
	}
}
