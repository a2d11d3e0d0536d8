package running

import "testing"

// A run is continued by the command that began it, with its arguments.
func TestInterruptedRunNamesItsCommand(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run"}, "tribunal run --resume"},
		{[]string{"gate", "a b.yaml", "--fresh", "--seed", "7"}, "tribunal gate 'a b.yaml' --seed 7 --resume"},
		{[]string{"run", "--resume", "--only=refund-*"}, "tribunal run '--only=refund-*' --resume"},
		{[]string{"run", "--store", "runs.db"}, "tribunal run --store runs.db --resume"},
		{[]string{"run", "--store", "postgres://u:secret@h/d", "x.yaml"}, "tribunal run x.yaml --resume"},
		{[]string{"run", "--store=postgres://u:secret@h/d"}, "tribunal run --resume"},
		{[]string{"repeat", "--", "pytest", "--fresh"}, "tribunal repeat --resume -- pytest --fresh"},
	} {
		if got := Resumption(c.args); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}
