package forged

import (
	"os"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// A saved verdict on rates, a comparison and a contract are refused where their counts are none, by what shows them as
// by what verifies them.
func TestHugeCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.jsonl", []byte(strings.Repeat(`{"scenario":"a","outcome":"pass"}`+"\n", 20)))
	write(t, "c.yaml", []byte("version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: x}}\n"))
	for _, command := range []string{
		"verdict a.jsonl --threshold 0.5", "verdict a.jsonl --threshold 0.5 --by scenario",
		"compare a.jsonl a.jsonl --allow-duplicates",
	} {
		code, _, stderr := tribunal(strings.Fields(command + " --json -o honest.json")...)
		if code > exit.Inconclusive {
			t.Fatalf("%s: %s", command, stderr)
		}
		honest, err := os.ReadFile("honest.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ old, new, says string }{
			{`"trials": 20,`, `"trials": 9223372036854775807,`, ".trials is 9223372036854775807, which is no count of trials"},
			{`"trials": 20,`, `"trials": -20,`, ".trials is -20, which is no count of trials"},
			{`"passes": 20,`, `"passes": 21,`, ".passes is 21, of 20 trials"},
			{`"passes": 20,`, `"passes": -1,`, ".passes is -1, which is no count of trials"},
			{`"errors": 0,`, `"errors": 4294967296,`, ".errors is 4294967296, which is no count of trials"},
		} {
			edited := strings.Replace(string(honest), c.old, c.new, 1)
			if edited == string(honest) && c.old != `"errors": 0,` {
				t.Errorf("%s has no %s", command, c.old)
			}
			write(t, "forged.json", []byte(edited))
			for _, reader := range []string{"report forged.json", "report forged.json --format html", "verify forged.json"} {
				code, stdout, stderr := tribunal(strings.Fields(reader)...)
				if edited != string(honest) && (code != exit.Input || stdout != "" || !strings.Contains(stderr, c.says)) {
					t.Errorf("%s, %s: %s: exit code %d, want %q: %s%s", command, c.new, reader, code, c.says, stdout, stderr)
				}
			}
		}
	}
}
