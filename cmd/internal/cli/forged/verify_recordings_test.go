package forged

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// Of a comparison of more trials than are listed with their metrics a change is found by its digest where the trial was
// sampled, and else by what it changes of counts and sums; what neither shows is not found.
func TestVerifyRecordingsOfManyTrials(t *testing.T) {
	t.Chdir(t.TempDir())
	const trials = 10_002
	lines := make([]string, trials)
	for i := range lines {
		outcome := "pass"
		if i%10 == 3 {
			outcome = "fail"
		}
		lines[i] = fmt.Sprintf(`{"scenario":"s%d","trial":%d,"outcome":"%s","cost_usd":%v,"output":"answer %d"}`, i%3, i/3,
			outcome,
			0.001*float64(1+i%9), i)
	}
	write(t, "a.jsonl", []byte(strings.Join(lines, "\n")))
	code, _, stderr := tribunal(strings.Fields(
		"compare a.jsonl a.jsonl --allow-duplicates --ledger off --json -o r.json")...)
	if code != exit.Pass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	saved, err := os.ReadFile("r.json")
	if err != nil {
		t.Fatal(err)
	}
	verify := func(edit func(lines []string) []string) (code int, said string) {
		write(t, "changed.jsonl", []byte(strings.Join(edit(append([]string(nil), lines...)), "\n")))
		code, stdout, stderr := tribunal("verify", "r.json", "--recording",
			"baseline=changed.jsonl")
		return code, strings.Join(strings.Fields(stdout+stderr), " ")
	}
	edit := func(old, new string) func([]string) []string {
		return func(lines []string) []string { lines[8] = strings.Replace(lines[8], old, new, 1); return lines }
	}
	for name, c := range map[string]struct {
		edit func([]string) []string
		says string
		code int
	}{
		"as it was": {func(l []string) []string { return l },
			"each of their outcomes, the sums of their metrics, and digests of 1000 of them", exit.Pass},
		"outcome": {edit("pass", "fail"), `changed.jsonl:9: trial 2 of "s2": the outcome is fail, and it was judged as pass`,
			exit.Input},
		"cost": {edit(`"cost_usd":0.009`, `"cost_usd":9`), "cost_usd", exit.Input},
		"left out": {func(l []string) []string { return append(l[:8], l[9:]...) },
			`trial 2 of "s2" was judged, and is not there`, exit.Input},
		"added": {func(l []string) []string { return append(l, `{"scenario":"s2","trial":9999,"outcome":"pass"}`) },
			`changed.jsonl:10003: trial 9999 of "s2" was not judged`, exit.Input},
		"all outputs": {func(l []string) []string {
			for i := range l {
				l[i] = strings.Replace(l[i], "answer", "reply", 1)
			}
			return l
		}, "outcome and metrics are those that were judged, and what it did or said is not (and 999 more of the sample)",
			exit.Input},
	} {
		if code, said := verify(c.edit); code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s: exit code %d: %s", name, code, said)
		}
	}
	// Of the outputs of three hundred trials those are found that were sampled, a tenth: thirty, with a standard
	// deviation of five.
	code, said := verify(func(l []string) []string {
		for i := 0; i < 300; i++ {
			l[i*33] = strings.Replace(l[i*33], "answer", "reply", 1)
		}
		return l
	})
	var more int
	_, rest, _ := strings.Cut(said, "(and ")
	if _, err := fmt.Sscanf(rest, "%d more of the sample)", &more); err != nil || code != exit.Input || more < 10 ||
		more > 50 {
		t.Errorf("exit code %d: %s", code, said)
	}
	// A digest that was changed in the result shows where the recording is.
	at := strings.Index(string(saved), `"digests": "`) + len(`"digests": "`)
	write(t, "r.json", []byte(string(saved[:at])+strings.Map(func(r rune) rune {
		if r == 'A' {
			return 'B'
		}
		return r
	}, string(saved[at:at+400]))+string(saved[at+400:])))
	if code, said := verify(func(l []string) []string { return l }); code != exit.Input ||
		!strings.Contains(said, "what it did or said is not") {
		t.Errorf("exit code %d: %s", code, said)
	}
}
