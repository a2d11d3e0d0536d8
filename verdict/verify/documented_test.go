package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict/gate"
)

// The manual has a row for each kind of result, and for each other document that has a schema.
func TestManualListsEveryKind(t *testing.T) {
	text, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	rows := 0
	has := func(schema, row string) {
		rows++
		if !strings.Contains(page, "\n"+row+"\n") {
			t.Errorf("docs/report.md has no row for %s, which is\n%s", schema, row)
		}
	}
	for _, k := range Kinds() {
		about := k.About
		if k.Gate {
			about += "; a gate decides over it"
		}
		if k.Older != "" {
			about += fmt.Sprintf("; `%s` in earlier versions", k.Older)
		}
		has(k.Schema, fmt.Sprintf("| `%s` | %s | `%s` |", k.Schema, about, strings.ReplaceAll(k.From, ", ", "`, `")))
	}
	for _, d := range documents {
		has(d.schema, fmt.Sprintf("| `%s` | %s |", d.schema, d.what))
	}
	if n := len(regexp.MustCompile("(?m)^\\| `tribunal/").FindAllString(page, -1)); n != rows {
		t.Errorf("docs/report.md has %d rows of schemas, and there are %d", n, rows)
	}
}

// Each schema, and each type of results, is of one kind.
func TestKindsDiffer(t *testing.T) {
	types, named := map[reflect.Type]bool{}, map[string]bool{"": true}
	for _, k := range Kinds() {
		into := reflect.TypeOf(k.empty())
		if types[into] || named[k.Schema] || k.Older != "" && named[k.Older] || k.About == "" || k.From == "" {
			t.Errorf("%s: another row has its schema or its type, or it does not say what it is", k.Schema)
		}
		types[into], named[k.Schema] = true, true
		if k.Older != "" {
			named[k.Older] = true
		}
		if _, _, is := besides(k.Schema); is {
			t.Errorf("%s is said to be no result", k.Schema)
		}
	}
	if KindOf(nil).Schema != "" {
		t.Error("no result is of a kind")
	}
}

// A gate decides over the kinds that say so, and refuses all others.
func TestGatesTakeTheKindsThatSaySo(t *testing.T) {
	for _, k := range Kinds() {
		_, err := gate.Judge(context.Background(), k.empty(), gate.Options{})
		if refused := err != nil && strings.Contains(err.Error(), "cannot decide over"); refused == k.Gate {
			t.Errorf("%s: it is said that a gate decides over it: %v, and it says %v", k.Schema, k.Gate, err)
		}
	}
}

// A document of the older name of a kind is read as one of that kind, and is written as it was.
func TestOlderNamesAreRead(t *testing.T) {
	older := 0
	for _, k := range Kinds() {
		if k.Older == "" {
			continue
		}
		older++
		text := fmt.Sprintf(`{"schema": %q}`, k.Older)
		r, err := Decode([]byte(text))
		if refused, is := errors.AsType[*DecodeError](err); is && !strings.HasPrefix(refused.Problem, "is no "+k.Older) {
			t.Errorf("%s: %v", k.Older, err)
		}
		if err == nil && (KindOf(r).Schema != k.Schema || r.Header().Schema != k.Older) {
			t.Errorf("%s is read as a %s", k.Older, KindOf(r).Schema)
		}
	}
	if older == 0 {
		t.Error("no kind has an older name")
	}
}
