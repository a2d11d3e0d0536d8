package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// Every format that is named reads every file: as trials that can be written, or not
// at all, with an error that names the file. A change reads each by every third format.
func TestForcedFormats(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads many files")
	}
	every := thorough.Draws(3, 1)
	for i, sample := range ownSamples(t) {
		file := sample.file
		for j, format := range formats {
			if (i+j)%every != 0 {
				continue
			}
			o := Options{From: format.name, AllowDuplicates: true, Options: trial.Options{Unjudged: true}}
			got, err := written(Open([]string{file}, o))
			var variants *VariantError
			switch {
			case err == nil && got == "":
				t.Errorf("%s as %v: neither a trial nor an error", file, format.name)
			case err != nil && !strings.Contains(err.Error(), filepath.Base(file)) && !errors.As(err, &variants):
				t.Errorf("%s as %v: the error names no file: %v", file, format.name, err)
			}
		}
	}
}

// A format that was named, and of which the file holds nothing, is told from the one that the file looks like.
func TestMisnamedFormats(t *testing.T) {
	const table = "scenario,outcome\na,pass\n"
	for _, c := range []struct {
		text string
		from Format
		want string
	}{
		{table, "junit", "f holds no testcase; it looks like csv: omit From"},
		{table, "gotest", "f holds no trials: every record was skipped (2); it looks like csv: omit From"},
		{table, "jest", "f:1:1: is not JSON: invalid character 's' looking for beginning of value; it looks like csv: omit From"},
		{table, "trx", "f:3: the XML ends inside an element; it looks like csv: omit From"},
		{`{"scenario":"a","outcome":"pass"}`, "tap", "f holds no test; it looks like trials: omit From"},
		{`<testsuite/>`, "junit", "f holds no testcase; did the tests run?"},
	} {
		if _, err := written(streamOf(c.text, Options{From: c.from})); err == nil || err.Error() != c.want {
			t.Errorf("%s as %s:\n got %v\nwant %s", c.text, c.from, err, c.want)
		}
	}
}

// Every file that is cut off anywhere is read up to there or refused, by every format.
func TestCutFiles(t *testing.T) {
	for _, sample := range ownSamples(t) {
		file, whole := sample.file, sample.text
		for part := 1; part < 12; part++ {
			text := whole[:len(whole)*part/12]
			o := Options{AllowDuplicates: true, Options: trial.Options{File: "f", Unjudged: true, PassScore: trial.Some(0.5)}}
			if got, err := written(NewStream(bytes.NewReader(text), o)); err == nil && got == "" {
				t.Errorf("%s, %d of 12 parts: neither a trial nor an error", file, part)
			}
		}
	}
}

// A trace of very many steps is read, in memory of its own order, or refused by the
// limit that it breaks.
func TestLongTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a large file")
	}
	steps := thorough.Draws(100_000, 300_000)
	var b bytes.Buffer
	b.WriteString(`{"type":"system","subtype":"init","session_id":"s","model":"m"}` + "\n")
	for i := range steps / 2 {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{}}]}}`+"\n", i, i)
	}
	o := Options{From: "claude-stream", Options: trial.Options{File: "f", Unjudged: true}}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	trials := 0
	for x, err := range NewStream(bytes.NewReader(b.Bytes()), o).Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		trials++
		if len(x.Steps) != steps {
			t.Errorf("%d steps", len(x.Steps))
		}
	}
	runtime.ReadMemStats(&after)
	if trials != 1 {
		t.Errorf("%d trials", trials)
	}
	if used := after.Sys - min(before.Sys, after.Sys); used > uint64(steps)*2800 {
		t.Errorf("%d MB", used>>20)
	}

	line := `{"scenario":"a","outcome":"pass","steps":[` +
		strings.TrimSuffix(strings.Repeat(`{"action":"reason"},`, steps), ",") + "]}\n"
	o = Options{Options: trial.Options{File: "f", MaxLineBytes: 1 << 20}}
	if _, err := written(NewStream(strings.NewReader(line), o)); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("a line beyond the limit: %v", err)
	}
	o.MaxLineBytes = 0
	if got, err := written(NewStream(strings.NewReader(line), o)); err != nil || strings.Count(got, `"reason"`) != steps {
		t.Errorf("a line within the limit: %v", err)
	}
	o = Options{From: "otlp", MaxDocumentBytes: 1 << 20, Options: trial.Options{File: "f", Unjudged: true,
		MaxLineBytes: 1 << 20}}
	document := "{\n\"resourceSpans\":[" + strings.Repeat(" ", 2<<20) + "]}"
	if _, err := written(NewStream(strings.NewReader(document), o)); err == nil ||
		!strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("a document beyond the limit: %v", err)
	}
}

// Spans whose parents are not there, are one another's or are themselves, and that end
// before they begin: every call of a model is a step, once, and no time is negative.
func TestOTLPWithBrokenTrees(t *testing.T) {
	span := func(id, parent string, start, end int) string {
		return fmt.Sprintf(`{"traceId":"t","spanId":%q,"parentSpanId":%q,"name":"chat m","startTimeUnixNano":"%d000000000","endTimeUnixNano":"%d000000000",`+
			`"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}},`+
			`{"key":"gen_ai.usage.output_tokens","value":{"intValue":"7"}}]}`, id, parent, start, end)
	}
	for name, c := range map[string]struct {
		spans []string
		calls int
	}{
		"orphans":      {[]string{span("a", "gone", 1772000001, 1772000002), span("b", "lost", 1772000003, 1772000004)}, 2},
		"a loop":       {[]string{span("a", "b", 1772000001, 1772000002), span("b", "a", 1772000003, 1772000004)}, 2},
		"itself":       {[]string{span("a", "a", 1772000001, 1772000002)}, 1},
		"back in time": {[]string{span("a", "", 1772000009, 1772000002)}, 1},
	} {
		text := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(c.spans, ",") + `]}]}]}`
		trials := 0
		for x, err := range streamOf(text, unjudged).Trials(t.Context()) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			trials++
			if x.DurationSeconds.Value < 0 {
				t.Errorf("%s: %v seconds", name, x.DurationSeconds.Value)
			}
			calls := 0
			for _, s := range x.Steps {
				if s.DurationSeconds.Value < 0 {
					t.Errorf("%s: a step of %v seconds", name, s.DurationSeconds.Value)
				}
				if s.OutputTokens.Known {
					calls++
				}
			}
			if calls != c.calls && name != "a loop" || calls == 0 {
				t.Errorf("%s: %d calls, want %d", name, calls, c.calls)
			}
			if x.OutputTokens.Value > int64(7*c.calls) {
				t.Errorf("%s: %d tokens", name, x.OutputTokens.Value)
			}
		}
		if trials != 1 {
			t.Errorf("%s: %d trials", name, trials)
		}
	}
}
