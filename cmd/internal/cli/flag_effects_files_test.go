package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

var effects struct {
	once   sync.Once
	folder string
}

// effectsFolder is a folder with all files that the rows of flagEffects name; it is made once.
func effectsFolder(t *testing.T) string {
	t.Helper()
	effects.once.Do(func() {
		folder, err := os.MkdirTemp("", "flag-effects-")
		if err != nil {
			t.Fatal(err)
		}
		effects.folder = folder
		for name, text := range effectsFiles() {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(folder)
		for _, args := range []string{
			"run --ledger off", "run --ledger off --fresh --record 60 --output base.result.json --journal base.jsonl",
			"run open.yaml --ledger off --output open.result.json --journal open.journal.jsonl",
			"run stopped.yaml --ledger off --output stopped.result.json --journal stopped.jsonl",
			"run --ledger off --shard 1/2", "run --ledger off --shard 2/2",
			"run open.yaml --shard 1/1 --journal open.shard.jsonl",
			"run relations pairs.yaml --record 60 --output base.relations.json",
			"run relations stopped-pairs.yaml --output stopped.relations.json",
			"import x.jsonl --store nights.db --suite shop --at 2026-03-01",
			"import open.jsonl --store nights.db --suite shop --at 2026-03-06",
			"import twice.csv --store nights.db --suite shop --branch side --at 2026-03-08 --allow-duplicates",
			"import scores.jsonl --pass-score 0.5 --store nights.db --suite shop --at 2026-03-09",
			"import variants.jsonl --store nights.db --suite two",
			"improve ratchet run begun", "improve ratchet init duo", "improve ratchet try --suite duo --challenger broken",
			"run axes.yaml --output axes.json --journal axes.jsonl",
			"run axes.yaml --fresh --output axes-2.json --journal axes-2.jsonl",
			"verdict x.jsonl --threshold 0.6 --ledger l.jsonl", "judge label x.jsonl --n 20 --output labelled.csv",
			"import x.jsonl --store runs.db --as v1 --at 2026-03-01", "import y.jsonl --store runs.db --as v2 --at 2026-03-03",
			"verdict x.jsonl --threshold 0.6 --ledger off --store runs.db",
			"verdict x.jsonl --threshold 0.6 --ledger off --json --output rates.json",
			"compare twice.csv x.jsonl --allow-duplicates --ledger off --json --output compared.json",
		} {
			if code, _, stderr := tribunal(context.Background(), App{}, strings.Fields(args)...); code > ExitInconclusive {
				t.Fatalf("%s: exit code %d: %s", args, code, stderr)
			}
		}
		sheet, err := os.ReadFile("labelled.csv")
		if err != nil {
			t.Fatal(err)
		}
		sheet = []byte(strings.ReplaceAll(string(sheet), ",,,\n", ",,pass,\n"))
		if err := os.WriteFile("labelled.csv", sheet, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	return effects.folder
}

// ratchetFiles are a loop whose only test fails, and a suite with a variant that fails, in a folder.
func ratchetFiles(folder string) map[string]string {
	const passes = `echo '{\"outcome\":\"pass\",\"cost_usd\":0.1}'`
	suite := "version: 1\nname: duo\nlimits: none\nagent: {command: [sh, -c, \"" + passes + "\"], output: trial}\n" +
		"variants:\n  - {name: current}\n  - {name: broken, command: [sh, -c, \"" + strings.Replace(passes, "pass", "fail",
		1) + "\"]}\n" +
		"test: {threshold: 0.8}\nscenarios:\n"
	for i := range 5 {
		suite += fmt.Sprintf("  - {name: s%d, input: 1}\n", i)
	}
	return map[string]string{
		folder + "/ratchet.yaml": "version: 1\nname: loop\nfiles: [value.txt]\nattempts: 2\nfix: {command: [sh, " +
			"model.sh]}\n" +
			"tests: {command: [sh, tests.sh, \"{report}\"]}\nextract: {language: command, command: [\"true\"]}\n",
		folder + "/value.txt": "n0\n",
		folder + "/model.sh":  "echo \"{\\\"text\\\":\\\"n$RATCHET_ATTEMPT\\\",\\\"cost_usd\\\":0.1}\"\n",
		folder + "/tests.sh": "echo '<testsuite name=\"t\"><testcase classname=\"t\" name=\"a\"><failure " +
			"message=\"no\"/></testcase></testsuite>' > $1\n",
		folder + "/tribunal.yaml": suite,
	}
}

func effectsFiles() map[string]string {
	const suite = "version: 1\nname: %s\nlimits: none\n" +
		"agent: {command: [sh, -c, \"echo '{\\\"outcome\\\":\\\"pass\\\",\\\"cost_usd\\\":0.1}'\"], output: trial}\n" +
		"test: {threshold: 0.8, delta: 0.4, max_trials: %d}\n%s" +
		"scenarios: [{name: one, input: 1, tags: [big]}, {name: two, input: 2}]\n"
	files := map[string]string{
		"corpus/conformance/one.yaml": "name: one\ncapabilities: [answers]\ntags: [big]\n",
		"corpus/security/two.yaml":    "name: two\ncapabilities: [files]\n",
		"corpus/tribunal.yaml": "limits: none\ntest: {threshold: 0.8, delta: 0.4}\n" +
			"agent: {command: [sh, -c, \"echo '{\\\"outcome\\\":\\\"pass\\\",\\\"cost_usd\\\":0.1}'\"], output: trial}\n",
		"other.yaml":    "agent: {command: [sh, -c, exit 1]}\n",
		"tribunal.yaml": fmt.Sprintf(suite, "s", 20, "profiles: {big: {test: {delta: 0.45, max_trials: 40}}}\n"),
		"open.yaml":     fmt.Sprintf(suite, "open", 20, "budget: {max_trials: 3}\n"),
		"axes.yaml": "version: 1\nname: axes\nlimits: none\nagent: {command: [echo, done]}\ntest: {threshold: 0.5, delta: " +
			"0.3}\n" +
			"scenarios: [{name: one, trials: 8, evaluate: [contains: done]}]\n" +
			"score: {axes: [{name: tone, points: 9, each: [{name: polite, regex: please, found: good}]}]}\n",
		"stopped.yaml": fmt.Sprintf(suite, "stopped", 20, "budget: {max_trials: 3}\n"),
		"rows.csv":     "variant,scenario,passes,fails\na,s,30,10\nb,s,38,2\n",
		"prices.yaml":  "version: 1\nprices: [{model: acme-1, input: 1, output: 2}]\n",
		"tokens.jsonl": strings.Repeat(`{"scenario":"a","outcome":"pass","model":"acme-1",`+
			`"input_tokens":100,"output_tokens":9}`+"\n", 60) + `{"scenario":"a","outcome":"fail"}` + "\n",
		"contract.yaml": "version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: t}}\n  - {name: b, " +
			"kind: guardrail, forbid: {tools: u}}\n",
		"samples.json": `[{"input":"2+2?","target":"4"}]`,
		"tools.json":   `{"tools":[{"name":"t"},{"name":"u"}]}`,
		"map.yaml":     "version: 1\nrecords: $.runs[*]\nscenario: $.task\noutcome: $.ok\n",
		"other.json":   `{"runs":[{"task":"a","ok":true},{"task":"a","ok":false}]}`,
		"scores.jsonl": `{"scenario":"a","score":0.7}` + "\n" + `{"scenario":"a","score":0.2}` + "\n",
		"twice.csv":    "scenario,trial,outcome\na,1,pass\na,1,fail\n",
		"x.xml":        `<testsuite><testcase classname="c" name="a"/><testcase classname="c" name="b"/></testsuite>`,
		"open.jsonl":   `{"scenario":"a","outcome":"pass"}` + "\n" + `{"scenario":"a","trial":1,"outcome":"fail"}` + "\n",
		"own.jsonl":    `{"scenario":"one","outcome":"pass"}` + "\n" + `{"scenario":"two","outcome":"fail"}` + "\n",
		"tools.jsonl": `{"scenario":"a","outcome":"pass","steps":[{"action":"call_tool","tool":"t","output":"Error: no"}]}` +
			"\n",
	}
	files["mutate.yaml"] = strings.Replace(files["tribunal.yaml"], "output: trial}",
		"output: trial, config: {prompt: prompt.md}}", 1)
	files["checked.yaml"] = "version: 1\nname: checked\nlimits: none\nagent: {command: [agent]}\ntest: {threshold: " +
		"0.8}\nscenarios:\n" +
		"  - {name: a, input: 1, tags: [big], evaluate: [must-call: t, max_steps: 3]}\n  - {name: b, input: 2, evaluate: " +
		"[must-call: t]}\n"
	files["prompt.md"] = "Be kind. Never guess in 3 words. Answer it.\n"
	files["suggest.yaml"] = "version: 1\nname: suggest\nlimits: none\ncoverage: {tools_file: tools.json, models: " +
		"[acme-1]}\n" +
		"agent: {command: [sh, -c, \"echo '{\\\"outcome\\\":\\\"fail\\\",\\\"cost_usd\\\":0.1}'\"], output: trial}\n" +
		"test: {threshold: 0.8, delta: 0.4}\nscenarios: [{name: one, input: 1}]\n"
	files["schema.json"] = `{"type": "integer", "minimum": 50, "maximum": 99}`
	files["priced.yaml"] = strings.NewReplacer("name: s\n", "name: priced\n", `\"cost_usd\":0.1`,
		`\"model\":\"acme-1\",\"input_tokens\":9,\"output_tokens\":9`).Replace(files["tribunal.yaml"])
	const related = "relations:\n  - {name: twice, kind: agent-substitution, with: {env: {A: b}}, delta: 0.45}\n" +
		"  - {name: again, kind: agent-substitution, with: {env: {A: c}}, delta: 0.45}\n"
	files["pairs.yaml"] = fmt.Sprintf(suite, "pairs", 20, related)
	files["stopped-pairs.yaml"] = fmt.Sprintf(suite, "stopped-pairs", 20, "budget: {max_trials: 3}\n"+related)
	files["race.yaml"] = "version: 1\nname: race\nlimits: none\nbudget: {price_per_trial: 0.1}\n" +
		"agent: {command: [sh, -c, \"echo $ANSWER\"], output: text, env: {ANSWER: wrong}}\n" +
		"variants: [{name: right, env: {ANSWER: fine}}, {name: half, env: {ANSWER: so}}]\n" +
		"test: {threshold: 0.8}\nscenarios:\n  - {name: one, input: 1, tags: [big], evaluate: [contains: fine]}\n" +
		"  - {name: two, input: 2, evaluate: [contains: fine]}\n"
	files["pairs.jsonl"] = `{"scenario":"one","trial":0,"outcome":"pass"}` + "\n" +
		`{"scenario":"one","trial":1,"outcome":"pass","tags":{"relation":"twice","source":"one#0"}}` + "\n"
	maps.Copy(files, ratchetFiles("loop"))
	maps.Copy(files, ratchetFiles("begun"))
	maps.Copy(files, ratchetFiles("duo"))
	trials := func(n, failing int, variant string) string {
		var text strings.Builder
		for i := range n {
			outcome := "pass"
			if i%failing == 0 {
				outcome = "fail"
			}
			scenario := []string{"a", "b"}[i%2]
			fmt.Fprintf(&text, `{"scenario":%q,"trial":%d,"variant":%q,"outcome":%q,"cost_usd":%g,"input_tokens":%d,"output_tokens":9,`+
				`"duration_s":2,"steps":[%s{"action":"respond"}]}`+"\n", scenario, i/2, variant, outcome, 0.01+float64(i%7)/100,
				100+i,
				strings.Repeat(`{"action":"call_tool","tool":"t"},`, i%4))
		}
		return text.String()
	}
	files["x.jsonl"], files["y.jsonl"], files["b.jsonl"] = trials(60, 3, ""), trials(60, 4, ""), trials(200, 5, "")
	files["free.jsonl"] = regexp.MustCompile(`"cost_usd":[^,]*,`).ReplaceAllString(files["x.jsonl"], "")
	files["many.jsonl"], files["fewer.jsonl"] = trials(240, 9, ""), trials(240, 4, "")
	for i := range 90 {
		files["good.jsonl"] += fmt.Sprintf(`{"scenario":"s%d","outcome":"pass"}`+"\n", i%3)
		files["bad.jsonl"] += fmt.Sprintf(`{"scenario":"s%d","outcome":"fail"}`+"\n", i%3)
	}
	files["variants.jsonl"] = trials(60, 3, "a") + trials(60, 4, "b")
	files["errors.jsonl"] = trials(60, 3, "") + strings.Repeat(`{"scenario":"c","outcome":"error"}`+"\n", 6)
	for name, sample := range map[string]string{"ctrf.json": "ctrf/input.json", "scored.jsonl": "harbor/input.jsonl",
		"tau.json": "tau-bench/input.json",
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "ingest", "testdata", "formats", filepath.FromSlash(sample)))
		if err != nil {
			panic(err)
		}
		files[name] = string(text)
	}
	return files
}
