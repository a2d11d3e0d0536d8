package compare

import (
	"encoding/json"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// tried60 is a recording of scenarios that passed 60 times each.
func tried60(name string, scenarios ...string) *recording.Recording {
	r := &recording.Recording{Name: name}
	for i := range 60 {
		for _, s := range scenarios {
			r.Add(&trial.Trial{Scenario: s, Index: trial.Some(i), Outcome: trial.Pass})
		}
	}
	return r
}

func hasCode(reasons []verdict.Reason, warnings []verdict.Warning, code verdict.Code) bool {
	for _, r := range reasons {
		if r.Code == code {
			return true
		}
	}
	for _, w := range warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// There is no Pass where the candidate lacks scenarios of the baseline, however it is compared; what it alone tried is
// named. Left out, the rest is judged. A saved result says the same, and one that says nothing of it is of an earlier
// version.
func TestScenariosOfOneSide(t *testing.T) {
	all, some := []string{"a", "b", "c"}, []string{"a"}
	kinds := map[string]func(b, k *recording.Recording, m MissingPolicy) (verdict.Result, error){
		"all together": func(b, k *recording.Recording, m MissingPolicy) (verdict.Result, error) {
			return Judge(t.Context(), b, k, Options{Missing: m})
		},
		"each": func(b, k *recording.Recording, m MissingPolicy) (verdict.Result, error) {
			return Judge(t.Context(), b, k, Options{Missing: m, By: verdict.ByScenario})
		},
		"at any time": func(b, k *recording.Recording, m MissingPolicy) (verdict.Result, error) {
			return JudgeAnytime(b, k, AnytimeOptions{Missing: m})
		},
		"where tests ended": func(b, k *recording.Recording, m MissingPolicy) (verdict.Result, error) {
			return JudgeEnds(t.Context(), EndsOfTrials(b), EndsOfTrials(k), EndsOptions{Missing: m})
		},
	}
	for kind, judge := range kinds {
		open := verdict.Inconclusive
		added := verdict.Pass // what the candidate alone tried takes nothing from all trials together
		if kind == "each" || kind == "where tests ended" {
			added = verdict.Inconclusive
		}
		for name, c := range map[string]struct {
			baseline, candidate []string
			missing             MissingPolicy
			want                verdict.Verdict
			code                verdict.Code // of a reason or warning
		}{
			"both":             {all, all, MissingOpen, verdict.Pass, CodeNotWorseByDelta},
			"lost":             {all, some, MissingOpen, open, ""},
			"lost, ignored":    {all, some, MissingIgnore, verdict.Pass, runs.WarnGone},
			"added":            {some, all, MissingOpen, added, ""},
			"added, ignored":   {some, all, MissingIgnore, verdict.Pass, runs.WarnAdded},
			"nothing, ignored": {[]string{"b", "c"}, some, MissingIgnore, open, verdict.CodeNoTrials},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				r, err := judge(tried60("before", c.baseline...), tried60("after", c.candidate...), c.missing)
				if err != nil {
					t.Fatal(err)
				}
				h := r.Header()
				if h.Verdict != c.want {
					t.Errorf("%v: %v", h.Verdict, h.Reasons)
				}
				unnamed := kind == "all together" && name == "nothing, ignored" || kind == "each" && name == "both"
				if c.code != "" && !unnamed && !hasCode(h.Reasons, h.Warnings, c.code) {
					t.Errorf("no %q in %v and %v", c.code, h.Reasons, h.Warnings)
				}
				found, err := r.Rejudge(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if again := found.Again.(verdict.Result).Header(); again.Verdict != h.Verdict ||
					len(again.Reasons) != len(h.Reasons) || len(again.Warnings) != len(h.Warnings) {
					t.Errorf("judged again: %v", again)
				}
			})
		}
	}
	r, err := Judge(t.Context(), tried60("before", all...), tried60("after", some...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r.OneSided)
	if err != nil || string(text) != `{"gone":2,"added":0,"missing":"open"}` {
		t.Errorf("%s, %v", text, err)
	}
	if r.Reasons[0].Code != CodeMissing || r.Reasons[0].Text !=
		`the candidate did not try 2 scenarios of the baseline ("b", "c"), so nothing is known of them` {
		t.Errorf("%+v", r.Reasons)
	}
	r.OneSided = nil
	found, err := r.Rejudge(t.Context())
	if err != nil || found.Again.(*Result).Verdict != verdict.Pass {
		t.Errorf("%v: a result of an earlier version is judged by the rules of today", err)
	}
}
