package world

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
)

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
		want     Screen
	}{
		{"terminal", utf8(nil), clitest.TerminalOf(132), Screen{Width: 132, Terminal: true, Color: true}},
		{"terminal without a width", utf8(nil), clitest.TerminalOf(0), Screen{Width: 80, Terminal: true, Color: true}},
		{"pipe", utf8(nil), noTerminal, Screen{Width: 80}},
		{"NO_COLOR", utf8(variables{"NO_COLOR": "1"}), clitest.TerminalOf(132), Screen{Width: 132, Terminal: true}},
		{"NO_COLOR says 0", utf8(variables{"NO_COLOR": "0"}), clitest.TerminalOf(132), Screen{Width: 132, Terminal: true}},
		{"NO_COLOR is empty", utf8(variables{"NO_COLOR": ""}), clitest.TerminalOf(132),
			Screen{Width: 132, Terminal: true, Color: true}},
		{"FORCE_COLOR", utf8(variables{"FORCE_COLOR": "1"}), noTerminal, Screen{Width: 80, Color: true}},
		{"FORCE_COLOR and NO_COLOR", utf8(variables{"FORCE_COLOR": "1", "NO_COLOR": "1"}), noTerminal, Screen{Width: 80}},
		{"FORCE_COLOR says 0", utf8(variables{"FORCE_COLOR": "0"}), noTerminal, Screen{Width: 80}},
		{"FORCE_COLOR says false", utf8(variables{"FORCE_COLOR": "False"}), noTerminal, Screen{Width: 80}},
		{"dumb terminal", utf8(variables{"TERM": "dumb"}), clitest.TerminalOf(132), Screen{Width: 132, Terminal: true}},
		{"dumb terminal, forced", utf8(variables{"TERM": "dumb", "FORCE_COLOR": "1"}), clitest.TerminalOf(132),
			Screen{Width: 132, Terminal: true, Color: true}},
		{"CI with a terminal", utf8(variables{"CI": "true"}), clitest.TerminalOf(132), Screen{Width: 80}},
		{"CI says false", utf8(variables{"CI": "false"}), clitest.TerminalOf(132),
			Screen{Width: 132, Terminal: true, Color: true}},
		{"CI, forced", utf8(variables{"CI": "true", "FORCE_COLOR": "3"}), noTerminal, Screen{Width: 80, Color: true}},
		{"no locale", nil, noTerminal, Screen{Width: 80, Ascii: true}},
		{"C locale", variables{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, noTerminal, Screen{Width: 80, Ascii: true}},
		{"C.utf8", variables{"LC_ALL": "C.utf8"}, noTerminal, Screen{Width: 80}},
		{"LC_CTYPE before LANG", variables{"LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "de_DE.UTF-8"}, noTerminal,
			Screen{Width: 80, Ascii: true}},
		{"an empty LC_ALL", variables{"LC_ALL": "", "LANG": "de_DE.utf-8"}, noTerminal, Screen{Width: 80}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := NewScreen(io.Discard, clitest.Environment(c.env), c.terminal)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(Screen{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFileIsNoScreen(t *testing.T) {
	env := clitest.Environment(map[string]string{"FORCE_COLOR": "1", "LANG": "en_US.UTF-8"})
	want := Screen{Width: 80}
	if got := NewScreen(nil, env, clitest.TerminalOf(132)); got != want {
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
	if got := LookupEnv(nil).Get("HOME"); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestEnvironmentName(t *testing.T) {
	for flag, want := range map[string]string{"alpha": "TRIBUNAL_ALPHA", "max-line-bytes": "TRIBUNAL_MAX_LINE_BYTES"} {
		if got := EnvironmentName(flag); got != want {
			t.Errorf("%s: %s, want %s", flag, got, want)
		}
	}
}
