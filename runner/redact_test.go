package runner

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

const password = "Zx+Q/9<w-hunter2"

// leaking returns a suite whose agent prints a text, as a format, and whose scenario is the rest.
func leaking(t *testing.T, printed, output, rest string) *suite.Suite {
	t.Helper()
	s := scripted(t, "cat printed", "redact: [API_KEY]\n  output: "+output+"\n  env_allow: [API_KEY]", rest)
	if err := os.WriteFile(filepath.Join(s.Dir(), "printed"), []byte(printed), 0o666); err != nil {
		t.Fatal(err)
	}
	return s
}

// Every way in which an agent may print a secret that a recording format undoes, or that a person who reads
// the journal can.
func TestSecretsDoNotReachTheJournal(t *testing.T) {
	t.Setenv("API_KEY", password)
	var escaped strings.Builder
	for _, r := range password {
		fmt.Fprintf(&escaped, `\u%04X`, r)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte("user:" + password))
	for name, c := range map[string]struct{ printed, output string }{
		"text":             {password, "text"},
		"escapes":          {`{"outcome":"pass","output":"` + escaped.String() + `"}`, "trial"},
		"a few escapes":    {`{"outcome":"pass","output":"Zx\u002BQ\/9\u003Cw-hunter2"}`, "trial"},
		"escapes in text":  {`{"answer":"` + escaped.String() + `"}`, "text"},
		"JSON in JSON":     {`{"outcome":"pass","output":"{\"k\":\"Zx\\u002BQ/9\\u003Cw-hunter2\"}"}`, "trial"},
		"a name":           {`{"outcome":"pass","output":{"` + password + `":1}}`, "trial"},
		"a tag":            {`{"outcome":"pass","tags":{"k":"` + password + `"}}`, "trial"},
		"an unknown field": {`{"outcome":"pass","more":{"k":["` + password + `"]}}`, "trial"},
		"an argument": {`{"outcome":"pass","steps":[{"action":"call_tool","tool":"x","arguments":{"k":"` + password +
			`"}}]}`, "trial"},
		"an error":            {`{"outcome":"error","error":{"message":"bad key ` + password + `"}}`, "trial"},
		"base64":              {`{"outcome":"pass","output":"Basic ` + encoded + `"}`, "trial"},
		"hexadecimal":         {hex.EncodeToString([]byte(password)), "text"},
		"a URL":               {"https://x.test/?k=Zx%2BQ%2F9%3Cw-hunter2", "text"},
		"capitals":            {strings.ToUpper(password), "text"},
		"wrapped":             {"Zx+Q/9\n    <w-hunter2", "text"},
		"two steps":           {`{"outcome":"pass","steps":[{"action":"respond","output":"it is Zx+Q/9"},{"action":"respond","output":"<w-hunter2."}]}`, "trial"},
		"pieces of an answer": {`{"outcome":"pass","output":[{"i":1,"delta":"Zx+Q"},{"i":2,"delta":"/9<w-"},{"i":3,"delta":"hunter2"}]}`, "trial"},
		"references of JUnit": {`<testsuite><testcase name="one"><failure message="key Zx&#x2B;Q/9&lt;w-hunter2"/></testcase></testsuite>`, "junit"},
		"what cannot be read": {`{"outcome":"` + password, "trial"},
		"what is no trial":    {`{"outcome":"` + escaped.String() + `"}`, "trial"},
		"a key by its looks":  {"use ghp" + "_" + strings.Repeat("a1B2", 9), "text"},
		"an encoded key": {base64.StdEncoding.EncodeToString([]byte("Bearer ghp" + "_" + strings.Repeat("a1B2", 9))),
			"text"},
	} {
		t.Run(name, func(t *testing.T) {
			rest := "limits: none\nevaluate: [{exit-code: 0}]"
			records, journal := tried(t, leaking(t, c.printed, c.output, rest), 1)
			if len(records) == 0 {
				t.Fatal("there is no trial")
			}
			checkHidden(t, journal)
		})
	}
}

