package program

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/tribunal-dev/tribunal/internal/built"
	"github.com/tribunal-dev/tribunal/internal/exit"
)

// conversation is a program on a terminal of its own.
type conversation struct {
	t       *testing.T
	keys    *os.File // what is typed
	command *exec.Cmd

	mutex sync.Mutex
	said  bytes.Buffer
	read  int           // as far as await has seen it
	ended chan struct{} // nothing more is said
}

// converse starts a program on a pseudo-terminal; see pty(7).
func converse(t *testing.T, command *exec.Cmd) *conversation {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	control := func(request uintptr, value *uint32) {
		t.Helper()
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, keys.Fd(), request, uintptr(unsafe.Pointer(value))); e != 0 {
			t.Fatal(e)
		}
	}
	var number, unlocked uint32
	control(syscall.TIOCSPTLCK, &unlocked)
	control(syscall.TIOCGPTN, &number)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	command.Stdin, command.Stdout, command.Stderr = terminal, terminal, terminal
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	c := &conversation{t: t, keys: keys, command: command, ended: make(chan struct{})}
	go c.listen()
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
		keys.Close()
	})
	return c
}

func (c *conversation) listen() {
	defer close(c.ended)
	buffer := make([]byte, 4096)
	for {
		n, err := c.keys.Read(buffer)
		c.mutex.Lock()
		c.said.Write(buffer[:n])
		c.mutex.Unlock()
		if err != nil { // EIO: nobody has the terminal open any more
			return
		}
	}
}

// text is all that was said.
func (c *conversation) text() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.said.String()
}

// types presses keys.
func (c *conversation) types(keys string) {
	c.t.Helper()
	if _, err := c.keys.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// await returns when something was said that was not before.
func (c *conversation) await(what string) {
	c.t.Helper()
	for over := false; ; {
		text := c.text()
		if i := strings.Index(text[c.read:], what); i >= 0 {
			c.read += i + len(what)
			return
		}
		if over {
			c.t.Fatalf("it never says %q: %q", what, text)
		}
		select {
		case <-c.ended:
			over = true
		case <-c.t.Context().Done():
			over = true
		case <-time.After(time.Millisecond):
		}
	}
}

// echoes reports whether the terminal shows what is typed.
func (c *conversation) echoes() bool {
	var state syscall.Termios
	request := uintptr(syscall.TCGETS)
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, c.keys.Fd(), request, uintptr(unsafe.Pointer(&state))); e != 0 {
		c.t.Fatal(e)
	}
	return state.Lflag&syscall.ECHO != 0
}

// awaitSilent returns when the terminal does not show any more what is typed.
func (c *conversation) awaitSilent() {
	c.t.Helper()
	for c.echoes() {
		select {
		case <-c.ended:
			c.t.Fatalf("it ended: %q", c.text())
		case <-time.After(time.Millisecond):
		}
	}
}

// ExitCode waits for the end of the program.
func (c *conversation) exitCode() int {
	<-c.ended
	c.command.Wait()
	return c.command.ProcessState.ExitCode()
}

// Bash completes scenarios, tags, formats and files, although it has nothing but what we print.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	program, folder := built.Tribunal(t), t.TempDir()
	for name, text := range map[string]string{
		"tribunal.yaml": "version: 1\nname: s\nlimits: none\nagent: {command: [x]}\ntest: {threshold: 0.8}\nscenarios:\n" +
			"  - {name: billing/refund, tags: [billing]}\n  - {name: track}\n  - {name: late parcel, tags: [parcels]}\n" +
			"  - {name: 'time: noon'}\n",
		"page.old": "",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(bash, "--norc", "--noprofile", "-i")
	command.Dir = folder
	command.Env = []string{"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "HOME=" + folder, "TERM=dumb",
		"PS1=> ",
		"INPUTRC=/dev/null", "HISTFILE="}
	c := converse(t, command)
	c.await("> ")
	c.types("source <(tribunal completion bash); echo re''ady\n")
	c.await("ready")
	for _, x := range [][2]string{
		{"tribunal run --only tr\t", "tribunal run --only track"},
		{"tribunal run --only=tr\t", "tribunal run --only=track"},
		{"tribunal run --only la\t", "tribunal run --only late parcel"},
		{"tribunal run --only tim\t", "tribunal run --only time: noon"},
		{"tribunal gate --only bil\t", "tribunal gate --only billing/refund"},
		{"tribunal check --tag par\t", "tribunal check --tag parcels"},
		{"tribunal check --tag=bi\t", "tribunal check --tag=billing"},
		{"tribunal run --report ht\tpa\t", "tribunal run --report html=page.old"},
		{"tribunal run --report=ht\tpa\t", "tribunal run --report=html=page.old"},
		{"tribunal repeat --report jun\tx", "tribunal repeat --report junit=x"},
		{"tribunal check contr\t", "tribunal check contract"},
		{"tribunal verdict --interval=wi\t", "tribunal verdict --interval=wilson"},
		{"tribunal try tr\t", "tribunal try track"},
		{"tribunal try --suite . la\t", "tribunal try --suite . late parcel"},
	} {
		// From the beginning of the line, by ^A, it becomes one that prints itself.
		c.types(x[0] + "\x01echo s''aid: \n")
		c.await("said: ")
		c.await("\n")
		text := c.text()
		line := regexp.MustCompile(`said: ([^\r\n]*)`).FindAllStringSubmatch(text, -1)
		if got := strings.TrimSpace(line[len(line)-1][1]); got != x[1] {
			t.Errorf("%q completes to %q, want %q", x[0], got, x[1])
		}
	}
	c.types("exit\n")
	c.exitCode()
	if text := c.text(); strings.Contains(text, "not found") || strings.Contains(text, "error") {
		t.Errorf("the shell complains: %s", text)
	}
}

