package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEventsOfSteps are read as they were noted, also of a record.
func TestEventsOfSteps(t *testing.T) {
	s := Step{Action: Respond, Extra: []Member{{Name: "other", Value: Raw("1")}}}
	s.AddEvents()
	if len(s.Extra) != 1 || s.Events() != nil {
		t.Errorf("no event makes %+v", s.Extra)
	}
	s.AddEvents("fault: slow")
	s.AddEvents("fault: reset", "client: \"x\"")
	text, err := Append(nil, &Trial{Scenario: "a", Outcome: Pass, Steps: []Step{s}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := Decode(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"fault: slow", "fault: reset", "client: \"x\""}
	if diff := cmp.Diff(want, read.Steps[0].Events()); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"1", `"fault"`, `{"a":1}`, "[1]", "null"} {
		s := Step{Extra: []Member{{Name: "events", Value: Raw(text)}}}
		if got := s.Events(); len(got) > 0 {
			t.Errorf("%s has the events %q", text, got)
		}
	}
}
