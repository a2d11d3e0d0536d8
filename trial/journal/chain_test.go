package journal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// plain is a line as earlier versions wrote it.
func plain(line string) string { return chainMember.ReplaceAllString(line, "}") }

var chainMember = regexp.MustCompile(`,"chain":"[0-9a-f]{32}"\}`)

// The values are those of Python's hashlib.sha256 over what the doc comment of Chain says.
func TestChainIsWhatItsCommentSays(t *testing.T) {
	var c Chain
	for i, want := range []string{"0c380f9e37e83af8514b060e7e468798", "aef831ffc4b4119d223e6ae140f06a85"} {
		line := []string{`{"header":{"journal":1}}`, `{"launched":{"scenario":"x"}}`}[i]
		next := c
		linked := next.link([]byte(line))
		if got := next.String(); got != want || string(linked) != strings.TrimSuffix(line, "}")+`,"chain":"`+want+`"}` {
			t.Errorf("line %d: %s, want %s", i, linked, want)
		}
		// The same line is read with its value and without.
		if i == 0 {
			bare := c
			if err := bare.Add([]byte(line + "\n")); err != nil || bare.String() != want {
				t.Errorf("without its value: %v, %v", bare.String(), err)
			}
		}
		if err := c.Add(append(linked, '\n')); err != nil || c.String() != want || c.Lines() != i+1 {
			t.Errorf("line %d: %v, %v", i, c, err)
		}
	}
}

// A line without a value may end with more digits than one has, such as a digest that an agent answered.
func TestLinesThatEndWithDigits(t *testing.T) {
	for _, end := range []string{strings.Repeat("0a", 20), strings.Repeat("0a", 32), strings.Repeat("C", 64), "0a", ""} {
		var c Chain
		line := `{"finished":{"scenario":"x","output":"` + end + `"}`
		if err := c.Add([]byte(line + "\n")); err != nil || c.Lines() != 1 {
			t.Errorf("%s: %v, %d lines", line, err, c.Lines())
		}
	}
}

// Each bit that is turned, and each line that is dropped, doubled or moved, is told when the journal is read.
func TestChangesOfAJournalAreFound(t *testing.T) {
	name := writeSome(t)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, text []byte) {
		t.Helper()
		_, _, err := read("j", bytes.NewReader(text), nil)
		if bad, ok := errors.AsType[*LineError](err); !ok {
			t.Errorf("%s: %v", what, err)
		} else if bad.Line < 1 || bad.Line > bytes.Count(text, []byte("\n"))+1 {
			t.Errorf("%s: line %d", what, bad.Line)
		}
	}
	for i := range whole {
		for bit := range 8 {
			changed := slices.Clone(whole)
			changed[i] ^= 1 << bit
			refused("a bit", changed)
		}
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-1]
	for i := range lines {
		if i < len(lines)-1 { // without the last one it is a journal that was killed earlier
			refused("a line dropped", bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil))
		}
		refused("a line doubled", bytes.Join(slices.Insert(slices.Clone(lines), i, lines[i]), nil))
		if i > 0 { // before the first there is no other to follow on
			refused("a line without its value", bytes.Join(slices.Concat(lines[:i],
				[][]byte{[]byte(plain(string(lines[i])))}, lines[i+1:]), nil))
		}
		for j := range i {
			swapped := slices.Clone(lines)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			refused("lines swapped", bytes.Join(swapped, nil))
		}
	}
}

// The writer, a reader of all and a reader of the chain alone agree on it, also after a resume.
func TestChainOfAFile(t *testing.T) {
	name := writeSome(t)
	for session := range 2 {
		w, h, err := Resume(name, someHeader, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Launch(Launch{Test: "a", Scenario: "y", Trial: session + 1})
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		c, err := chainOf(name)
		if err != nil {
			t.Fatal(err)
		}
		written, want := w.Chain(), 10+session
		if c.String() != written.String() || c.Lines() != want || written.Lines() != want || h.Chain.Lines() != want-1 ||
			len(c.String()) != 32 {
			t.Errorf("%v of %d lines, the writer has %v of %d", c.String(), c.Lines(), written.String(), written.Lines())
		}
	}
	if _, err := chainOf(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A journal of an earlier version has no values; what is added to it has, and holds what was there before.
func TestJournalOfAnEarlierVersionIsChainedFromThere(t *testing.T) {
	whole, err := os.ReadFile(writeSome(t))
	if err != nil {
		t.Fatal(err)
	}
	earlier := plain(strings.ReplaceAll(string(whole), "\r", ""))
	name := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(name, []byte(earlier), 0o600); err != nil {
		t.Fatal(err)
	}
	w, _, err := Resume(name, someHeader, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Launch(Launch{Test: "a", Scenario: "y", Trial: 1})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || !strings.HasPrefix(string(text), earlier) || strings.Count(string(text), `"chain"`) != 1 {
		t.Fatalf("%s, %v", text, err)
	}
	if _, err := Read(name); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `"cost_usd":0.5`, `"cost_usd":0.4`, 1)
	_, _, err = read("j", strings.NewReader(changed), nil)
	if bad, ok := errors.AsType[*LineError](err); !ok || bad.Line != 10 || !errors.Is(err, errChain) {
		t.Errorf("an amount that was changed before the chain began: %v", err)
	}
}

// A line that nobody would read is not written, and one that somebody else wrote ends the reading where it does.
func TestLinesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some hundred megabytes of memory")
	}
	name := filepath.Join(t.TempDir(), "journal")
	w, err := Create(name, someHeader)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Launch(Launch{Test: "a", Scenario: "x"})
	long := someTrial("x", 0, trial.Pass)
	long.Output = trial.RawString(strings.Repeat("x", MaxLineBytes))
	if err := w.End(End{Scenario: "x"}, long); !errors.Is(err, errLong) {
		t.Fatal(err)
	}
	long = nil
	if err := w.End(End{Scenario: "x"}, someTrial("x", 0, trial.Pass)); err != nil {
		t.Fatal(err)
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	if h, err := Read(name); err != nil || h.Ended() != 1 {
		t.Fatal(err)
	}
	endless := io.MultiReader(strings.NewReader(`{"header":{"journal":1}}`+"\n"), zeros{})
	_, _, err = read("j", endless, nil)
	if bad, ok := errors.AsType[*LineError](err); !ok || bad.Line != 2 ||
		!strings.Contains(bad.Problem, "longer than 268435456 bytes") {
		t.Error(err)
	}
}

// zeros is a file such as /dev/zero.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// chainOf reads a journal for its chain alone.
func chainOf(name string) (Chain, error) {
	var c Chain
	file, err := openToRead(name)
	if err != nil {
		return c, err
	}
	defer file.Close()
	if _, _, err := eachLine(name, file, c.Add); err != nil {
		return Chain{}, err
	}
	return c, nil
}
