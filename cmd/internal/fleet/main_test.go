package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/tribunal-dev/tribunal/internal/beside"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// role is the variable that makes this program something else than its tests.
const role = "TRIBUNAL_FLEET_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "agent":
		os.Exit(agent())
	case "coordinator":
		os.Exit(coordinate(os.Args[1:]))
	case "worker":
		os.Exit(serve(os.Args[1:]))
	case "broker":
		os.Exit(broker(os.Args[1:]))
	}
	beside.Tests(8)
	os.Exit(m.Run())
}

// agent tosses a coin that its seed decides, and takes a while.
func agent() int {
	var asked struct {
		Scenario, Variant string
		Trial             int
		Seed              uint64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return complain(err)
	}
	if log := os.Getenv("FLEET_LOG"); log != "" {
		file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return complain(err)
		}
		fmt.Fprintf(file, "%s#%d\n", asked.Scenario, asked.Trial)
		file.Close()
	}
	took, _ := time.ParseDuration(os.Getenv("FLEET_TAKES"))
	time.Sleep(took)
	outcome := "pass"
	if rand.New(rand.NewPCG(asked.Seed, 3)).Float64() > .9 {
		outcome = "fail"
	}
	if file := os.Getenv("FLEET_READS"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return complain(err)
		}
		fmt.Fprintf(os.Stderr, "%s", text)
	}
	fmt.Printf(`{"outcome":%q,"output":"%s%d %s","cost_usd":0.01,"turns":1}`, outcome,
		strings.Repeat("x ", atoi(os.Getenv("FLEET_PRINTS"))),
		asked.Seed%1000, os.Getenv("FLEET_SECRET"))
	return 0
}

func atoi(text string) (n int) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// testToken is that of all tests.
const testToken Token = "a token of the tests alone"

// suiteText is a suite of the agent above.
func suiteText(trials int, more string) string {
	own, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`version: 1
name: fleet
seed: 7
concurrency: 4
agent:
  command: [%q]
  output: trial
  timeout: 60s
  env: {%s: agent%s}
test: {threshold: 0.7}
limits: {max_turns: 9, max_cost_usd: 1}
scenarios:
  - {name: coin, trials: %d}
`, own, role, more, trials)
}

