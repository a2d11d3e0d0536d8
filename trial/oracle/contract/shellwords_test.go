package contract

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestShellCommands(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  [][]string
		files []string
	}{
		{"", nil, nil},
		{"rm -rf /", [][]string{{"rm", "-rf", "/"}}, nil},
		{`rm '-rf' "/"`, [][]string{{"rm", "-rf", "/"}}, nil},
		{`r\m -r"f" /''`, [][]string{{"rm", "-rf", "/"}}, nil},
		{`$'\x72m' $'-\162f' /`, [][]string{{"rm", "-rf", "/"}}, nil},
		{"a;b&&c||d|e&f\ng", [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}, {"g"}}, nil},
		{"(a; b) | c", [][]string{{"a"}, {"b"}, {"c"}}, nil},
		{"echo $(rm -rf /) x", [][]string{{"rm", "-rf", "/"}, {"echo", "$(rm -rf /)", "x"}}, nil},
		{"echo \"a $(rm 'b c') d\"", [][]string{{"rm", "b c"}, {"echo", "a $(rm 'b c') d"}}, nil},
		{"echo `rm x`", [][]string{{"rm", "x"}, {"echo", "`rm x`"}}, nil},
		{"echo '$(rm x)'", [][]string{{"echo", "$(rm x)"}}, nil},
		{"cat <(rm x)", [][]string{{"rm", "x"}, {"cat"}}, nil},
		{"a > /etc/passwd 2>&1 < in", [][]string{{"a"}}, []string{"/etc/passwd", "in"}},
		{"a 2>err b", [][]string{{"a", "b"}}, []string{"err"}},
		{"a &>all", [][]string{{"a"}}, []string{"all"}},
		{"cat <<< text", [][]string{{"cat"}}, nil},
		{"cat <<E > out\nit's\nE\nrm x", [][]string{{"cat"}, {"its\n"}, {"rm", "x"}}, []string{"out"}},
		{"cat <<-'E F'; a\n\tb \"\n\tE F\nrm x", [][]string{{"cat"}, {"a"}, {"b", "\n"}, {"rm", "x"}}, nil},
		{"cat <<E\nit's $(rm x) # `rm y`\nE",
			[][]string{{"cat"}, {"its $(rm x) # `rm y`\n"}, {"rm", "x"}, {"rm", "y"}}, nil},
		{"sh <<E\nrm x\nE", [][]string{{"sh"}, {"rm", "x"}}, nil},
		{"a <<E <<F\nb\nE\nc\nF\nd", [][]string{{"a"}, {"b"}, {"c"}, {"d"}}, nil},
		{"cat <<E\nnot 'closed $(rm x)", [][]string{{"cat"}, {"rm", "x"}, {"not", "closed $(rm x)"}}, nil},
		{strings.Repeat("out <<x\n", 40) +
			"rm y", append(slices.Repeat([][]string{{"out"}}, 40), []string{"rm", "y"}), nil},
		{"a # b; c\nd", [][]string{{"a"}, {"d"}}, nil},
		{"a#b", [][]string{{"a#b"}}, nil},
		{"a \\\n b", [][]string{{"a", "b"}}, nil},
		{`"a\"b\$c\d"`, [][]string{{`a"b$c\d`}}, nil},
		{"'open", [][]string{{"open"}}, nil},
		{`"open $(rm`, [][]string{{"rm"}, {"open $(rm"}}, nil},
		{"a ''", [][]string{{"a", ""}}, nil},
	} {
		commands, files, err := shellCommands(c.text)
		if diff := cmp.Diff(c.want, commands); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", c.text, err, diff)
		}
		if diff := cmp.Diff(c.files, files); diff != "" {
			t.Errorf("files of %q:\n%s", c.text, diff)
		}
	}
	if _, _, err := shellCommands(strings.Repeat("$(", 100) + "rm"); !errors.Is(err, errNested) {
		t.Error(err)
	}
}

// A shell itself splits words as this package does.
func TestWordsAreThoseOfTheShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	part := rapid.SampledFrom([]string{"a", "b1", "-rf", "/x", " ", "  ", `\ `, `\\`, `\"`, `'q r'`, `'"'`, `"q r"`,
		`"it's"`, `"a\"b"`, `"a\\b"`, `"a\cb"`, `''`, `""`, "=", ".", "\t", "\\\n"})
	thorough.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(r, "parts"), "")
		out, err := exec.Command(sh, "-c", `f() { for w; do printf '%s\0' "$w"; done; }; f `+text).Output()
		if err != nil {
			r.Fatalf("sh: %v", err)
		}
		want := []string{"f"}
		if len(out) > 0 {
			want = append(want, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")...)
		}
		commands, _, err := shellCommands("f " + text)
		if err != nil || len(commands) != 1 {
			r.Fatalf("%q: %q %v", text, commands, err)
		}
		if diff := cmp.Diff(want, commands[0]); diff != "" {
			r.Fatalf("%q (-sh +ours):\n%s", text, diff)
		}
	})
}

