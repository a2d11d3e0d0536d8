//go:build unix

package fleet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// household is a run with all its processes.
type household struct {
	t        testing.TB
	dir      string
	stderr   *os.File
	starts   map[string]func() *exec.Cmd
	running  map[string]*exec.Cmd
	finished chan error // of the coordinator that was started last
}

// newHousehold starts a run: embedded says that the coordinator has the server in itself.
func newHousehold(t testing.TB, suiteFile string, embedded bool, lease time.Duration) *household {
	t.Helper()
	dir := t.TempDir()
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	h := &household{
		t: t, dir: dir, stderr: stderr, starts: map[string]func() *exec.Cmd{}, running: map[string]*exec.Cmd{},
	}
	port, prefix := freePort(t), "k"+random()
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	address := url
	if embedded {
		address = fmt.Sprintf("127.0.0.1:%d", port)
	} else {
		h.starts["broker"] = func() *exec.Cmd {
			return start(t, "broker", stderr, fmt.Sprint(port), filepath.Join(dir, "broker"))
		}
	}
	for i := range 3 {
		h.starts[fmt.Sprint("worker ", i)] = func() *exec.Cmd { return start(t, "worker", stderr, url, "2", prefix) }
	}
	h.starts["coordinator"] = func() *exec.Cmd {
		c := start(t, "coordinator", stderr, suiteFile, h.journal(), h.result(), address, prefix, lease.String())
		h.finished = make(chan error, 1)
		go func(finished chan<- error) { finished <- c.Wait() }(h.finished)
		return c
	}
	for name := range h.starts {
		h.running[name] = h.starts[name]()
	}
	t.Cleanup(func() {
		for name, c := range h.running {
			_ = c.Process.Kill()
			if name != "coordinator" {
				_ = c.Wait()
			}
		}
		if t.Failed() {
			text, _ := os.ReadFile(stderr.Name())
			t.Logf("standard errors:\n%s", text[max(0, len(text)-8000):])
		}
		stderr.Close()
	})
	return h
}

func (h *household) journal() string { return filepath.Join(h.dir, "run.journal") }
func (h *household) result() string  { return filepath.Join(h.dir, "result.json") }

// kill kills a process, and starts it again.
func (h *household) kill(name string) {
	c := h.running[name]
	_ = c.Process.Kill()
	if name == "coordinator" {
		<-h.finished
	} else {
		_ = c.Wait()
	}
	h.running[name] = h.starts[name]()
}

// ended waits for the end of the run for a while, and reports whether it has come.
func (h *household) ended(patience time.Duration) bool {
	h.t.Helper()
	select {
	case err := <-h.finished:
		if err != nil {
			h.t.Fatalf("the coordinator ended with %v", err)
		}
		return true
	case <-time.After(patience):
		return false
	}
}

// found reads the result, and sees to it that each trial ended once.
func (h *household) found() (f runSummary) {
	h.t.Helper()
	text, err := os.ReadFile(h.result())
	if err != nil {
		h.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		h.t.Fatal(err)
	}
	if _, err := journal.Read(h.journal()); err != nil { // which refuses a trial that ends twice
		h.t.Fatal(err)
	}
	lines, err := os.ReadFile(h.journal())
	if err != nil {
		h.t.Fatal(err)
	}
	if ends := strings.Count(string(lines), `"finished":{"`); ends != len(f.Trials) {
		h.t.Errorf("the journal has the ends of %d attempts, of %d trials", ends, len(f.Trials))
	}
	return f
}

func TestNoKillChangesWhatIsFound(t *testing.T) {
	t.Parallel()
	kills, trials := 6, 60
	if thorough.Asked() {
		kills, trials = 200, 240
	}
	log := filepath.Join(t.TempDir(), "log")
	local := runLocally(t, writeSuite(t, suiteText(trials, ", FLEET_TAKES: 0ms")))
	file := writeSuite(t, suiteText(trials, ", FLEET_TAKES: 60ms, FLEET_LOG: "+log))
	draw := rand.New(rand.NewPCG(4, uint64(kills)))
	victims, runs := map[string]int{}, 0
	for killed := 0; killed < kills; runs++ {
		embedded := runs%2 == 1
		lease := 2 * time.Second
		h := newHousehold(t, file, embedded, lease)
		victim := func() string { // each kind as often; in the quick form one after the other
			kinds := []string{"coordinator", "worker", "broker"}
			if embedded {
				kinds = kinds[:2]
			}
			kind := kinds[killed%len(kinds)]
			if thorough.Asked() {
				kind = kinds[draw.IntN(len(kinds))]
			}
			if kind == "worker" {
				kind = fmt.Sprint("worker ", draw.IntN(3))
			}
			return kind
		}
		last := killed + kills/2
		if thorough.Asked() {
			last = killed + 10
		}
		for !h.ended(time.Duration(50+draw.IntN(700)) * time.Millisecond) {
			if killed < kills && killed < last {
				name := victim()
				h.kill(name)
				victims[strings.Fields(name)[0]]++
				killed++
			}
		}
		same(t, h.found(), local)
		if t.Failed() {
			t.Fatalf("after %d kills, embedded: %v", killed, embedded)
		}
	}
	begun, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v were killed in %d runs of %d trials each; agents began %d times", victims, runs, len(local.Trials),
		strings.Count(string(begun), "\n"))
}