// A key may have a password, which is asked for once, and not shown; nothing that was typed is left of it. Who
// interrupts it has a terminal as it was before.
func TestPasswordOfAKey(t *testing.T) {
	program, folder := built.Tribunal(t), t.TempDir()
	for name, text := range map[string]string{
		"tribunal.yaml": "version: 1\nname: s\nlimits: none\nagent: {command: [echo, x]}\ntest: {threshold: 0.8}\n" +
			"scenarios: [{name: one, evaluate: [contains: x]}]\n",
		// Made by minisign 0.11, with the password pw, and closed again by scrypt with the least work that minisign
		// reads; they sign nothing but tests.
		"closed.key": "untrusted comment: minisign encrypted secret " +
			"key\nRWRTY0Iy9NYUXsuDCG5cqCeQeCytkndZj6gYEQLQ3vFbd239L7wAgAAAAAAAAAAAEAAAAAAA04bFJSalB3zJ+hgwZCEz+8EjL/Cv" +
			"+eo5L0289SRaAAXyGduN/wRu/uKHbbQTJuv6BIifo1R5tri9pQOoPiJ55mnnMY0KcbUY6+i9xpKGe6ynM5psWtIGGH+U9PzEL1aFy/6VNZjAMuM=\n",
		"closed.pub": "untrusted comment: minisign public key 4B193EEA5A22404C\n" +
			"RWRMQCJa6j4ZS3aLBNKi3RGNZXBOEIR0bwZb7GDcDtraqwcM4iApGT+c\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	talk := func(arguments string) *conversation {
		t.Helper()
		command := exec.Command(program, strings.Fields(arguments)...)
		command.Dir, command.Env = folder, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TERM=dumb"}
		return converse(t, command)
	}
	const asked = "password of closed.key: "
	for _, x := range []struct {
		arguments, typed string
		code             int
		says             string
	}{
		{"run --sign closed.key", "pw\n", exit.Pass, "PASS"},
		{"verify .tribunal/s.result.json --trusted closed.pub", "", exit.Pass, "signed by a key that is trusted"},
		{"gate --sign closed.key -o gate.json", "pw\n", exit.Pass, "DEPLOY"},
		{"verify gate.json --trusted closed.pub", "", exit.Pass, "signed by a key that is trusted"},
		{"run --sign closed.key", "wrong\n", exit.Input, "cannot be read with this password"},
		{"run --sign closed.key", "\n", exit.Input, "the key has a password, and none is given"},
		{"run --sign closed.key", "secret\x03", exit.Interrupted, "interrupted"},
	} {
		c := talk(x.arguments)
		if x.typed != "" {
			c.await(asked)
			c.awaitSilent()
			c.types(x.typed)
		}
		code, text := c.exitCode(), c.text()
		if code != x.code || !strings.Contains(text, x.says) || strings.Count(text, asked) != min(1, len(x.typed)) {
			t.Errorf("%s: exit code %d: %s", x.arguments, code, text)
		}
		if typed := strings.Trim(x.typed, "\n\x03"); typed != "" && strings.Contains(strings.ReplaceAll(text, folder, ""),
			typed) {
			t.Errorf("%s: the password is shown: %s", x.arguments, text)
		}
		if !c.echoes() {
			t.Errorf("%s: the terminal does not show any more what is typed", x.arguments)
		}
	}
}