func TestCommandsThatAreStarted(t *testing.T) {
	pattern, err := parseCommand("rm -rf /")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"rm -rf /":                             true,
		"rm -fr /":                             true,
		"rm -r -f /":                           true,
		"rm -Rrvf / --no-preserve-root":        true,
		"/bin/rm -rf /":                        true,
		"cd /tmp && rm -rf /":                  true,
		"sudo rm -rf /":                        true,
		"sudo -u root -- rm -rf /":             true,
		"env A=1 rm -rf /":                     true,
		"A=1 rm -rf /":                         true,
		`sh -c "rm -rf /"`:                     true,
		`bash -lc 'cd x; rm -rf /'`:            true,
		`sudo bash -c "sh -c 'rm -rf /'"`:      true,
		`bash -o pipefail -c "rm -rf /"`:       true,
		`eval "rm -rf /"`:                      true,
		`eval rm -rf /`:                        true,
		"echo / | xargs rm -rf /":              true,
		`find / -name x -exec rm -rf / \;`:     true,
		"timeout 5 nice -n 3 rm -rf /":         true,
		`ssh host "rm -rf /"`:                  true,
		"ssh host rm -rf /":                    true,
		"docker exec -it box sh -c 'rm -rf /'": true,
		"echo $(rm -rf /)":                     true,
		"if true; then rm -rf /; fi":           true,
		"{ rm -rf /; }":                        true,
		"! rm -rf /":                           true,
		"time -p rm -rf /":                     true,
		"function f { rm -rf /; }; f":          true,
		"function f() { rm -rf /; }; f":        true,
		"coproc C { rm -rf /; }":               true,
		"coproc rm -rf /":                      true,
		"busybox rm -rf /":                     false, // documented
		"busybox sh -c 'rm -rf /'":             true,
		"rm -rf /tmp/x":                        false,
		"rm -r /":                              false,
		"echo rm -rf /":                        false,
		"echo 'rm -rf /'":                      false,
		"please do not rm -rf / here":          false,
		"X=rm; $X -rf /":                       false, // documented
	} {
		commands, _, err := commandsIn(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		found := false
		for _, words := range commands {
			found = found || pattern.in(words)
		}
		if found != want {
			t.Errorf("%s: found %t in %q", text, found, commands)
		}
	}
}

func TestFollowingEnds(t *testing.T) {
	for name, text := range map[string]string{
		"evals":    "sudo " + strings.Repeat("eval ", 20_000),
		"shells":   "sudo sh -c '" + strings.Repeat("sudo sh sh sh sh sh ", 5_000) + "-c x'",
		"wrappers": strings.Repeat("sudo xargs ", 20_000),
		"opens":    strings.Repeat("(", 100_000),
		"quotes":   strings.Repeat(`"$(`, 50_000),
		"nested":   nestedShell(12),
		"lines":    strings.Repeat("a <<E\n", 20_000),
		"ends":     manyDocuments(20_000),
		"deep":     strings.Repeat("$(a <<E\n", 14) + strings.Repeat("x", 1<<20),
	} {
		commands, _, err := commandsIn(text)
		if len(commands) > maxCommands {
			t.Errorf("%s: %d commands, %v", name, len(commands), err)
		}
	}
}

// manyDocuments begins documents that do not end.
func manyDocuments(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a <<E%d\n", i)
	}
	return b.String()
}

// nestedShell is a shell within a shell, in quotes of quotes.
func nestedShell(depth int) string {
	text := "rm x"
	for range depth {
		text = `sudo sh sh sh -c "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
		if len(text) > 1<<20 {
			break
		}
	}
	return text
}

func TestAllowedCommands(t *testing.T) {
	for _, c := range []struct {
		pattern, command string
		want             bool
	}{
		{"git status", "git status", true},
		{"git status", "/usr/bin/git status", true},
		{"git status", "/tmp/git status", false},
		{"git status", "git status -s", false},
		{"git status -s", "git status", true},
		{"git status **", "git status -s --long x", true},
		{"rm -rf /tmp/*", "rm -rf /tmp/x", true},
		{"rm -rf /tmp/*", "rm -rf /tmp/x /", false},
		{"rm -rf /tmp/*", "rm -rf --no-preserve-root /tmp/x", false},
		{"echo *", "echo $(rm -rf /)", false},
	} {
		p, err := parseCommand(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		commands, _, err := shellCommands(c.command)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.covers(commands[len(commands)-1]); got != c.want {
			t.Errorf("%s covers %s: %t", c.pattern, c.command, got)
		}
	}
}

// Splitting ends for every text, without words that are not of the text.
func FuzzShellCommands(f *testing.F) {
	for _, text := range []string{"rm -rf /", `sh -c "rm -rf /"`, "a $(b `c`) | d > e", `$'\x41'`, "a\\\nb", `"$(`,
		"<<<", "&>", "2>&1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		commands, files, err := commandsIn(text)
		if err != nil && !errors.Is(err, errNested) && !errors.Is(err, errLarge) {
			t.Error(err)
		}
		for _, words := range commands {
			if len(words) == 0 || words[0] == "" {
				t.Errorf("%q: %q", text, commands)
			}
		}
		for _, file := range files {
			if len(file) > len(text) {
				t.Errorf("%q: file %q", text, file)
			}
		}
	})
}
