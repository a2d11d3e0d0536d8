package record

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// inputOf is a text as a decoder sees it.
func inputOf(text string) *Input {
	return &Input{
		Text: bufio.NewReaderSize(strings.NewReader(text), PrefixBytes), File: "f", Notes: &Notes{},
		Options: Options{Options: trial.Options{MaxLineBytes: 1 << 20}, MaxDocumentBytes: 1 << 20},
	}
}

func TestValues(t *testing.T) {
	long := `["` + strings.Repeat("x", PrefixBytes) + `"]`
	for _, c := range []struct{ text, want, notes string }{
		{"[1,\n{}]", "1 [1,{}];", "[] []"},
		{" {\"a\":\n1}\n", `1 {"a":1};`, "[] []"},
		{"{}\n\n[2]\n{\n", "1 {};3 [2];", "[{lines that hold no JSON object 1 false}] [line 4 is cut off or not JSON]"},
		{"[1]\n3\n[2]", "1 [1];3 [2];", "[{lines that hold no JSON object 1 false}] []"},
		{long + "\n[2]\n", "1 " + long + ";2 [2];", "[] []"},
		{`"[1,{}]"`, "1 [1,{}];", "[] []"},
	} {
		in := inputOf(c.text)
		var got strings.Builder
		err := in.Values(func(n Node, line int) error {
			fmt.Fprintf(&got, "%d %s;", line, n.Raw())
			return nil
		})
		if err != nil || got.String() != c.want || fmt.Sprint(in.Notes.Omissions, in.Notes.Remarks) != c.notes {
			t.Errorf("%.60q: %v, %.60s, %v", c.text, err, got.String(), in.Notes)
		}
	}
}

// The lines are those of the standard (HTML, section 9.2), and of logs that look like it.
func TestEventData(t *testing.T) {
	for line, want := range map[string]string{
		`data: {"a":1}`:       `{"a":1}`,
		`data:{"a":1}`:        `{"a":1}`,
		`data: [DONE]`:        ``,
		`data:`:               ``,
		`event: message_stop`: ``,
		`id: 7`:               ``,
		`retry: 1000`:         ``,
		`: keep-alive`:        ``,
		`event: {"a":1}`:      `event: {"a":1}`,
		`{"data:":1}`:         `{"data:":1}`,
		`database: up`:        `database: up`,
	} {
		if got := string(eventData([]byte(line))); got != want {
			t.Errorf("%s carries %q, want %q", line, got, want)
		}
	}
}
