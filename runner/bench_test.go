//go:build unix

package runner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// benchmarked returns options that run so many trials of an agent, whatever comes of
// them, with a journal.
func benchmarked(b *testing.B, agent Agent, trials int) Options {
	b.Helper()
	d, err := sprt.Fixed(sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}, trials)
	if err != nil {
		b.Fatal(err)
	}
	o := options(d, agent, "s")
	o.Judge = func(_ context.Context, _ Request, a *Attempt) error {
		a.Trial.Outcome = trial.Pass
		return nil
	}
	o.Journal = filepath.Join(b.TempDir(), "journal")
	return o
}

func runAll(b *testing.B, o Options) *Result {
	b.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	if test := r.Tests[0]; test.Trials != o.Tests[0].Design.Boundaries.MaxTrials() || test.Failures+test.Errors > 0 {
		b.Fatalf("%+v", test)
	}
	return r
}

func command(argv ...string) *CommandAgent {
	return &CommandAgent{Command: process.Command{Argv: argv, Timeout: time.Minute}}
}

// BenchmarkOverhead compares 1,000 trials of a program that does nothing with as many
// bare runs of it, two at a time. They take turns, so that both see the same machine.
func BenchmarkOverhead(b *testing.B) {
	const trials, rounds, concurrency = 1000, 10, 2
	var bare, run time.Duration
	count := 0
	for b.Loop() {
		for range rounds {
			begin := time.Now()
			bareRuns(b, trials/rounds, concurrency, "/bin/true")
			bare += time.Since(begin)
			o := benchmarked(b, command("/bin/true"), trials/rounds)
			o.Concurrency = concurrency
			begin = time.Now()
			runAll(b, o)
			run += time.Since(begin)
			count += trials / rounds
		}
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(count) }
	b.ReportMetric(each(run), "ms/trial")
	b.ReportMetric(each(bare), "ms/bare-run")
	b.ReportMetric(each(run-bare), "ms-overhead/trial")
}

func bareRuns(b *testing.B, runs, concurrency int, name string) {
	next := make(chan struct{}, runs)
	for range runs {
		next <- struct{}{}
	}
	close(next)
	var workers sync.WaitGroup
	for range concurrency {
		workers.Go(func() {
			for range next {
				if err := exec.Command(name).Run(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
}

// BenchmarkInProcess runs trials that take no time: what is left is the runner with
// its journal.
func BenchmarkInProcess(b *testing.B) {
	const trials = 1000
	agent := AgentFunc(func(context.Context, Request) Attempt {
		return Attempt{Trial: &trial.Trial{Outcome: trial.Pass, Output: trial.RawString("done"), CostUSD: trial.Some(.01)}}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	count := 0
	for b.Loop() {
		runAll(b, benchmarked(b, agent, trials))
		count += trials
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(b.Elapsed())/float64(count), "ns/trial")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(count), "B/trial")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(count), "allocs/trial")
}

// BenchmarkIdeal compares 1,000 trials of 0.2 s, 64 at a time, with the 16 rounds that
// they take at least.
func BenchmarkIdeal(b *testing.B) {
	const trials, concurrency = 1000, 64
	const ideal = (trials + concurrency - 1) / concurrency * 200 * time.Millisecond
	runs := 0
	for b.Loop() {
		o := benchmarked(b, command("sleep", "0.2"), trials)
		o.Concurrency, o.Eager = concurrency, true
		runAll(b, o)
		runs++
	}
	b.ReportMetric(float64(b.Elapsed())/float64(runs)/float64(ideal), "ratio")
}

// BenchmarkMemory runs 10,000 trials and reports the most memory that they took.
func BenchmarkMemory(b *testing.B) {
	const trials = 10_000
	peak := uint64(0)
	for b.Loop() {
		runtime.GC()
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600) // what others took is not ours; not everywhere
		o := benchmarked(b, command("/bin/true"), trials)
		o.Concurrency = 4
		o.Progress = func(p Progress) {
			if p.Trials%100 == 0 {
				peak = max(peak, heap())
			}
		}
		r := runAll(b, o)
		peak = max(peak, heap())
		runtime.KeepAlive(r)
	}
	b.ReportMetric(float64(peak)/1e6, "peak-heap-MB")
	b.ReportMetric(residentPeak()/1e3, "VmHWM-MB")
}

// heap is the memory that the process holds for the heap, in bytes.
func heap() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}

// residentPeak is the most memory that this process has had, in KB; 0 where the system
// does not tell.
func residentPeak() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			kilobytes, _ := strconv.ParseFloat(fields[1], 64)
			return kilobytes
		}
	}
	return 0
}
