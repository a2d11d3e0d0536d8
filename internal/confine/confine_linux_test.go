package confine

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// needs skips a test where the machine cannot hold the rules.
func (r Rules) needs(t *testing.T) {
	t.Helper()
	if lacks := r.Lacks(); len(lacks) > 0 {
		t.Skip("this machine cannot confine programs: " + Told(lacks))
	}
}

// run runs a program that is held to the rules, in a folder, and returns what it printed.
func (r Rules) run(t *testing.T, folder string, argv ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = folder
	var printed strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &printed
	cmd.Env = append(os.Environ(), roleVariable+"=misbehave", "GORACE=atexit_sleep_ms=0", "GOCOVERDIR="+folder)
	held, err := r.Hold(cmd)
	if err != nil {
		return "", err
	}
	defer held.Close()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	if err := held.Begun(context.Background()); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return printed.String(), err
	}
	err = cmd.Wait()
	return printed.String(), err
}

// deeds has the test binary do deeds, and returns which could be done, and what is said of the others.
func (r Rules) deeds(t *testing.T, folder string, deeds ...string) (done []string, all string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all, err = r.run(t, folder, append([]string{self}, deeds...)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, all)
	}
	for line := range strings.Lines(all) {
		if kind, ok := strings.CutSuffix(line, " done\n"); ok {
			done = append(done, kind)
		}
	}
	return done, all
}

// world is a tree that may be written to, and what is outside of it.
type world struct{ root, tree, outside, victim, folder string }

