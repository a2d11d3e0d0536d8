package bench_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// traceForms are two ways in which traces are recorded, each in lines of about 3 KB: trials with their steps, and
// exports of OpenTelemetry with a trace a line. The candidate calls more tools where it changed.
var traceForms = []struct {
	name  string
	write func(w io.Writer, random *rand.Rand, i, more int) error
}{
	{"trials", writeTrialTrace},
	{"otlp", writeOTLPTrace},
}

// BenchmarkTraces reads both sides from files, makes their fingerprints and compares them, as tribunal compare
// --behaviour-only does. A size is the traces of both sides together.
func BenchmarkTraces(b *testing.B) {
	for _, form := range traceForms {
		for _, size := range []int{2000, 20_000, 100_000, 200_000} {
			for _, more := range []int{0, 1} {
				b.Run(fmt.Sprintf("%s/more=%d/traces=%d", form.name, more, size), func(b *testing.B) {
					if testing.Short() && size > 20_000 {
						b.Skip("it takes long")
					}
					sides, err := writeTraces(b.TempDir(), form.write, size/2, more)
					if err != nil {
						b.Fatal(err)
					}
					run := func() error {
						_, err := compareTraces(sides)
						return err
					}
					peak := peakOf(b, run)
					for b.Loop() {
						if err := run(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(peak), "peak-B")
					b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "traces/s")
				})
			}
		}
	}
}

// TestTracesAreCompared finds what the benchmark's candidate does more, and nothing where it does not.
func TestTracesAreCompared(t *testing.T) {
	for _, form := range traceForms {
		for more, want := range []bool{false, true} {
			sides, err := writeTraces(t.TempDir(), form.write, 100, more)
			if err != nil {
				t.Fatal(err)
			}
			found, err := compareTraces(sides)
			if err != nil || found.Changed != want || found.Baseline != 100 || found.Candidate != 100 {
				t.Errorf("%s, %d more: %+v, %v", form.name, more, found, err)
			}
		}
	}
}

// writeTraces writes a file of so many traces for each side.
func writeTraces(
	folder string, write func(w io.Writer, random *rand.Rand, i, more int) error, traces, more int,
) (sides [2]string, err error) {
	for side := range sides {
		sides[side] = filepath.Join(folder, fmt.Sprint("side-", side, ".jsonl"))
		file, err := os.Create(sides[side])
		if err != nil {
			return sides, err
		}
		defer file.Close()
		text := bufio.NewWriter(file)
		random := rand.New(rand.NewPCG(uint64(side), 1))
		for i := range traces {
			if err := write(text, random, i, side*more); err != nil {
				return sides, err
			}
		}
		if err := text.Flush(); err != nil {
			return sides, err
		}
	}
	return sides, nil
}

func compareTraces(sides [2]string) (*behaviour.Comparison, error) {
	var samples [2]fingerprint.Sample
	fields := trial.BasicFields | trial.StepFields | trial.ContentFields
	for side, name := range sides {
		o := ingest.Options{Options: trial.Options{Fields: fields, Unjudged: true}}
		for t, err := range ingest.Open([]string{name}, o).Trials(context.Background()) {
			if err != nil {
				return nil, err
			}
			samples[side].Add(t)
		}
	}
	return behaviour.Compare(context.Background(), &samples[0], &samples[1], behaviour.Options{Seed: 1})
}

// said is what the agent and its tools say.
var said = strings.Repeat("The order 12345 was found, and it ships now. ", 2)

func writeTrialTrace(w io.Writer, random *rand.Rand, i, more int) error {
	var steps strings.Builder
	for k := range 6 + random.IntN(2) + more {
		failure := ""
		if random.IntN(30) == 0 {
			failure = `,"error":"timeout"`
		}
		fmt.Fprintf(&steps, `{"action":"reason","output":"%s%d","input_tokens":%d,"output_tokens":30,"cost_usd":0.001},`,
			said, random.IntN(1000), 300+k)
		fmt.Fprintf(&steps, `{"action":"call_tool","tool":"tool_%d","arguments":{"id":%d,"text":"abc"},"output":"%s%d",`+
			`"duration_s":0.2%s},`, (k+random.IntN(3))%5, random.IntN(100_000), said, random.IntN(1000), failure)
	}
	_, err := fmt.Fprintf(w, `{"scenario":"s%d","trial":%d,"outcome":"pass","cost_usd":0.0%d,"input_tokens":%d,`+
		`"output_tokens":%d,"steps":[%s{"action":"respond","output":"done"}],"output":"%s%d"}`+"\n", i%20, i/20,
		100+random.IntN(300), 900+random.IntN(500), 100+random.IntN(200), &steps, said+said, random.IntN(1_000_000))
	return err
}

func writeOTLPTrace(w io.Writer, random *rand.Rand, i, more int) error {
	trace := fmt.Sprintf("%016x%016x", random.Uint64(), i+1)
	start := 1772097937000000000 + int64(i)*2_000_000_000
	text := func(key, value string) string {
		return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
	}
	whole := func(key string, n int) string { return fmt.Sprintf(`{"key":%q,"value":{"intValue":"%d"}}`, key, n) }
	span := func(id int, parent, name, rest string, attributes ...string) string {
		return fmt.Sprintf(`{"traceId":%q,"spanId":"%08x%08x","parentSpanId":%q,"name":%q,"kind":3,"startTimeUnixNano":"%d",`+
			`"endTimeUnixNano":"%d","attributes":[%s]%s}`, trace, id, i+1, parent, name, start+int64(id)*1e8,
			start+int64(id+1)*1e8, strings.Join(attributes, ","), rest)
	}
	root := fmt.Sprintf("%08x%08x", 0, i+1)
	spans := []string{span(0, "", "invoke_agent desk", "", text("gen_ai.operation.name", "invoke_agent"),
		text("scenario", fmt.Sprint("s", i%20)), whole("gen_ai.usage.output_tokens", 100+random.IntN(100)),
		text("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"`+said+`"}]}]`))}
	for k := range 2 + random.IntN(2) + more {
		tool := fmt.Sprint("tool_", random.IntN(5))
		failure := ""
		if random.IntN(30) == 0 {
			failure = `,"status":{"code":2,"message":"timeout"}`
		}
		spans = append(spans, span(2*k+1, root, "chat m-2", "", text("gen_ai.operation.name", "chat"),
			text("gen_ai.request.model", "m-2"), whole("gen_ai.usage.input_tokens", 300+random.IntN(300)),
			whole("gen_ai.usage.output_tokens", 30+random.IntN(30))))
		spans = append(spans, span(2*k+2, root, "execute_tool "+tool, failure, text("gen_ai.operation.name", "execute_tool"),
			text("gen_ai.tool.name", tool), text("gen_ai.tool.call.arguments", fmt.Sprintf(`{"id":%d}`, random.IntN(10_000))),
			text("gen_ai.tool.call.result", said)))
	}
	_, err := fmt.Fprintf(w, `{"resourceSpans":[{"resource":{"attributes":[%s]},"scopeSpans":[{"scope":{"name":"x"},"spans":[%s]}]}]}`+"\n",
		text("service.name", "desk"), strings.Join(spans, ","))
	return err
}
