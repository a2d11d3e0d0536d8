package wire_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/heap"
	"github.com/tribunal-dev/tribunal/wire"
)

// streamEvent is a part of an answer of about four bytes, as OpenAI sends it.
const streamEvent = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"small-1",` +
	`"choices":[{"index":0,"delta":{"content":"word"},"finish_reason":null}]}` + "\n\n"

// streamEnd is the last part.
const streamEnd = `data: {"model":"small-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":100,"completion_tokens":100}}` + "\n\ndata: [DONE]\n\n"

// streams is a server of so many events for each request, flushed one by one, with a pause behind each.
func streams(events int, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		flusher := w.(http.Flusher)
		for range events {
			_, _ = io.WriteString(w, streamEvent)
			flusher.Flush()
			time.Sleep(pause)
		}
		_, _ = io.WriteString(w, streamEnd)
	}
}

// ways are the addresses of a server without a wire and with one, and a client with connections that stay.
func ways(b *testing.B, handler http.HandlerFunc) (direct, wired string, route *wire.Route, client *http.Client) {
	b.Helper()
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	upstreams, err := wire.UpstreamsOf(map[wire.Provider]string{wire.OpenAI: server.URL + "/v1"}, none)
	if err != nil {
		b.Fatal(err)
	}
	w, err := wire.Open(wire.Options{Upstreams: upstreams})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = w.Close() })
	route = w.Route(wire.Limits{})
	client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	b.Cleanup(client.CloseIdleConnections)
	return server.URL + "/v1/chat/completions", route.Root() + "/openai/v1/chat/completions", route, client
}

// benchBody is a request of some length.
var benchBody = `{"model":"small-1","stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("word ",
	800) + `"}]}`

// timedAsk asks, reads all of the answer, and returns the time until its first byte and until its end.
func timedAsk(b *testing.B, client *http.Client, address string) (first, all time.Duration) {
	b.Helper()
	began := time.Now()
	answer, err := client.Post(address, "application/json", strings.NewReader(benchBody))
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	reader := bufio.NewReader(answer.Body)
	if _, err := reader.ReadByte(); err != nil {
		b.Fatal(err)
	}
	first = time.Since(began)
	if _, err := io.Copy(io.Discard, reader); err != nil {
		b.Fatal(err)
	}
	return first, time.Since(began)
}

// median is that of durations, in microseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Nanoseconds()) / 1e3
}

// BenchmarkOverhead asks with and without the wire in turns, and reports the medians: an answer that comes whole.
func BenchmarkOverhead(b *testing.B) {
	answer := said(strings.Repeat("word ", 400))
	direct, wired, route, client := ways(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answer)
	})
	var without, with []time.Duration
	for b.Loop() {
		_, d := timedAsk(b, client, direct)
		_, w := timedAsk(b, client, wired)
		without, with = append(without, d), append(with, w)
	}
	if seen := route.Close(); seen.Spent.Turns != len(with) {
		b.Errorf("%d of %d turns were seen", seen.Spent.Turns, len(with))
	}
	b.ReportMetric(median(without), "direct-µs")
	b.ReportMetric(median(with), "wire-µs")
	b.ReportMetric(median(with)-median(without), "overhead-µs")
}

// BenchmarkFirstToken reports the medians of the time until a stream begins, whose next part comes later.
func BenchmarkFirstToken(b *testing.B) {
	direct, wired, _, client := ways(b, streams(3, 2*time.Millisecond))
	var without, with []time.Duration
	for b.Loop() {
		d, _ := timedAsk(b, client, direct)
		w, _ := timedAsk(b, client, wired)
		without, with = append(without, d), append(with, w)
	}
	b.ReportMetric(median(without), "direct-µs")
	b.ReportMetric(median(with), "wire-µs")
	b.ReportMetric(median(with)-median(without), "held-back-µs")
}

// BenchmarkEvents reports what the wire takes of each event of a long stream that comes as fast as it can.
func BenchmarkEvents(b *testing.B) {
	const events = 5_000
	direct, wired, _, client := ways(b, streams(events, 0))
	var without, with []time.Duration
	for b.Loop() {
		_, d := timedAsk(b, client, direct)
		_, w := timedAsk(b, client, wired)
		without, with = append(without, d), append(with, w)
	}
	b.ReportMetric(median(without)/events, "direct-µs/event")
	b.ReportMetric(median(with)/events, "wire-µs/event")
	b.ReportMetric((median(with)-median(without))/events, "overhead-µs/event")
}

// BenchmarkStreams has 200 streams at once over the wire, of 100 events each that come every 10 ms, and reports how
// much the heap grows: with the server and the clients, which are of this process too.
func BenchmarkStreams(b *testing.B) {
	const atOnce, events = 200, 100
	direct, wired, _, client := ways(b, streams(events, 10*time.Millisecond))
	all := func(address string) (grown float64) {
		return float64(heap.Growth(func() {
			var running sync.WaitGroup
			for range atOnce {
				running.Go(func() { timedAsk(b, client, address) })
			}
			running.Wait()
		})) / 1e6
	}
	var without, with float64
	for b.Loop() {
		without, with = max(without, all(direct)), max(with, all(wired))
	}
	b.ReportMetric(without, "direct-MB")
	b.ReportMetric(with, "wire-MB")
	if with > 200 {
		b.Errorf("%d streams take %.0f MB", atOnce, with)
	}
}

// BenchmarkStreamsAtOnce has 200 streams at once of 100 events each, with and without the wire in turns, from a model
// that begins to answer at once: as fast as it can, and with an event every 10 ms, as models write. ratio is the median
// over the pairs of the time that all of them take.
func BenchmarkStreamsAtOnce(b *testing.B) {
	const atOnce, events = 200, 100
	for _, pause := range []time.Duration{0, 10 * time.Millisecond} {
		b.Run("pause="+pause.String(), func(b *testing.B) {
			direct, wired, route, client := ways(b, streams(events, pause))
			all := func(address string) float64 {
				began := time.Now()
				var running sync.WaitGroup
				for range atOnce {
					running.Go(func() { timedAsk(b, client, address) })
				}
				running.Wait()
				return time.Since(began).Seconds()
			}
			all(direct) // which opens connections
			all(wired)
			var ratios []float64
			for i := 0; b.Loop(); i++ {
				var with, without float64
				if i%2 == 0 { // what comes second has no advantage
					with, without = all(wired), all(direct)
				} else {
					without, with = all(direct), all(wired)
				}
				ratios = append(ratios, with/without)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
			if seen := route.Close(); seen.Spent.Turns != atOnce*(len(ratios)+1) {
				b.Errorf("%d turns were seen", seen.Spent.Turns)
			}
		})
	}
}
