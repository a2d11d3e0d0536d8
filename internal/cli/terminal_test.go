package cli

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// environment is a LookupEnv of a map.
func environment(variables map[string]string) LookupEnv {
	return func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}
}

func terminalOf(width int) func(io.Writer) (int, bool) {
	return func(io.Writer) (int, bool) { return width, true }
}

func noTerminal(io.Writer) (int, bool) { return 0, false }

func TestScreen(t *testing.T) {
	type variables = map[string]string
	utf8 := func(more variables) variables {
		all := variables{"LANG": "en_US.UTF-8", "TERM": "xterm"}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	for _, c := range []struct {
		name     string
		env      variables
		terminal func(io.Writer) (int, bool)
		want     screen
	}{
		{"terminal", utf8(nil), terminalOf(132), screen{width: 132, terminal: true, color: true}},
		{"terminal without a width", utf8(nil), terminalOf(0), screen{width: 80, terminal: true, color: true}},
		{"pipe", utf8(nil), noTerminal, screen{width: 80}},
		{"NO_COLOR", utf8(variables{"NO_COLOR": "1"}), terminalOf(132), screen{width: 132, terminal: true}},
		{"NO_COLOR says 0", utf8(variables{"NO_COLOR": "0"}), terminalOf(132), screen{width: 132, terminal: true}},
		{"NO_COLOR is empty", utf8(variables{"NO_COLOR": ""}), terminalOf(132), screen{width: 132, terminal: true, color: true}},
		{"FORCE_COLOR", utf8(variables{"FORCE_COLOR": "1"}), noTerminal, screen{width: 80, color: true}},
		{"FORCE_COLOR and NO_COLOR", utf8(variables{"FORCE_COLOR": "1", "NO_COLOR": "1"}), noTerminal, screen{width: 80}},
		{"FORCE_COLOR says 0", utf8(variables{"FORCE_COLOR": "0"}), noTerminal, screen{width: 80}},
		{"FORCE_COLOR says false", utf8(variables{"FORCE_COLOR": "False"}), noTerminal, screen{width: 80}},
		{"dumb terminal", utf8(variables{"TERM": "dumb"}), terminalOf(132), screen{width: 132, terminal: true}},
		{"dumb terminal, forced", utf8(variables{"TERM": "dumb", "FORCE_COLOR": "1"}), terminalOf(132), screen{width: 132, terminal: true, color: true}},
		{"CI with a terminal", utf8(variables{"CI": "true"}), terminalOf(132), screen{width: 80}},
		{"CI says false", utf8(variables{"CI": "false"}), terminalOf(132), screen{width: 132, terminal: true, color: true}},
		{"CI, forced", utf8(variables{"CI": "true", "FORCE_COLOR": "3"}), noTerminal, screen{width: 80, color: true}},
		{"no locale", nil, noTerminal, screen{width: 80, ascii: true}},
		{"C locale", variables{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, noTerminal, screen{width: 80, ascii: true}},
		{"C.utf8", variables{"LC_ALL": "C.utf8"}, noTerminal, screen{width: 80}},
		{"LC_CTYPE before LANG", variables{"LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "de_DE.UTF-8"}, noTerminal, screen{width: 80, ascii: true}},
		{"an empty LC_ALL", variables{"LC_ALL": "", "LANG": "de_DE.utf-8"}, noTerminal, screen{width: 80}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := newScreen(io.Discard, environment(c.env), c.terminal)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(screen{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFileIsNoScreen(t *testing.T) {
	env := environment(map[string]string{"FORCE_COLOR": "1", "LANG": "en_US.UTF-8"})
	want := screen{width: 80}
	if got := newScreen(nil, env, terminalOf(132)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTerminalWidthOfOtherStreams(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, stream := range []io.Writer{&bytes.Buffer{}, file, io.Discard} {
		if width, ok := terminalWidth(stream); ok || width != 0 {
			t.Errorf("%T is a terminal of %d columns", stream, width)
		}
	}
}

func TestMissingEnvironmentIsEmpty(t *testing.T) {
	if got := LookupEnv(nil).get("HOME"); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestEnvironmentName(t *testing.T) {
	for flag, want := range map[string]string{"alpha": "TRIBUNAL_ALPHA", "max-line-bytes": "TRIBUNAL_MAX_LINE_BYTES"} {
		if got := environmentName(flag); got != want {
			t.Errorf("%s: %s, want %s", flag, got, want)
		}
	}
}
