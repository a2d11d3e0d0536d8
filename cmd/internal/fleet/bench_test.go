//go:build unix

package fleet

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// gathered waits until so many slots are there.
func (f *fleet) gathered(slots int) {
	for f.running() < slots {
		time.Sleep(10 * time.Millisecond)
	}
}

// BenchmarkHandOut measures how long it takes from the request of an attempt to its beginning at an idle worker.
func BenchmarkHandOut(b *testing.B) {
	f := newFleet(b, writeSuite(b, suiteText(6, "")), Options{Notice: func(string, string) {}})
	begun := make(chan time.Time, 1)
	f.work(WorkerOptions{Slots: 8, perform: errandFunc(func(context.Context, runner.Errand) runner.Report {
		begun <- time.Now()
		return passed()
	})})
	f.gathered(8)
	var took []time.Duration
	record := &trial.Trial{Outcome: trial.Pass}
	b.ResetTimer()
	for i := range b.N {
		asked := time.Now()
		var ended sync.WaitGroup
		ended.Go(func() {
			a := f.Run(b.Context(), runner.Request{Scenario: "coin", Trial: i, Seed: 1})
			a.Kept(record)
		})
		took = append(took, (<-begun).Sub(asked))
		ended.Wait()
	}
	b.StopTimer()
	slices.Sort(took)
	share := func(q float64) float64 { return took[int(q*float64(len(took)-1))].Seconds() * 1e3 }
	b.ReportMetric(share(.5), "ms-p50")
	b.ReportMetric(share(.99), "ms-p99")
}

// processorTime is what this process has taken of processors.
func processorTime(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkIdleWorkers measures what share of a core 500 idle workers of a run take, with connections of their own, all
// in one process with the server and the coordinator.
func BenchmarkIdleWorkers(b *testing.B) {
	f := newFleet(b, writeSuite(b, suiteText(6, "")), Options{Notice: func(string, string) {}})
	const workers, slots = 500, 4
	for range workers {
		f.work(WorkerOptions{Slots: slots, Notice: func(string, string) {},
			perform: errandFunc(func(context.Context, runner.Errand) runner.Report { return passed() })})
	}
	f.gathered(workers * slots)
	time.Sleep(2 * time.Second)
	b.ResetTimer()
	for range b.N {
		before, began := processorTime(b), time.Now()
		time.Sleep(40 * time.Second) // longer than a wait for an errand, and than a lease
		b.ReportMetric(100*(processorTime(b)-before).Seconds()/time.Since(began).Seconds(), "%core")
	}
}

// BenchmarkFleet10000 measures how much longer 10,000 trials of an agent that takes a second take 200 workers than they
// would without any loss. The agents sleep.
func BenchmarkFleet10000(b *testing.B) {
	const workers, trials = 200, 10_000
	file := writeSuite(b, suiteText(6, ""))
	s, err := suite.Load(file)
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		b.StopTimer()
		f := newFleet(b, file, Options{Notice: func(string, string) {}})
		for range workers {
			f.work(WorkerOptions{Notice: func(string, string) {}, perform: errandFunc(
				func(ctx context.Context, _ runner.Errand) runner.Report {
					select {
					case <-ctx.Done():
					case <-time.After(time.Second):
					}
					return passed()
				})})
		}
		elsewhere := &lateAgent{Agent: f.Coordinator}
		o, err := runner.Prepare(b.Context(), s, s.Scenarios, runner.PrepareOptions{Elsewhere: elsewhere, Record: trials})
		if err != nil {
			b.Fatal(err)
		}
		o.Pool, o.Recovers, o.Concurrency, o.Brief = f.Coordinator, true, 0, true
		o.Journal = filepath.Join(b.TempDir(), "journal")
		f.gathered(workers)
		processor := processorTime(b)
		b.StartTimer()
		began := time.Now()
		r, err := runner.Run(b.Context(), o)
		took := time.Since(began).Seconds()
		b.StopTimer()
		if err != nil || r.Tests[0].Trials != trials || r.Tests[0].Errors != 0 {
			b.Fatalf("%v, %+v", err, r.Tests)
		}
		b.ReportMetric(100*(took/(trials/workers)-1), "%longer")
		b.ReportMetric(100*(processorTime(b)-processor).Seconds()/took, "%core")
		if summary := f.close(); summary.Relaunched != 0 || summary.Late != 0 {
			b.Errorf("%d were made again, %d were late", summary.Relaunched, summary.Late)
		}
	}
}