func newWorld(t *testing.T) world {
	t.Helper()
	root := t.TempDir()
	w := world{root, filepath.Join(root, "tree"), filepath.Join(root, "outside"), filepath.Join(root, "victim"),
		filepath.Join(root, "folder")}
	for _, folder := range []string{w.tree, filepath.Join(w.tree, "sub"), w.folder} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{w.victim, filepath.Join(w.tree, "own"), filepath.Join(w.folder, "inner")} {
		if err := os.WriteFile(file, []byte("untouched"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A link that is there before, as one may be in a repository.
	if err := os.Symlink(w.outside, filepath.Join(w.tree, "exit")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(w.root, filepath.Join(w.tree, "above")); err != nil {
		t.Fatal(err)
	}
	return w
}

// unchanged says what is other outside of the tree than it was.
func (w world) unchanged(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(w.root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"folder", "tree", "victim"}) {
		t.Errorf("outside of the tree there is %q", names)
	}
	for _, file := range []string{w.victim, filepath.Join(w.folder, "inner")} {
		if text, err := os.ReadFile(file); err != nil || string(text) != "untouched" {
			t.Errorf("%s has %q, %v", file, text, err)
		}
	}
}

// Every way out of the tree, tried by a program, and by what shells and Python have for it.
func TestConfinedWrites(t *testing.T) {
	for _, network := range []Network{Host, None} {
		t.Run(string(network), func(t *testing.T) {
			w := newWorld(t)
			rules := Rules{Write: []string{w.tree}, Network: network}
			rules.needs(t)
			in := func(name string) string { return filepath.Join(w.tree, name) }
			if network == None { // where there is a namespace for that
				done, all := rules.deeds(t, w.tree, "chmod:"+w.victim, "chown:"+w.victim, "touch:"+w.victim, "label:"+w.victim,
					"chmod:"+w.folder, "remount:/", "unmount:"+w.tree)
				if len(done) > 0 {
					t.Errorf("it could %q\n%s", done, all)
				}
				if info, err := os.Stat(w.victim); err != nil || info.Mode() != 0o644 || time.Since(info.ModTime()) > time.Hour {
					t.Errorf("the file is another: %v, %v", info, err)
				}
			}
			done, all := rules.deeds(t, w.tree,
				"write:"+w.outside, "up:"+w.outside, "write:"+in("exit"), "write:"+in("../outside"), "write:"+in("above/outside"),
				"through:"+w.outside+","+in("made"), "append:"+w.victim, "truncate:"+w.victim, "remove:"+w.victim,
				"mkdir:"+w.outside, "symlink:"+w.outside, "fifo:"+w.outside, "rename:"+in("own")+","+w.outside,
				"rename:"+w.victim+","+in("taken"), "link:"+in("own")+","+w.outside, "link:"+w.victim+","+in("taken"),
				"append:"+in("taken"), "rename:"+w.folder+","+in("folder"), "handle:"+w.victim, "mount:"+in("sub"),
				"device:"+in("disk"), "write:/proc/self/root"+w.outside, "signal:",
			)
			if len(done) > 0 {
				t.Errorf("it could %q\n%s", done, all)
			}
			w.unchanged(t)

			allowed := []string{"write:" + in("new"), "append:" + in("own"), "mkdir:" + in("more"), "rename:" + in("new") + "," +
				in("sub/new"),
				"link:" + in("own") + "," + in("sub/own"), "symlink:" + in("sub/s"), "fifo:" + in("fifo"), "truncate:" + in("own"),
				"chmod:" + in("own"),
				"chown:" + in("own"), "touch:" + in("own"),
				"remove:" + in("own"), "write:/dev/null", "write:/proc/self/fd/1", "read:" + w.victim, "read:/proc/self/status",
				"pair:", "local:"}
			done, all = rules.deeds(t, w.tree, allowed...)
			if len(done) != len(allowed) {
				t.Errorf("in its tree it could %q alone\n%s", done, all)
			}
			w.unchanged(t)
		})
	}
}

// What the program tries can be done where nothing confines it: else the test above shows nothing.
func TestUnconfinedWrites(t *testing.T) {
	free := Rules{WritesAnywhere: true, Network: Host}
	for _, deed := range []string{
		"write:OUT", "up:OUT", "write:TREE/exit", "write:TREE/../outside", "write:TREE/above/outside",
		"through:OUT,TREE/made", "append:VICTIM",
		"truncate:VICTIM", "remove:VICTIM", "mkdir:OUT", "symlink:OUT", "fifo:OUT", "rename:TREE/own,OUT",
		"rename:VICTIM,TREE/taken",
		"link:TREE/own,OUT", "rename:FOLDER,TREE/folder", "chmod:VICTIM", "chown:VICTIM", "touch:VICTIM",
		"write:/proc/self/rootOUT", "signal:",
	} {
		w := newWorld(t)
		deed = strings.NewReplacer("OUT", w.outside, "TREE", w.tree, "VICTIM", w.victim, "FOLDER", w.folder).Replace(deed)
		if done, all := free.deeds(t, w.tree, deed); len(done) != 1 {
			t.Errorf("%s: %s", deed, all)
		}
	}
}

func TestConfinedShellAndPython(t *testing.T) {
	w := newWorld(t)
	rules := Rules{Write: []string{w.tree}}
	rules.needs(t)
	listener, connected := listen(t)
	for program, script := range map[string]string{
		"sh": `
			echo x > "$1/outside"; echo x > ../outside; echo x > exit; ln -s "$1/outside" l; echo x > l; ln "$1/victim" h; echo x > h
			mv own "$1/outside"; cp own "$1/outside"; rm -f "$1/victim"; mkdir "$1/outside"; (cd .. && : > outside); echo x >> "$1/victim"
			echo fine > fine; echo fine > /dev/null; (echo fine > /dev/stdout)`,
		"python3": `
import os, shutil, socket, sys, subprocess
root, address = sys.argv[1], sys.argv[2]
def attempt(f):
    try: f()
    except OSError as e: pass
    else: print("could", f.__code__.co_consts)
attempt(lambda: open(root + "/outside", "w"))
attempt(lambda: open(root + "/victim", "r+"))
attempt(lambda: os.truncate(root + "/victim", 1))
attempt(lambda: os.rename("own", "../outside"))
attempt(lambda: os.link(root + "/victim", "python-hard"))
attempt(lambda: shutil.rmtree(root + "/folder"))
attempt(lambda: socket.create_connection(("127.0.0.1", int(address)), 3))
attempt(lambda: socket.create_connection(("192.0.2.1", 80), 3))
attempt(lambda: socket.getaddrinfo("example.com", 80))
attempt(lambda: socket.socket(socket.AF_UNIX))
subprocess.run(["sh", "-c", "echo x > ../outside"], stderr=subprocess.DEVNULL)
socket.socketpair()
open("fine-too", "w").write("fine")
print("end")`,
	} {
		t.Run(program, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				t.Skip("there is no " + program)
			}
			_, port, _ := net.SplitHostPort(listener)
			argv := []string{program, "-c", script, w.root, port}
			if program == "sh" {
				argv = []string{program, "-c", script, "sh", w.root}
			}
			printed, err := rules.run(t, w.tree, argv...)
			if program == "python3" && (err != nil || printed != "end\n") {
				t.Errorf("%v\n%s", err, printed)
			}
			w.unchanged(t)
			file := filepath.Join(w.tree, map[string]string{"sh": "fine", "python3": "fine-too"}[program])
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%v\n%s", err, printed)
			}
		})
	}
	if n := connected.Load(); n > 0 {
		t.Errorf("%d connections came", n)
	}
}

// listen counts who connects to an address of this machine.
func listen(t *testing.T) (address string, connected *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	connected = &atomic.Int64{}
	go answer(l, "the machine", connected)
	return l.Addr().String(), connected
}

// answer tells everybody who it is.
func answer(l net.Listener, says string, connected *atomic.Int64) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		connected.Add(1)
		_, _ = c.Write([]byte(says))
		c.Close()
	}
}

