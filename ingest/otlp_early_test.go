package ingest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// scattered writes exports in which the spans of traces stand in lines that lie up to so far apart, with log records,
// traces of other programs, and lines that are no JSON.
func scattered(random *rand.Rand, traces, apart int) string {
	lines := make([][]string, traces+apart)
	put := func(near int, text string) {
		at := near + random.IntN(apart)
		lines[at] = append(lines[at], text)
	}
	for i := range traces {
		trace := fmt.Sprintf("%032x", i+1)
		start := 1772097937000000000 + int64(random.IntN(traces))*1_000_000_000
		span := func(id, parent int, name, attributes string) string {
			return fmt.Sprintf(`{"traceId":%q,"spanId":"%016x","parentSpanId":"%016x","name":%q,"startTimeUnixNano":"%d",`+
				`"endTimeUnixNano":"%d","attributes":[%s]}`, trace, id, parent, name, start+int64(id), start+int64(id)+10,
				attributes)
		}
		text := func(key, value string) string {
			return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
		}
		if random.IntN(8) == 0 {
			put(i, span(1, 0, "GET /", text("http.method", "GET")))
			continue
		}
		put(i, span(1, 0, "invoke_agent", text("gen_ai.operation.name", "invoke_agent")+","+text("scenario",
			"s"+fmt.Sprint(i%3))))
		for k := range random.IntN(4) {
			put(i, span(2+k, 1, "execute_tool", text("gen_ai.operation.name", "execute_tool")+","+
				text("gen_ai.tool.name", "tool"+fmt.Sprint(random.IntN(3)))+","+text("gen_ai.tool.call.result", `{"traceId":"1"}`)))
		}
		if random.IntN(3) == 0 {
			put(i, fmt.Sprintf(`log {"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":%q,"spanId":"%016x","eventName":`+
				`"gen_ai.evaluation.result","attributes":[%s]}]}]}]}`, trace, 1, text("gen_ai.evaluation.score.label", "pass")))
		}
	}
	var b strings.Builder
	for i, parts := range lines {
		var spans []string
		for _, part := range parts {
			if log, isLog := strings.CutPrefix(part, "log "); isLog {
				b.WriteString(log + "\n")
			} else {
				spans = append(spans, part)
			}
		}
		b.WriteString(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + "]}]}]}\n")
		if i > 0 && random.IntN(20) == 0 {
			b.WriteString("a line of a log\n")
		}
	}
	return b.String()
}

// Trials that are handed out before the file ends are those that come of the whole, in the same order.
func TestTracesAreHandedOutEarlyAsFromTheWhole(t *testing.T) {
	folder := t.TempDir()
	thorough.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		text := scattered(random, rapid.IntRange(2, 60).Draw(t, "traces"), rapid.IntRange(1, 20).Draw(t, "apart"))
		name := filepath.Join(folder, "traces.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		read := func(from int64) string {
			stream := Open([]string{name}, Options{From: "otlp", Options: trial.Options{Unjudged: true}})
			stream.twice = from
			var b strings.Builder
			for x, err := range stream.Trials(t.Context()) {
				if err != nil {
					fmt.Fprintln(&b, err)
					break
				}
				line, err := json.Marshal(x)
				fmt.Fprintf(&b, "%s %s %v\n", x.Place, line, err)
			}
			notes := stream.Notes()[0]
			fmt.Fprint(&b, notes.Trials, notes.Skipped, notes.Remarks)
			return b.String()
		}
		if early, whole := read(0), read(1<<40); early != whole {
			t.Fatalf("early:\n%s\nwhole:\n%s\nof\n%s", early, whole, text)
		}
	})
}

// A trace may be named in a way that is not seen before lines are decoded, so that it does not stand in one line though
// it seems to.
func TestTraceThatIsNamedInAnotherWayBefore(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traces.jsonl")
	export := func(id, span, operation string) string {
		return fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":%q,"name":"x","startTimeUnixNano":`+
			`"177209793700000000%s","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":%q}}]}]}]}]}`+"\n", id,
			span, span, operation)
	}
	text := export(`\u0061b`, "1", "execute_tool") + export("cd", "2", "chat") + export("ab", "3", "execute_tool")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	stream := Open([]string{name}, Options{From: "otlp", Options: trial.Options{Unjudged: true}})
	stream.twice = 0
	if got, want := shortSteps(stream), "respond\ncall_tool:x call_tool:x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is held is given back with each trial, so that a long file takes no more than a short one. Half of the traces
// begin at the same time.
func TestTracesInOrderTakeLittleMemory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traces.jsonl")
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"01","name":"chat","startTimeUnixNano":"%d",`+
			`"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"x","value":{"stringValue":%q}}]}]}]}]}`+"\n",
			i+1, 1772097937000000000+int64(i/1000), strings.Repeat("x", 1000))
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(twice int64) (trials int, err error) {
		stream := Open([]string{name}, Options{Options: trial.Options{Unjudged: true}})
		stream.twice = twice
		for _, err := range stream.Trials(memory.With(t.Context(), memory.New(4<<20))) {
			if err != nil {
				return trials, err
			}
			trials++
		}
		return trials, nil
	}
	if trials, err := read(0); err != nil || trials != 2000 {
		t.Errorf("%d trials: %v", trials, err)
	}
	if _, err := read(1 << 40); err == nil {
		t.Error("4 MiB are enough to hold all of it")
	}
}
