package fleet

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tribunal-dev/tribunal/suite"
)

// fleet is a coordinator with workers in this process.
type fleet struct {
	*Coordinator
	t       testing.TB
	suite   *suite.Suite
	ends    []context.CancelFunc
	working sync.WaitGroup
	once    sync.Once
	summary Summary
}

// newFleet opens a coordinator of a suite.
func newFleet(t testing.TB, file string, o Options) *fleet {
	t.Helper()
	s, err := suite.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	o.Suite, o.Token = s, testToken
	if o.Address == (Address{}) {
		o.Address.Listen = "127.0.0.1:0"
	}
	o.Prefix = "t" + random()
	if o.Notice == nil {
		o.Notice = func(kind, text string) { t.Log(kind, text) }
	}
	c, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{Coordinator: c, t: t, suite: s}
	t.Cleanup(func() { f.close() })
	return f
}

// close ends workers and coordinator.
func (f *fleet) close() Summary {
	f.once.Do(func() {
		for _, end := range f.ends {
			end()
		}
		f.working.Wait()
		var err error
		if f.summary, err = f.Close(true); err != nil {
			f.t.Error(err)
		}
	})
	return f.summary
}

// work adds a worker, and returns what ends it.
func (f *fleet) work(o WorkerOptions) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	f.ends = append(f.ends, cancel)
	o.Token, o.Prefix = testToken, f.options.Prefix
	if o.Address == (Address{}) {
		o.Address.URL = f.URL()
	}
	if o.Notice == nil {
		o.Notice = func(kind, text string) { f.t.Log(kind, text) }
	}
	f.working.Go(func() {
		if err := Work(ctx, o); err != nil {
			f.t.Error(err)
		}
	})
	return cancel
}

// run runs the suite.
func (f *fleet) run() runSummary {
	f.t.Helper()
	r, err := through(f.t.Context(), f.suite, f.Coordinator, filepath.Join(f.t.TempDir(), "journal"), false)
	if err != nil {
		f.t.Fatal(err)
	}
	got, err := judged(f.suite, r)
	if err != nil {
		f.t.Fatal(err)
	}
	return got
}

// same compares runs.
func same(t testing.TB, got, want runSummary) {
	t.Helper()
	if got.Verdict != want.Verdict || !slices.Equal(got.Trials, want.Trials) {
		t.Errorf("the fleet found %s of\n%v\nand one machine %s of\n%v", got.Verdict, got.Trials, want.Verdict, want.Trials)
	}
}

func TestFleetFindsWhatOneMachineDoes(t *testing.T) {
	t.Parallel()
	file := writeSuite(t, suiteText(30, ""))
	want := runLocally(t, file)
	for name, address := range map[string]Address{"embedded": {}, "server": {URL: "real"}} {
		t.Run(name, func(t *testing.T) {
			if address.URL != "" {
				address.URL = real(t)
			}
			f := newFleet(t, file, Options{Address: address})
			f.work(WorkerOptions{Slots: 2, Name: "one"})
			f.work(WorkerOptions{Slots: 1, Name: "two"})
			same(t, f.run(), want)
			s := f.close()
			if trials := s.Workers[0].Trials + s.Workers[len(s.Workers)-1].Trials; len(s.Workers) != 2 ||
				trials != len(want.Trials) {
				t.Errorf("the workers made %d trials", trials)
			}
			if s.Late != 0 || s.Relaunched != 0 {
				t.Errorf("without a loss %d came late and %d were made again", s.Late, s.Relaunched)
			}
		})
	}
}

// stream is the queue at the server.
func (f *fleet) stream(t testing.TB) jetstream.Stream {
	t.Helper()
	s, err := f.js.Stream(t.Context(), f.current)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