// A program on the wire reaches that, at the very port that is another's outside, and nobody else.
func TestConfinedNetwork(t *testing.T) {
	folder := t.TempDir()
	listener, connected := listen(t)
	_, port, _ := net.SplitHostPort(listener)
	n, err := net.LookupPort("tcp", port)
	if err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("/tmp", "u") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	daemon := filepath.Join(short, "daemon")
	reached := &atomic.Int64{}
	for _, path := range []string{daemon, "@" + daemon} {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go answer(l, "the daemon", reached)
	}
	mailbox, err := net.ListenPacket("unixgram", daemon+".box")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mailbox.Close() })

	wire := &atomic.Int64{}
	rules := Rules{
		Write: []string{folder}, Network: Wire, Port: n,
		Serve: func(l net.Listener) { go answer(l, "the wire", wire) },
	}
	rules.needs(t)
	others := []string{"connect:192.0.2.1:80", "connect:[::1]:" + port, "send:192.0.2.1:53", "unix:" + daemon,
		"abstract:" + daemon,
		"datagram:" + daemon + ".box", "vsock:", "ring:", "signal:"}
	done, all := rules.deeds(t, folder, append(others, "ask:"+listener, "ask:"+listener, "local:", "pair:")...)
	if !slices.Equal(done, []string{"ask", "ask", "local", "pair"}) {
		t.Errorf("it could %q\n%s", done, all)
	}
	if wire.Load() != 2 {
		t.Errorf("the wire was asked %d times", wire.Load())
	}
	rules.Network = None
	if done, all := rules.deeds(t, folder, append(others, "ask:"+listener, "connect:"+listener)...); len(done) > 0 {
		t.Errorf("without a network it could %q\n%s", done, all)
	}
	if connected.Load()+reached.Load() > 0 {
		t.Errorf("this machine was reached %d times, its daemons %d times", connected.Load(), reached.Load())
	}
	rules.Network = Host
	if done, all := rules.deeds(t, folder, "connect:"+listener, "unix:"+daemon); len(done) != 2 {
		t.Errorf("with the network of the machine it could %q\n%s", done, all)
	}
}

// What cannot be confined never begins, and says why; a program that is not there is told as such.
func TestConfinedNever(t *testing.T) {
	folder := t.TempDir()
	proof := filepath.Join(folder, "proof")
	rules := Rules{Write: []string{folder}}
	rules.needs(t)
	missing := Rules{Write: []string{filepath.Join(folder, "missing")}}
	_, err := missing.run(t, folder, "sh", "-c", "echo x > "+proof)
	if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, fs.ErrNotExist) || e.Step != "files elsewhere" {
		t.Errorf("a folder that is not there: %v", err)
	}
	taken := Rules{Write: []string{folder}, Network: Wire, Port: 1 << 20, Serve: func(net.Listener) {}}
	if _, err := taken.run(t, folder, "sh", "-c", "echo x > "+proof); err == nil {
		t.Error("a port that there is not")
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("it began")
	}
	for path, want := range map[string]error{filepath.Join(folder, "absent"): fs.ErrNotExist,
		"/etc/passwd": fs.ErrPermission} {
		_, err := rules.run(t, folder, path)
		if _, confinement := errors.AsType[*Error](err); !errors.Is(err, want) || confinement {
			t.Errorf("%s: %v", path, err)
		}
	}
	// Killed before it is confined, it never began: a helper that cannot even read its order ends without a word.
	cmd := exec.Command("true")
	held, err := rules.Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cmd.Args[1] = "{"
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := held.Begun(context.Background()); err == nil || !strings.Contains(err.Error(), "ended before") {
		t.Errorf("one that ended: %v", err)
	}
	_ = cmd.Wait()
}

// The end of a context ends the waiting.
func TestConfinedUntilTheContextEnds(t *testing.T) {
	rules := Rules{Network: Host}
	rules.needs(t)
	cmd := exec.Command("true")
	held, err := rules.Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cmd.Path, cmd.Args = "/bin/sleep", []string{"sleep", "60"} // which says nothing
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	end()
	if err := held.Begun(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// The errors of the other side are the same here.
func TestSaid(t *testing.T) {
	for _, err := range []error{
		syscall.EPERM, &os.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT}, errors.New("plain"),
	} {
		s := wordOf(failed, "a step", err)
		if got := s.error(); got.Error() != err.Error() || errors.Is(err, fs.ErrNotExist) != errors.Is(got, fs.ErrNotExist) {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestRulesWithout(t *testing.T) {
	all := Rules{Write: []string{"/x"}, Network: Wire}
	if r := all.Without([]Lack{{Writes, "a"}}); !r.WritesAnywhere || r.Network != Wire || r.empty() {
		t.Errorf("%+v", r)
	}
	r := all.Without([]Lack{{Writes, "a"}, {Sockets, "b"}})
	if held, err := r.Hold(exec.Command("true")); held != nil || err != nil {
		t.Errorf("%+v is held: %v", r, err)
	}
	if told := Told([]Lack{{Writes, "a"}, {Sockets, "b"}}); told != "writes: a; network: b" {
		t.Error(told)
	}
}