// writeSuite writes a suite into a folder of its own.
func writeSuite(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tribunal.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runSummary is what came of a run: what is compared with another.
type runSummary struct {
	Verdict string
	Trials  []string
	Lost    int
	Errors  int
}

// judged is what came of a run.
func judged(s *suite.Suite, r *runner.Result) (f runSummary, err error) {
	evidence := r.Evidence(s.Name, s.Digest(), "test")
	runner.Describe(&evidence, s, s.Scenarios)
	result, err := runs.Judge(context.Background(), evidence)
	if err != nil {
		return f, err
	}
	f.Verdict, f.Lost = result.Verdict.String(), r.Lost
	for _, t := range r.Trials {
		line := fmt.Sprintf("%s#%d seed %d ", t.Scenario, t.Number, t.Seed)
		if t.Trial != nil {
			line += t.Trial.Outcome.String() + " " + t.Trial.Output.Text()
			if t.Trial.Outcome == trial.Error {
				f.Errors++
				line += t.Trial.Error.Message
			}
		}
		f.Trials = append(f.Trials, line)
	}
	return f, nil
}

// runLocally runs a suite on this machine alone.
func runLocally(t testing.TB, file string) runSummary {
	t.Helper()
	s, err := suite.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := runner.Prepare(t.Context(), s, s.Scenarios, runner.PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o.Journal = filepath.Join(t.TempDir(), "local.journal")
	r, err := runner.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	f, err := judged(s, r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// lateAgent is an agent that is known later.
type lateAgent struct{ runner.Agent }

// prepared are the options of a run by a fleet.
func prepared(ctx context.Context, s *suite.Suite) (runner.Options, *lateAgent, error) {
	elsewhere := &lateAgent{}
	o, err := runner.Prepare(ctx, s, s.Scenarios, runner.PrepareOptions{Elsewhere: elsewhere})
	return o, elsewhere, err
}

// through runs a suite by a coordinator.
func through(ctx context.Context, s *suite.Suite, c *Coordinator, journal string, resume bool) (*runner.Result, error) {
	o, elsewhere, err := prepared(ctx, s)
	if err != nil {
		return nil, err
	}
	elsewhere.Agent = c
	o.Pool, o.Recovers, o.Concurrency = c, true, 0
	o.Journal, o.Resume = journal, resume
	return runner.Run(ctx, o)
}

// coordinate is a coordinator as a process: SUITE JOURNAL RESULT ADDRESS PREFIX LEASE.
func coordinate(arguments []string) int {
	s, err := suite.Load(arguments[0])
	if err != nil {
		return complain(err)
	}
	address, err := ParseAddress(arguments[3])
	if err != nil {
		return complain(err)
	}
	lease, err := time.ParseDuration(arguments[5])
	if err != nil {
		return complain(err)
	}
	journal := arguments[1]
	_, err = os.Stat(journal)
	resume := err == nil
	var c *Coordinator
	for try := 0; ; try++ {
		c, err = Open(context.Background(), Options{
			Address: address, Token: testToken, Suite: s, Lease: lease, RunFile: journal + ".fleet", Resume: resume,
			Prefix: arguments[4], Notice: func(kind, text string) { fmt.Fprintln(os.Stderr, kind, text) },
		})
		if err == nil {
			break
		}
		if try == 100 {
			return complain(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	r, err := through(context.Background(), s, c, journal, resume)
	if err != nil {
		return complain(err)
	}
	f, err := judged(s, r)
	if err != nil {
		return complain(err)
	}
	text, err := json.Marshal(f)
	if err != nil {
		return complain(err)
	}
	if err := os.WriteFile(arguments[2]+".new", text, 0o600); err != nil {
		return complain(err)
	}
	summary, err := c.Close(true)
	if err != nil {
		fmt.Fprintln(os.Stderr, "closing:", err)
	}
	fmt.Fprintf(os.Stderr, "summary: %+v, relaunched %d, late %d\n", summary, summary.Relaunched, summary.Late)
	if err := os.Rename(arguments[2]+".new", arguments[2]); err != nil {
		return complain(err)
	}
	return 0
}

// serve is a worker as a process: URL SLOTS PREFIX.
func serve(arguments []string) int {
	process.Adopt()
	defer process.Release()
	err := Work(context.Background(), WorkerOptions{
		Address: Address{URL: arguments[0]}, Token: testToken, Slots: atoi(arguments[1]), Prefix: arguments[2],
		Notice: func(kind, text string) { fmt.Fprintln(os.Stderr, kind, text) },
	})
	if err != nil {
		return complain(err)
	}
	return 0
}

// broker is a server of queues as a process: PORT FOLDER.
func broker(arguments []string) int {
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: atoi(arguments[0]), NoSigs: true, NoLog: true, JetStream: true, StoreDir: arguments[1],
		JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: 1 << 20,
	})
	if err != nil {
		return complain(err)
	}
	s.Start()
	s.WaitForShutdown()
	return 0
}

// freePort is one that nothing listens on, for a server that is to have the same again: below those that systems give
// to connections, so that no other test gets it while the server is away.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(12_000)
		if l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// start starts this program in another role.
func start(t testing.TB, as string, stderr *os.File, arguments ...string) *exec.Cmd {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(own, arguments...)
	c.Env = append(os.Environ(), role+"="+as)
	c.Stderr = stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// real is the NATS server that the tests are given; the test is skipped where there is none.
func real(t testing.TB) string {
	t.Helper()
	const address = "nats://127.0.0.1:4222"
	nc, err := nats.Connect(address, nats.Timeout(2*time.Second))
	if err != nil {
		t.Skip("there is no NATS server at " + address)
	}
	nc.Close()
	return address
}
