package trial_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestSetExtra(t *testing.T) {
	shared := []trial.Member{{Name: "a", Value: trial.Raw("1")}, {Name: "b", Value: trial.Raw("2")},
		{Name: "a", Value: trial.Raw("3")}}
	one := trial.Trial{Extra: shared}
	other := one
	if got := string(one.ExtraOf("a")); got != "1" {
		t.Errorf("a is %s", got)
	}
	one.SetExtra("a", trial.Raw("4"))
	want := []trial.Member{{Name: "b", Value: trial.Raw("2")}, {Name: "a", Value: trial.Raw("4")}}
	if diff := cmp.Diff(want, one.Extra); diff != "" {
		t.Error(diff)
	}
	one.SetExtra("a", nil)
	if one.ExtraOf("a") != nil || len(one.Extra) != 1 {
		t.Errorf("%v", one.Extra)
	}
	if string(other.Extra[0].Value) != "1" || string(other.Extra[2].Value) != "3" || len(other.Extra) != 3 {
		t.Errorf("the other one has %v", other.Extra)
	}
}
