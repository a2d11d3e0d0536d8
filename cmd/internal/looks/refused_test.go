package looks

import (
	"testing"
)

// A run that is refused, since another was interrupted, is no run that a resumption continues: that is the interrupted
// one, which is the same look.
func TestRefusedRunIsNotContinued(t *testing.T) {
	var ledger []byte
	in := Ledger(func(add func(text []byte) ([]byte, error)) error {
		line, err := add(ledger)
		if line != nil {
			ledger = append(append(ledger, line...), '\n')
		}
		return err
	})
	asked := Run{Agent: "a", Questions: []string{"q"}}
	begin := func(continues bool) string {
		t.Helper()
		id, _, err := Begin(in, asked, continues)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	interrupted := begin(false)
	refused := asked
	refused.ID, refused.Refused = begin(false), true
	if _, err := End(in, refused, ""); err != nil {
		t.Fatal(err)
	}
	resumed := asked
	resumed.ID = begin(true)
	if resumed.ID != interrupted {
		t.Errorf("the resumed run is %s, and not the interrupted one", resumed.ID)
	}
	resumed.Evidence, resumed.Trials = "e", 3
	if earlier, err := End(in, resumed, ""); err != nil || len(earlier) > 0 {
		t.Errorf("%d looks before it, %v", len(earlier), err)
	}
	// One that was void without being refused had a journal of its own, which is what is continued.
	void := asked
	void.ID, void.Void = begin(false), true
	if _, err := End(in, void, ""); err != nil {
		t.Fatal(err)
	}
	if id := begin(true); id == interrupted {
		t.Error("a new run that was void is taken for one that was not begun")
	}
}
