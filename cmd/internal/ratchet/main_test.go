package ratchet

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// loopVariable makes this program a loop of its own, to be killed.
const loopVariable = "RATCHET_TEST_LOOP"

// askVariable makes this program one that asks a model, as its client does.
const askVariable = "RATCHET_TEST_ASK"

// ask asks the model of the environment.
func ask() error {
	body := strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"x"}]}`)
	answer, err := http.Post(os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "application/json", body)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

func TestMain(m *testing.M) {
	confine.Main()
	if folder := os.Getenv(loopVariable); folder != "" {
		if err := runLoop(context.Background(), folder, true); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(askVariable) != "" {
		if err := ask(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	os.Exit(m.Run())
}

// runLoop begins the loop of a folder, or continues it.
func runLoop(ctx context.Context, folder string, quiet bool) error {
	c, err := Load(ctx, folder)
	if err != nil {
		return err
	}
	_, err = os.Stat(c.journalFile())
	l, err := Open(ctx, c, Options{Resume: err == nil && begunIn(c)})
	if err != nil {
		return err
	}
	r, err := l.Run(ctx)
	if err == nil && !quiet {
		fmt.Println(r.Stop)
	}
	if closed := l.Close(); err == nil {
		err = closed
	}
	return err
}

// begunIn reports whether the journal has its first line: a loop that is killed before has left none.
func begunIn(c *Config) bool {
	j, err := readJournal(c.journalFile())
	return err == nil && j.has(begunKey)
}

// testScript is a test runner: test i passes where line i of the file says ok, fails where it says bad, and is an error
// else. A line flip passes every second time that it is asked.
const testScript = `report=$1
echo '<testsuite name="t">' > "$report"
i=0
while read -r line; do
  i=$((i+1))
  case $line in
    ok) echo "<testcase classname=\"t\" name=\"case$i\"/>" ;;
    bad) echo "<testcase classname=\"t\" name=\"case$i\"><failure message=\"line $i is bad\"/></testcase>" ;;
    flip)
      count=$(cat "$FLIPS" 2>/dev/null || echo 0)
      echo $((count+1)) > "$FLIPS"
      if [ $((count % 2)) = 1 ]; then echo "<testcase classname=\"t\" name=\"case$i\"/>"
      else echo "<testcase classname=\"t\" name=\"case$i\"><failure message=\"flips\"/></testcase>"; fi ;;
    *) echo "<testcase classname=\"t\" name=\"case$i\"><error message=\"no such line\"/></testcase>" ;;
  esac >> "$report"
done < value.txt
echo '</testsuite>' >> "$report"
`

// walk is what a scripted model answers, attempt by attempt: a random walk.
var walk = []string{"bad bad bad bad", "ok bad bad bad", "ok ok bad bad", "ok bad bad bad", "ok ok ok bad",
	"bad ok ok bad",
	"none ok ok bad", "ok ok ok none", "ok bad ok bad"}

// modelScript answers what the file answers/N says.
const modelScript = `cat answers/$RATCHET_ATTEMPT
`

// lines is a value as a file.
func lines(value string) string { return strings.ReplaceAll(value, " ", "\n") + "\n" }

// project makes a folder with a loop: value.txt, its tests, and a model that answers the walk.
func project(t testing.TB, more string, answers ...string) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{
		"ratchet.yaml": "version: 1\nname: values\nfiles: [value.txt]\nprotect: [\"tests/**\"]\n" +
			"tests: {command: [sh, tests/run.sh, \"{report}\"]}\nextract: {language: command, command: [\"true\"]}\n" +
			"fix: {command: [sh, model.sh]}\n" + more,
		"tests/run.sh": testScript, "model.sh": modelScript, "value.txt": lines(walk[0]),
	}
	for i, answer := range answers {
		files[fmt.Sprintf("answers/%d", i+1)] = answer
	}
	for name, text := range files {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// fenced are answers with a block each.
func fenced(values []string) (answers []string) {
	for _, v := range values {
		answers = append(answers, "Here it is.\n\n```txt value.txt\n"+lines(v)+"```\n")
	}
	return answers
}

// run runs a loop to its end.
func run(t testing.TB, folder string, o Options) *improvement.Result {
	t.Helper()
	return runWithin(t, t.Context(), folder, o)
}

func runWithin(t testing.TB, ctx context.Context, folder string, o Options) *improvement.Result {
	t.Helper()
	c, err := Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open(ctx, c, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Run(ctx)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// onDisk is the current version's file.
func onDisk(t testing.TB, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "value.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// states are how far the attempts came.
func states(r *improvement.Result) (list []improvement.State) {
	for _, a := range r.Attempts {
		list = append(list, a.State)
	}
	return slices.Clip(list)
}
