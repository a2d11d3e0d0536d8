package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
)

// short is the line of trial i, as a runner that records no steps writes it.
func short(dst []byte, i int) []byte {
	outcome := "pass"
	if i%7 == 0 {
		outcome = "fail"
	}
	return fmt.Appendf(dst, `{"scenario":"booking-%d","trial":%d,"variant":"base","outcome":"%s","score":%g,"started_at":"2026-02-26T09:25:37Z","duration_s":30.47,"model":"gpt-4o-mini","cost_usd":0.0153,"input_tokens":51234,"output_tokens":812}`+"\n",
		i%100, i/100, outcome, float64(i%11)/10)
}

// trace is the line of trial i with ten steps, about 3 KB.
func trace(dst []byte, i int) []byte {
	dst = fmt.Appendf(dst, `{"scenario":"booking-%d","trial":%d,"variant":"base","outcome":"pass","duration_s":30.47,"cost_usd":0.0153,"input_tokens":51234,"output_tokens":812,"steps":[`, i%100, i/100)
	for j := range 5 {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, `{"action":"reason","input_tokens":%d,"output_tokens":57,"cost_usd":0.00145655},`,
			5000+j)
		dst = fmt.Appendf(dst,
			`{"action":"call_tool","tool":"get_order_details","arguments":{"order_id":"#W%d","include":["items","payment"]},"output":"{\"order_id\": \"#W%d\", \"status\": \"delivered\", \"items\": [%s]}","duration_s":0.21}`,
			i, i, strings.Repeat(`{\"name\": \"headphones\", \"price\": 129.5}, `, 8))
	}
	return append(dst, "]}\n"...)
}

func BenchmarkReadMillionLines(b *testing.B) { benchmarkRead(b, short, 1_000_000) }

func BenchmarkReadTraces(b *testing.B) { benchmarkRead(b, trace, 10_000) }

// benchmarkRead reads a recording from a file, with what a verdict needs, with
// what a comparison needs, and with everything.
func benchmarkRead(b *testing.B, line func([]byte, int) []byte, lines int) {
	name, size := recording(b, line, lines)
	for _, c := range []struct {
		name   string
		fields Fields
	}{{"verdict", BasicFields}, {"compare", BasicFields | StepFields | InputField}, {"everything", 0}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			runtime.GC()
			peak := uint64(0)
			for b.Loop() {
				file, err := os.Open(name)
				if err != nil {
					b.Fatal(err)
				}
				var keys KeySet
				count := 0
				for t, err := range Read(file, Options{Fields: c.fields}) {
					if err != nil {
						b.Fatal(err)
					}
					if err := keys.Add(t); err != nil {
						b.Fatal(err)
					}
					if count++; count%50_000 == 0 || count == lines {
						peak = max(peak, heapInUse())
					}
				}
				file.Close()
				if count != lines {
					b.Fatalf("read %d trials, want %d", count, lines)
				}
			}
			b.ReportMetric(float64(peak)/1e6, "peak-MB")
		})
	}
}

// recording writes the lines to a file.
func recording(b *testing.B, line func([]byte, int) []byte, lines int) (name string, size int64) {
	name = filepath.Join(b.TempDir(), "trials.jsonl")
	file, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	var text []byte
	for i := range lines {
		if text = line(text, i); len(text) > 1<<20 || i == lines-1 {
			n, err := file.Write(text)
			if err != nil {
				b.Fatal(err)
			}
			size += int64(n)
			text = text[:0]
		}
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return name, size
}

// heapInUse is the memory that the process holds for the heap, without what it
// gave back, in bytes. It stops nothing, unlike runtime.ReadMemStats.
func heapInUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}

func BenchmarkAppend(b *testing.B) {
	t, err := Decode(trace(nil, 1), Options{})
	if err != nil {
		b.Fatal(err)
	}
	var line []byte
	for b.Loop() {
		if line, err = Append(line[:0], t); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(line)))
}
