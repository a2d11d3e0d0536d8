//go:build unix

package program

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/built"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/leftovers"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// TestProgramAndItsAgents shows what agents can do to the program that users get, and what they cannot.
func TestProgramAndItsAgents(t *testing.T) {
	t.Parallel()
	program := built.Tribunal(t)
	t.Run("hung up run", func(t *testing.T) { t.Parallel(); hungUpRun(t, program) })
	t.Run("no grace", func(t *testing.T) { t.Parallel(); runWithoutGrace(t, program) })
	t.Run("killed run", func(t *testing.T) { t.Parallel(); killedRun(t, program) })
	t.Run("daemons", func(t *testing.T) { daemonsOfAgents(t, program) })
	t.Run("cgroups", func(t *testing.T) { cgroupsOfAgents(t, program) })
	t.Run("sealed", func(t *testing.T) { t.Parallel(); sealedFromAgents(t, program) })
	t.Run("keys above", func(t *testing.T) { t.Parallel(); keysAbove(t, program) })
}

// agentSuite writes a suite whose agent is a script of the shell, with further keys of the agent, and returns
// its folder. Others may go into the folder.
func agentSuite(t *testing.T, keys, script string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "tribunal-agents")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	suite := `version: 1
name: s
limits: none
concurrency: 2
agent: {command: [sh, agent.sh], output: lines` + keys + `}
test: {threshold: 0.8, delta: 0.4, max_trials: 20}
scenarios: [{name: one}, {name: two}]
`
	for name, text := range map[string]string{"tribunal.yaml": suite, "agent.sh": script} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}

// started starts a run, and waits until as many processes as it has agents wrote their numbers down.
func started(t *testing.T, folder string, agents int, command *exec.Cmd) *bytes.Buffer {
	t.Helper()
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); len(numbers(folder)) < agents; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = command.Process.Kill()
			_ = command.Wait()
			t.Fatalf("its agents do not begin: %q, %s", numbers(folder), stderr.String())
		}
	}
	return &stderr
}

// numbers are the processes that wrote their numbers into the file pids of a folder.
func numbers(folder string) []string {
	text, _ := os.ReadFile(filepath.Join(folder, "pids"))
	return strings.Fields(string(text))
}