// checkHidden fails where the journal holds the password, or the key, as it is or as JSON has it; a text in
// several strings is put together.
func checkHidden(t *testing.T, journal string) {
	t.Helper()
	if !strings.Contains(journal, "[redacted ") {
		t.Errorf("nothing is redacted: %s", journal)
	}
	var all strings.Builder
	for line := range strings.Lines(journal) {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		_ = json.NewEncoder(&all).Encode(v)
		gather(&all, v)
	}
	lower := strings.ToLower(strings.Join(strings.Fields(all.String()), ""))
	for _, form := range []string{
		"hunter2", "ghp_", hex.EncodeToString([]byte("hunter2")), "gh" + "p_a1",
		// "hunter2" at the three alignments, less the characters that its neighbours share.
		strings.ToLower("aHVudGVyM"), strings.ToLower("h1bnRlcj"), strings.ToLower("odW50ZXIy"), "z2hwx2",
	} {
		if strings.Contains(lower, form) {
			t.Errorf("%q is in the journal: %s", form, journal)
		}
	}
}

// gather writes every text of a document without anything between.
func gather(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(v)
	case []any:
		for _, item := range v {
			gather(b, item)
		}
	case map[string]any:
		for name, member := range v {
			b.WriteString(name)
			gather(b, member)
		}
	}
}

// What judges say is removed too, also from JSON that they write with escapes.
func TestSecretsOfJudgesDoNotReachTheJournal(t *testing.T) {
	t.Setenv("API_KEY", password)
	for name, script := range map[string]string{
		"a reason":          `echo "because of $API_KEY"; exit 1`,
		"a reason, escaped": `cat reason; exit 1`,
		"a complaint":       `echo "because of $API_KEY" >&2; exit 7`,
	} {
		t.Run(name, func(t *testing.T) {
			s := leaking(t, "billing", "text", fmt.Sprintf("limits: none\nevaluate: [{command: [sh, -c, '%s']}]", script))
			reason := `{"pass": false, "reason": "because of Zx\u002BQ\/9\u003cw-hunter2"}`
			if err := os.WriteFile(filepath.Join(s.Dir(), "reason"), []byte(reason), 0o666); err != nil {
				t.Fatal(err)
			}
			_, journal := tried(t, s, 1)
			checkHidden(t, journal)
		})
	}
}

// An agent that says what it must not has said it: it is judged before the secret is removed.
func TestSecretsAreJudgedBeforeTheyAreRemoved(t *testing.T) {
	t.Setenv("API_KEY", "sorry, that is all")
	s := leaking(t, "sorry, that is all", "text", "limits: none\nevaluate: [{not-contains: sorry}]")
	records, journal := tried(t, s, 1)
	if len(records) != 1 || records[0].Trial.Outcome != trial.Fail {
		t.Errorf("%+v", records)
	}
	if strings.Contains(journal, "that is all") {
		t.Error(journal)
	}
}

func TestKeysThatAreWantedAreKept(t *testing.T) {
	key := "ghp" + "_" + strings.Repeat("a1B2", 9)
	s := scripted(t, "echo "+key, "redact_keys: false\n  output: text", "limits: none\nevaluate: [{contains: ghp}]")
	if _, journal := tried(t, s, 1); !strings.Contains(journal, key) {
		t.Error(journal)
	}
}

func TestNamesOfSecretsThatDoNothingAreSaid(t *testing.T) {
	t.Setenv("SHORT", "1")
	s := scripted(t, "echo x", "redact: [SHORT]", "limits: none\nevaluate: [{contains: x}]")
	_, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{})
	refused, ok := errors.AsType[*suiteError](err)
	if !ok || !strings.Contains(refused.Problem, "redact: the value of SHORT has fewer than 6 bytes") {
		t.Errorf("%v", err)
	}
	s = scripted(t, "echo x", "redact: [MISSPELT_KEY]", "limits: none\nevaluate: [{contains: x}]")
	var warnings []string
	_, err = Prepare(context.Background(), s, s.Scenarios, PrepareOptions{
		Warn: func(text string) { warnings = append(warnings, text) },
	})
	want := "redact: MISSPELT_KEY has no value, so nothing is removed for it: is the name right?"
	if err != nil || len(warnings) != 1 || warnings[0] != want {
		t.Errorf("%v %q", err, warnings)
	}
}
