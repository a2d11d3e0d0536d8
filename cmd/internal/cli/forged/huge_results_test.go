package forged

import (
	"strings"
	"testing"
)

// Every reader of results refuses amounts, counts and shapes that no run has, and names their place.
func TestHugeResults(t *testing.T) {
	run, files := honest(t)
	write(t, "honest.json", files["good"])
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	deeper := strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_000)
	for _, c := range []struct{ edit, says string }{
		{"set trials.*.cost_usd 1e308", "trials[0].cost_usd is 1e+308, which no trial takes"},
		{"set trials.3.cost_usd -1", "trials[3].cost_usd is -1, which no trial takes"},
		{"set trials.1.cost_usd 1e400", "1e400"},
		{"set trials.2.duration_s 1e300", "trials[2].duration_s is 1e+300, which no trial takes"},
		{"set trials.*.input_tokens 9223372036854775807",
			"trials[0].input_tokens is 9223372036854775807, which no trial takes"},
		{"set trials.1.output_tokens -1", "trials[1].output_tokens is -1, which no trial takes"},
		{"set trials.1.output_tokens 18446744073709551616", "18446744073709551616"},
		{"set scenarios.0.trials 9223372036854775807", "scenarios[0].trials is 9223372036854775807"},
		{"set scenarios.0.design.max_trials 9223372036854775807", "max_trials is 9223372036854775807"},
		{"set trials " + deep, "trials cannot be a JSON array"},
		{"set unknown " + deep, `unknown field "unknown"`},
		{"set trials.0.input " + deeper, "max depth"},
	} {
		text := forgery{base: "good", edits: []string{strings.Replace(c.edit, deeper, `"DEEPER"`, 1)}}.forge(t, files)
		write(t, "forged.json", []byte(strings.Replace(string(text), `"DEEPER"`, deeper, 1)))
		for _, command := range []string{
			"report forged.json", "report forged.json --format json", "report forged.json --format html", "verify forged.json",
			"gate suite.yaml --results forged.json", "gate --no-suite --results forged.json",
			"compare forged.json honest.json", "compare honest.json forged.json", "forecast forged.json --runs-per-day 5",
		} {
			code, said := run(strings.Fields(command)...)
			if flat := strings.Join(strings.Fields(said), " "); code != 65 || !strings.Contains(flat, c.says) {
				t.Errorf("%.60s: %s: exit code %d, want 65 and %q\n%.400s", c.edit, command, code, c.says, said)
			}
		}
	}
}