// allGone demands that all of these processes are gone.
func allGone(t *testing.T, folder string) {
	t.Helper()
	for _, field := range numbers(folder) {
		if pid, err := strconv.Atoi(field); err != nil || !leftovers.Gone(pid) {
			t.Errorf("process %s is still there", field)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// lost demands a whole journal, all of whose attempts were running when it ended.
func lost(t *testing.T, folder string) {
	t.Helper()
	h, err := journal.Read(filepath.Join(folder, ".tribunal", "s.journal.jsonl"))
	if err != nil || len(h.Trials) != 2 || h.Ended() != 0 || h.Lost() != 2 {
		t.Errorf("the journal: %+v, %v", h, err)
	}
}

// Two workers of an agent that heed no signal, and take for ever.
const stubbornAgent = `trap '' TERM INT HUP
(echo $(exec sh -c 'echo $PPID') >> pids; sleep 60) &
echo $$ >> pids
sleep 60
`

// hungUpRun closes the terminal of a run: its agents end with all their children, and the journal is whole. A
// second SIGHUP, which a shell sends as well, does not cut that short.
func hungUpRun(t *testing.T, program string) {
	folder := agentSuite(t, ", grace: 300ms", stubbornAgent)
	command := exec.Command(program, "run", folder)
	stderr := started(t, folder, 4, command)
	for range 2 {
		if err := command.Process.Signal(syscall.SIGHUP); err != nil {
			t.Error(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if code := codeOf(command.Wait()); code != exit.HungUp ||
		!strings.Contains(stderr.String(), "note: continue with: tribunal run ") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	allGone(t, folder)
	lost(t, folder)

	// Who asks for it goes on without a terminal.
	folder = agentSuite(t, "", "echo $$ >> pids; until [ -e release ]; do sleep 0.02; done; echo pass\n")
	command = exec.Command("nohup", program, "run", folder)
	command.Stdout = &bytes.Buffer{}
	stderr = started(t, folder, 2, command)
	if err := command.Process.Signal(syscall.SIGHUP); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "release"), nil, 0o600); err != nil {
		t.Error(err)
	}
	if code := codeOf(command.Wait()); code != exit.Pass {
		t.Errorf("with nohup: exit code %d, %s", code, stderr.String())
	}
}

// runWithoutGrace interrupts a run that gives running trials no time: its agents are killed, and not asked to end,
// although the suite gives them time for that.
func runWithoutGrace(t *testing.T, program string) {
	folder := agentSuite(t, ", grace: 30s", `trap 'echo asked >> asked' TERM
echo $$ >> pids
(echo $(exec sh -c 'echo $PPID') >> pids; sleep 60) &
while :; do sleep 0.05; done
`)
	command := exec.Command(program, "run", folder, "--grace", "0s")
	stderr := started(t, folder, 4, command)
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if code := codeOf(command.Wait()); code != exit.Interrupted {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	if _, err := os.Stat(filepath.Join(folder, "asked")); err == nil {
		t.Error("an agent was asked to end")
	}
	allGone(t, folder)
	lost(t, folder)
}

// killedRun kills a run, and continues it, or anew: what is left of its agents does not run beside the new
// ones.
func killedRun(t *testing.T, program string) {
	if runtime.GOOS != "linux" {
		t.Skip("the environment of other processes cannot be read here")
	}
	for _, flag := range []string{"--resume", "--fresh"} {
		folder := ""
		// Where there are cgroups, another tribunal that starts just now, such as one of another test, ends what
		// is left.
		for left, tries := 0, 0; left < 2; tries++ {
			if tries == 5 {
				t.Fatalf("%d processes are left: nothing is shown", left)
			}
			folder = agentSuite(t, "", "[ -e release ] && { echo pass; exit; }\n"+stubbornAgent)
			command := exec.Command(program, "run", folder)
			started(t, folder, 4, command)
			_ = command.Process.Kill()
			_ = command.Wait()
			left = 0
			for _, field := range numbers(folder) {
				if pid, _ := strconv.Atoi(field); !leftovers.Gone(pid) {
					left++
				}
			}
		}
		if err := os.WriteFile(filepath.Join(folder, "release"), nil, 0o600); err != nil {
			t.Error(err)
		}
		if output, err := exec.Command(program, "run", folder, flag).CombinedOutput(); codeOf(err) > exit.Inconclusive {
			t.Errorf("%s: %v, %s", flag, err, output)
		}
		allGone(t, folder)
	}
}

// daemonsOfAgents runs an agent, and a judge, that leave daemons behind.
func daemonsOfAgents(t *testing.T, program string) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux gives orphans to a process that asks for them")
	}
	const daemons = `(setsid sh -c '(echo $$ >> pids; : > "$0"; exec sleep 60) &' up.$$.1 >/dev/null 2>&1 &)
env -i PATH="$PATH" setsid sh -c 'echo $$ >> pids; : > "$0"; exec sleep 60' up.$$.2 >/dev/null 2>&1 &
until [ -e up.$$.1 ] && [ -e up.$$.2 ]; do sleep 0.01; done
`
	folder := agentSuite(t, "", daemons+"echo pass\n")
	file := filepath.Join(folder, "tribunal.yaml")
	suite, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	suite = bytes.ReplaceAll(suite, []byte("{name: two}"), []byte("{name: two, evaluate: [{command: [sh, agent.sh]}]}"))
	if err := os.WriteFile(file, suite, 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(program, "run", folder).CombinedOutput(); err != nil {
		t.Errorf("%v, %s", err, output)
	}
	if n := len(numbers(folder)); n < 10 {
		t.Errorf("%d daemons: nothing is shown", n)
	}
	allGone(t, folder)
}

// cgroupsOfAgents runs an agent whose daemon would be taken for somebody else's: it has lost its environment, and the
// runner has a child from before it was started.
func cgroupsOfAgents(t *testing.T, program string) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has cgroups")
	}
	folder := agentSuite(t, "", `env -i PATH="$PATH" setsid sh -c 'echo $$ >> pids; : > "$0"; exec sleep 60' up.$$ >/dev/null 2>&1 &
until [ -e up.$$ ]; do sleep 0.01; done
echo pass
`)
	command := exec.Command("sh", "-c", `sleep 60 >/dev/null 2>&1 & echo $! > elder; exec "$@"`, "sh",
		program, "run", folder, "-v")
	command.Dir = folder
	output, err := command.CombinedOutput()
	elder, _ := os.ReadFile(filepath.Join(folder, "elder"))
	if pid, err := strconv.Atoi(strings.TrimSpace(string(elder))); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Errorf("%v, %s", err, output)
	}
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, "without a cgroup of its own") || strings.Contains(line, "without cgroups of their own") {
			for _, field := range numbers(folder) {
				if pid, err := strconv.Atoi(field); err == nil {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			t.Skip(strings.TrimSpace(line))
		}
	}
	_, rest, found := strings.Cut(string(output), "programs ran in cgroups of their own, in ")
	if parent, _, _ := strings.Cut(rest, "\n"); !found || parent == "" {
		t.Errorf("nothing is said of cgroups: %s", output)
	} else if _, err := os.Stat(parent); err == nil {
		t.Errorf("%s is left", parent)
	}
	if n := len(numbers(folder)); n < 4 {
		t.Errorf("%d daemons: nothing is shown", n)
	}
	allGone(t, folder)
}

// sealedFromAgents has an agent look for what it is not given: in the environment and the memory of the
// runner. A user's agent gets at neither. Root's reads memory, unless it has no right to trace others, but
// finds no environment.
func sealedFromAgents(t *testing.T, program string) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	const nobody = 65534
	users := []int{os.Getuid()}
	if os.Getuid() == 0 {
		users = append(users, nobody)
		program = forAll(t, program)
	}
	for _, user := range users {
		folder := agentSuite(t, "", `{ echo "own: $(cat /proc/self/environ | tr '\0' '\n')"
echo "runner: $(tr '\0' '\n' < /proc/$PPID/environ)"
[ -r /proc/$PPID/mem ] && echo memory; } >> seen 2>&1; echo pass
`)
		command := exec.Command(program, "run", folder, "--only", "one")
		command.Env = append(os.Environ(), "SEALED_SECRET=t0p-s3cret", "HOME="+folder)
		if user != os.Getuid() {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
		}
		output, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("user %d: %v, %s", user, err, output)
		}
		seen, err := os.ReadFile(filepath.Join(folder, "seen"))
		if err != nil {
			t.Fatal(err)
		}
		if text := string(seen); strings.Contains(text, "t0p-s3cret") || !strings.Contains(text, "HOME="+folder) {
			t.Errorf("user %d: %s", user, text)
		}
		if user != 0 && strings.Contains(string(seen), "memory\n") {
			t.Errorf("user %d can read the memory of the runner", user)
		}
	}
}

