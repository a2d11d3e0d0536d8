package oracle

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// A judge is known again wherever it stands, and is another one where its program, its words or its threshold are.
func TestDigestOfCommand(t *testing.T) {
	folder := func(script string) string {
		dir := t.TempDir()
		for _, name := range []string{"judge", "judge.sh"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	digest := func(dir, program string, o CommandOptions, words ...string) string {
		o.Dir = dir
		argv := append([]string{program}, words...)
		started := append([]string{filepath.Join(dir, program)}, words...)
		if filepath.Base(program) == program {
			started = argv
		}
		o.Named = func() ([]string, map[string]string) { return argv, o.Env }
		return DigestOf(made(t)(Command(started, o)))
	}
	one, same, other := folder("exit 0"), folder("exit 0"), folder("exit 1")
	base := digest(one, "./judge", CommandOptions{}, "-v")
	if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(base) {
		t.Fatal(base)
	}
	if digest(same, "./judge", CommandOptions{Timeout: 7, Redact: []string{"X"}}, "-v") != base {
		t.Error("another folder makes another judge")
	}
	script := digest(one, "sh", CommandOptions{}, "judge.sh")
	if digest(same, "sh", CommandOptions{}, "judge.sh") != script {
		t.Error("another folder makes another script")
	}
	seen := map[string]string{base: "base", script: "script"}
	for name, d := range map[string]string{
		"program":   digest(other, "./judge", CommandOptions{}, "-v"),
		"script":    digest(other, "sh", CommandOptions{}, "judge.sh"),
		"argument":  digest(one, "./judge", CommandOptions{}, "-w"),
		"variable":  digest(one, "./judge", CommandOptions{Env: map[string]string{"MODEL": "m"}}, "-v"),
		"threshold": digest(one, "./judge", CommandOptions{Threshold: 0.7}, "-v"),
	} {
		if before, known := seen[d]; known {
			t.Errorf("another %s is the judge of %s", name, before)
		}
		seen[d] = name
	}
}

// What asked a judge says which, also within others, and as it is read again.
func TestResultsNameTheirJudge(t *testing.T) {
	judge := made(t)(Command([]string{"true"}, CommandOptions{}))
	negation := made(t)(Not(judge))
	within := made(t)(All(negation, made(t)(Contains(path(t, ""), "x", TextOptions{}))))
	want := DigestOf(judge)
	if got := Judges(within, judge); len(got) != 2 || DigestOf(got[0]) != want || DigestOf(got[1]) != want {
		t.Errorf("%v", got)
	}
	record := traced()
	found := Judge(t.Context(), Evidence{Trial: record}, []Evaluator{within, judge}, Limits{})
	if err := found.Record(record); err != nil {
		t.Fatal(err)
	}
	line, err := trial.Append(nil, record)
	if err != nil {
		t.Fatal(err)
	}
	again, err := trial.Decode(line, trial.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, _ := Recorded(again)
	r := j.Results[0]
	if r.Judge != "" || r.Parts[0].Judge != "" || r.Parts[0].Parts[0].Judge != want || r.Parts[1].Judge != "" {
		t.Errorf("%+v", r)
	}
	if j.Results[1].Judge != want {
		t.Errorf("%+v", j.Results[1])
	}
}
