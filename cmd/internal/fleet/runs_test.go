package fleet

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// The files of the suite are there for the agent, and a long output comes back through the store of files.
func TestFilesAndLongOutputs(t *testing.T) {
	t.Parallel()
	const long = 2 << 20 // more than a message of an ordinary server has
	text := suiteText(6, ", FLEET_READS: data/read.txt, FLEET_PRINTS: '1048576'")
	text = strings.Replace(text, "  timeout: 60s\n", "  timeout: 60s\n  max_output_bytes: 8388608\n", 1)
	file := writeSuite(t, text)
	if err := os.MkdirAll(filepath.Join(filepath.Dir(file), "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "data", "read.txt"), []byte("read"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := runLocally(t, file)
	f := newFleet(t, file, Options{Address: Address{URL: real(t)}})
	f.work(WorkerOptions{Slots: 2})
	got := f.run()
	if len(got.Trials) == 0 || len(got.Trials[0]) < long {
		t.Errorf("of the output %d bytes came back", len(strings.Join(got.Trials, "")))
	}
	if strings.Join(got.Trials, "\n") != strings.Join(want.Trials, "\n") {
		t.Error("it is not what one machine finds")
	}
}

// A worker with another token runs nothing, and hears of nothing; one without the label neither.
func TestWhoIsServed(t *testing.T) {
	t.Parallel()
	file := writeSuite(t, suiteText(6, ""))
	f := newFleet(t, file, Options{Label: "gpu", Address: Address{URL: real(t)}})
	ran := func(name string) performer {
		return errandFunc(func(context.Context, runner.Errand) runner.Report {
			t.Errorf("%s has run a trial", name)
			return passed()
		})
	}
	f.work(WorkerOptions{Name: "unlabelled", Labels: []string{"cpu"}, perform: ran("a worker without the label")})
	ctx, end := context.WithCancel(t.Context())
	stranger := make(chan error, 1)
	go func() {
		stranger <- Work(ctx, WorkerOptions{
			Address: f.options.Address, Token: "another token than that of the others", Labels: []string{"gpu"},
			Prefix: f.options.Prefix, perform: ran("a worker with another token"),
		})
	}()
	f.work(WorkerOptions{Name: "right", Labels: []string{"cpu", "gpu"}})
	if got := f.run(); got.Errors != 0 || len(got.Trials) != 6 {
		t.Errorf("found %+v", got)
	}
	end()
	if err := <-stranger; err != nil {
		t.Error(err)
	}
}

// The server of a coordinator lets nobody in without the token.
func TestServerAsksForTheToken(t *testing.T) {
	f := newFleet(t, writeSuite(t, suiteText(6, "")), Options{})
	address := Address{URL: f.URL()}
	if nc, err := address.dial("another token than that of the others", "stranger"); err == nil {
		nc.Close()
		t.Error("a stranger was let in")
	}
	nc, err := address.dial(testToken, "friend")
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}

// What does not bear the signature of the token is not run, whoever sends it.
func TestUnsignedErrandsAreNotRun(t *testing.T) {
	var ran atomic.Int32
	var told sync.Map
	f := newFleet(t, writeSuite(t, suiteText(6, "")), Options{Notice: func(_, text string) { told.Store(text, true) }})
	f.work(WorkerOptions{Name: "w", perform: errandFunc(func(context.Context, runner.Errand) runner.Report {
		ran.Add(1)
		return passed()
	})})
	forged := newSeal("another token than that of the others").close(errandKind, f.names.run, runner.Errand{ID: "forged"})
	if _, err := f.js.Publish(t.Context(), f.names.errands(f.current), forged); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		seen := false
		told.Range(func(text, _ any) bool {
			seen = seen || strings.Contains(text.(string), "not signed with the token")
			return !seen
		})
		if seen {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if info, err := f.stream(t).Info(t.Context()); err != nil || info.State.Msgs != 0 || ran.Load() != 0 {
		t.Errorf("%d are left in the queue, %d were run: %v", info.State.Msgs, ran.Load(), err)
	}
}

// A secret of a worker does not leave it, and the coordinator needs none.
func TestSecretsStayWithTheWorker(t *testing.T) {
	text := suiteText(6, ", FLEET_SECRET: '${FLEET_TEST_API_KEY}'")
	file := writeSuite(t, text)
	s, err := suite.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := prepared(t.Context(), s); err != nil {
		t.Fatalf("the coordinator needs what its workers have: %v", err)
	}
	t.Setenv("FLEET_TEST_API_KEY", "very-secret-value-1234")
	f := newFleet(t, file, Options{})
	f.work(WorkerOptions{})
	got := f.run()
	if all := strings.Join(got.Trials, "\n"); strings.Contains(all, "very-secret") || !strings.Contains(all, "redacted") {
		t.Errorf("the trials are\n%s", all)
	}
}

// A worker that cannot run the suite says so, and others do.
func TestWorkerThatCannot(t *testing.T) {
	text := suiteText(6, ", FLEET_SECRET: '${FLEET_TEST_NOT_SET}'")
	told := make(chan string, 10)
	f := newFleet(t, writeSuite(t, text), Options{Notice: func(_, text string) { told <- text }})
	f.work(WorkerOptions{Name: "poor"})
	if text := <-told; !strings.Contains(text, "cannot run the suite") || !strings.Contains(text, "FLEET_TEST_NOT_SET") {
		t.Errorf("it says %q", text)
	}
	if n := f.Slots(); n != 0 {
		t.Errorf("it has %d slots", n)
	}
}

// Evaluators run at the workers where that is asked for.
func TestWorkersJudge(t *testing.T) {
	t.Parallel()
	text := strings.Replace(suiteText(6, "")+"judge: worker\n", "trials: 6}", "trials: 6, evaluate: [contains: nowhere]}",
		1)
	file := writeSuite(t, text)
	want := runLocally(t, file)
	if want.Verdict != "fail" {
		t.Fatalf("one machine finds %+v", want)
	}
	f := newFleet(t, file, Options{})
	f.work(WorkerOptions{Slots: 2})
	same(t, f.run(), want)
}

// The cap of cost is exceeded by what is in flight at most.
func TestCostCap(t *testing.T) {
	t.Parallel()
	const slots, price, limit = 4, .01, .1
	text := strings.Replace(suiteText(100, ""), "limits:", "budget: {max_cost_usd: 0.1}\nlimits:", 1)
	file := writeSuite(t, text)
	f := newFleet(t, file, Options{})
	f.work(WorkerOptions{Slots: slots})
	r, err := through(t.Context(), f.suite, f.Coordinator, filepath.Join(t.TempDir(), "journal"), false)
	if err != nil {
		t.Fatal(err)
	}
	if r.StoppedBy != runs.StoppedByBudget || r.Spent.CostUSD > limit+slots*price+1e-9 || r.Spent.CostUSD < limit/2 {
		t.Errorf("stopped by %s with %v spent", r.StoppedBy, r.Spent.CostUSD)
	}
}

// Attempts begin no faster than the rate that all workers share.
func TestRate(t *testing.T) {
	t.Parallel()
	f := newFleet(t, writeSuite(t, suiteText(8, "")), Options{Rate: 1200, Address: Address{URL: real(t)}})
	var mutex sync.Mutex
	var begun []time.Time
	p := errandFunc(func(context.Context, runner.Errand) runner.Report {
		mutex.Lock()
		defer mutex.Unlock()
		begun = append(begun, time.Now())
		return passed()
	})
	for range 3 {
		f.work(WorkerOptions{Slots: 4, perform: p})
	}
	if got := f.run(); got.Verdict != "pass" {
		t.Errorf("found %+v", got)
	}
	bucket, err := f.js.KeyValue(t.Context(), f.names.rates())
	if err != nil {
		t.Fatal(err)
	}
	entry, err := bucket.Get(t.Context(), rateKey(""))
	if err != nil || int(entry.Revision()) != len(begun) {
		t.Errorf("%d attempts took tokens %d times: %v", len(begun), entry.Revision(), err)
	}
	if err := f.js.DeleteKeyValue(t.Context(), f.names.rates()); err != nil {
		t.Error(err)
	}
}

// A worker that is drained lets what it runs come to its end; one that is ended gives it back.
func TestDrainedWorker(t *testing.T) {
	t.Parallel()
	f := newFleet(t, writeSuite(t, suiteText(6, "")), Options{})
	began, goOn, drain := make(chan struct{}, 10), make(chan struct{}), make(chan struct{})
	f.work(WorkerOptions{Name: "drained", Drain: drain, perform: errandFunc(
		func(context.Context, runner.Errand) runner.Report {
			began <- struct{}{}
			<-goOn
			return passed()
		})})
	done := make(chan runSummary, 1)
	go func() { done <- f.run() }()
	<-began
	close(drain)
	held := make(chan struct{}, 10)
	end := f.work(WorkerOptions{Name: "ended", perform: errandFunc(
		func(ctx context.Context, _ runner.Errand) runner.Report {
			held <- struct{}{}
			<-ctx.Done()
			return passed()
		})})
	for f.Slots() < 1 {
		time.Sleep(5 * time.Millisecond)
	}
	close(goOn)
	<-held
	end()
	f.work(WorkerOptions{Name: "last"})
	if got := <-done; got.Errors != 0 || len(got.Trials) != 6 {
		t.Errorf("found %+v", got)
	}
	s := f.close()
	if s.Relaunched != 1 || s.Late != 0 || len(s.Workers) != 2 || !strings.HasPrefix(s.Workers[0].Worker, "drained") ||
		s.Workers[0].Trials != 1 {
		t.Errorf("summary %+v", s)
	}
}