// keysAbove has a shell start the program with a key in its environment, which the agent could read there.
func keysAbove(t *testing.T, program string) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	const key = "THE_KEY=sk-a-key-of-a-provider"
	folder := agentSuite(t, "}\nwire: {key_env: {openai: THE_KEY}", "echo pass\n")
	for name, command := range map[string]string{
		"wire": "wire --key-env openai=THE_KEY -- true", "check": "check " + folder,
	} {
		direct := exec.Command(program, strings.Fields(command)...)
		direct.Env = append(os.Environ(), key, "HOME="+folder)
		output, _ := direct.CombinedOutput() // which says that nothing was asked
		if strings.Contains(string(output), "can read the key") {
			t.Errorf("%s: where no program above has the key: %s", name, output)
		}
		below := exec.Command("sh", "-c", program+" "+command+"; true")
		below.Env = direct.Env
		output, _ = below.CombinedOutput()
		if !strings.Contains(string(output), "warning: the agent can read the key THE_KEY in the environment of sh") {
			t.Errorf("%s: %s", name, output)
		}
	}
}

// forAll copies a program to where every user may start it.
func forAll(t *testing.T, program string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "tribunal-program")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(folder, filepath.Base(program))
	if err := errors.Join(os.WriteFile(copied, text, 0o755), os.Chmod(folder, 0o755)); err != nil {
		t.Fatal(err)
	}
	return copied
}
