//go:build unix

package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/leftovers"
)

// confinedTo returns rules by which a program writes below a folder alone, and reaches nobody.
func confinedTo(t *testing.T, folder string) *confine.Rules {
	t.Helper()
	rules := confine.Rules{Write: []string{folder}, Network: confine.None}
	if lacks := rules.Lacks(); len(lacks) > 0 {
		t.Skip("this machine cannot confine programs: " + confine.Told(lacks))
	}
	return &rules
}

// A program that is confined has its input, its variables and its end, and a folder for temporary files that goes with
// it.
func TestConfinedCommand(t *testing.T) {
	folder := t.TempDir()
	c := Command{
		Argv: []string{"sh", "-c",
			`cat; echo "$SET"; echo x > "$TMPDIR/own" && echo x > own && echo "$TMPDIR $TMP $TEMP"; exit 3`},
		Dir: folder, Environment: Environment{Set: map[string]string{"SET": "yes"}}, Confine: confinedTo(t, folder),
	}
	p := execute(t, c, "input\n")
	lines := strings.Split(strings.TrimSpace(string(p.Stdout)), "\n")
	if p.ExitCode != 3 || len(lines) != 3 || lines[0] != "input" || lines[1] != "yes" {
		t.Fatalf("%+v %q", p, p.Stdout)
	}
	names := strings.Fields(lines[2])
	if len(names) != 3 || names[0] != names[1] || names[0] != names[2] {
		t.Errorf("%q", names)
	}
	if _, err := os.Stat(names[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its temporary files are still there: %v", err)
	}
	if c.Environment.Set["TMPDIR"] != "" || len(c.Confine.Write) != 1 {
		t.Errorf("the command was changed: %+v", c)
	}
	// One that the suite sets stays, and is no more than it is.
	c.Environment.Set["TMPDIR"] = filepath.Join(folder, "mine")
	if p := execute(t, c, ""); !strings.Contains(p.Stderr, "mine/own") {
		t.Errorf("%q %q", p.Stdout, p.Stderr)
	}
}

// What ends a program ends one that is confined, with all that it started.
func TestConfinedCommandEnds(t *testing.T) {
	folder := t.TempDir()
	rules := confinedTo(t, folder)
	file := filepath.Join(folder, "numbers")
	c := Command{
		Argv: []string{"sh", "-c", `sleep 61 & echo $! >> numbers; trap "" TERM; sleep 61 & echo $! >> numbers; wait; wait`},
		Dir:  folder, Timeout: 500 * time.Millisecond, Grace: 10 * time.Millisecond, Confine: rules,
	}
	if p := execute(t, c, ""); !p.TimedOut {
		t.Errorf("%+v", p)
	}
	text, err := os.ReadFile(file)
	if err != nil || len(strings.Fields(string(text))) != 2 {
		t.Fatalf("%q, %v", text, err)
	}
	eventually(t, "children are gone", func() bool { return len(leftovers.Children(os.Getpid())) == 0 })
	ctx, end := context.WithCancel(context.Background())
	end()
	if p, err := c.Run(ctx, nil); err != nil || !p.Cancelled {
		t.Errorf("%+v, %v", p, err)
	}
}

// A program that cannot be confined, or is not there, leaves nothing.
func TestConfinedCommandThatCannotStart(t *testing.T) {
	folder := t.TempDir()
	rules := confinedTo(t, folder)
	t.Setenv("TMPDIR", folder)
	for argv, is := range map[string]error{"no-such-program": fs.ErrNotExist, "./absent": fs.ErrNotExist,
		"/etc/passwd": fs.ErrPermission} {
		c := Command{Argv: []string{argv}, Dir: folder, Confine: rules}
		_, err := c.Run(context.Background(), nil)
		if e, ok := errors.AsType[*StartError](err); !ok || !errors.Is(err, is) && argv != "no-such-program" ||
			!strings.Contains(e.Error(), "check the name") &&
				!strings.Contains(e.Error(), "executable") {
			t.Errorf("%s: %v", argv, err)
		}
		if _, err := c.Open(context.Background()); err == nil {
			t.Errorf("%s is open", argv)
		}
	}
	gone := Command{Argv: []string{"true"}, Confine: &confine.Rules{Write: []string{folder + "/gone"},
		Network: confine.None}}
	_, err := gone.Run(context.Background(), nil)
	if _, ok := errors.AsType[*confine.Error](err); !ok || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
		t.Errorf("left are %q, %v", left, err)
	}
	if children := leftovers.Children(os.Getpid()); len(children) > 0 {
		t.Errorf("children are left: %v", children)
	}
}

// A program that stays up is confined for as long as it does.
func TestConfinedSession(t *testing.T) {
	folder := t.TempDir()
	c := Command{
		Argv: []string{"sh", "-c",
			`while read line; do echo x > "$TMPDIR/$line"; echo x > "../$line" 2> /dev/null || echo "$TMPDIR"; done`},
		Dir: folder, Confine: confinedTo(t, folder),
	}
	s, err := c.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var own string
	for _, line := range []string{"one", "two"} {
		a := s.Ask(context.Background(), []byte(line+"\n"))
		own = strings.TrimSpace(string(a.Stdout))
		if _, err := os.Stat(filepath.Join(own, line)); err != nil || own == "" {
			t.Errorf("%q, %v", a.Stdout, err)
		}
	}
	s.Close()
	if _, err := os.Stat(own); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its temporary files are still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "..", "one")); err == nil {
		t.Error("it wrote elsewhere")
	}
}
