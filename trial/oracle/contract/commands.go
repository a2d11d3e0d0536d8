package contract

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// commandPattern is a command to look for, such as "rm -rf /".
type commandPattern struct {
	text    string
	program glob
	flags   string // letters of short options
	words   []glob // of the other arguments, in their order
	rest    bool   // ends in **: any further arguments
}

// parseCommand reads a pattern as a shell would read the command, so that both are split
// in one way.
func parseCommand(text string) (commandPattern, error) {
	p := commandPattern{text: text}
	commands, files, err := shellCommands(text)
	if err != nil {
		return p, err
	}
	if len(commands) != 1 || len(files) > 0 {
		return p, errPattern("must be one command", "such as rm -rf /, or git push ** for any further words")
	}
	// The first word is the program; every other one must be there in the order of the pattern, but for
	// letters of short options, which may stand together or apart.
	for i, word := range commands[0] {
		switch {
		case i == 0:
			p.program, err = parseGlob(word, anyText)
		case word == "**" && i == len(commands[0])-1:
			p.rest = true
		case isShortFlags(word):
			p.flags += word[1:]
		default:
			var g glob
			g, err = parseGlob(word, anyText)
			p.words = append(p.words, g)
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// isShortFlags reports whether a word is letters of options, such as -rf.
func isShortFlags(word string) bool {
	return len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], letters) == ""
}

// in reports whether a command is, or holds, what the pattern asks for: the program
// by its name without a folder, every letter of its options, and its other words in
// their order among the arguments, with any others between them.
func (p commandPattern) in(words []string) bool {
	if !p.program.match(programName(words[0])) {
		return false
	}
	// An argument that matches is used up; what stands between matches is any other argument.
	flags, sought := "", p.words
	for _, word := range words[1:] {
		if isShortFlags(word) {
			flags += word[1:]
		}
		if len(sought) > 0 && sought[0].match(word) {
			sought = sought[1:]
		}
	}
	for _, letter := range p.flags {
		if !strings.ContainsRune(flags, letter) {
			return false
		}
	}
	return len(sought) == 0
}

// covers reports whether nothing of a command goes beyond the pattern: an allowance
// of one file must not let another pass beside it.
func (p commandPattern) covers(words []string) bool {
	program := words[0]
	// An allowed rm is /bin/rm as well, but not /tmp/rm, which may be any program.
	if slices.Contains(systemFolders, path.Dir(program)) {
		program = path.Base(program)
	}
	if !p.program.match(program) {
		return false
	}
	left := p.words
	for _, word := range words[1:] {
		switch {
		case isShortFlags(word) && strings.Trim(word[1:], p.flags) == "":
		// A word with a substitution is something else when it runs.
		case len(left) > 0 && left[0].match(word) && !strings.ContainsAny(word, "$`"):
			left = left[1:]
		case p.rest && len(left) == 0:
		default:
			return false
		}
	}
	return len(left) == 0
}

// systemFolders hold the programs that a name alone stands for.
var systemFolders = []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"}

// programName is the name of a program without its folder, or the .exe of Windows.
func programName(word string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}

// errLarge says that a command starts more commands than are followed.
var errLarge = errors.New("holds too many commands within commands to be read")

// What is followed of one text: commands, and bytes of the texts that shells are
// given, beside its own.
// All chosen, far beyond commands that people write.
const (
	maxCommands = 20_000
	maxWrapped  = 64 // words behind a wrapper that may be its command
	maxFollowed = 4 << 20
)

// commandsIn returns the commands of a text, and those that they start: the command
// behind sudo, env, xargs and the like, behind -exec, in sh -c "…" and eval. The
// error says that some were not followed.
func commandsIn(text string) (commands [][]string, files []string, err error) {
	f := finder{left: maxFollowed + len(text), search: maxSearch}
	f.text(text, 0)
	return f.commands, f.files, f.err
}

// commandsOf returns the command whose words stand in a list, and those that it
// starts.
func commandsOf(words []string) (commands [][]string, files []string, err error) {
	f := finder{left: maxFollowed, search: maxSearch}
	f.add(words, 0)
	return f.commands, f.files, f.err
}

// finder collects commands.
type finder struct {
	commands [][]string
	files    []string
	left     int // bytes to read
	search   int // bytes to search for the ends of here-documents
	err      error
}

// text follows the commands of a text that a shell is given.
func (f *finder) text(text string, depth int) {
	if f.left -= len(text); f.left < 0 {
		f.err = errLarge
	}
	if f.err != nil {
		return
	}
	simple, files, err := shellCommandsWithin(text, &f.search)
	f.files = append(f.files, files...)
	if err != nil {
		f.err = err
	}
	for _, words := range simple {
		f.add(words, depth+1)
	}
}

// add adds a command, and what it starts.
//
// It goes from the outside in: the command itself is kept, and then what it runs is read, a level
// deeper. Assignments and keywords before a command are no part of it.
func (f *finder) add(words []string, depth int) {
	for len(words) > 0 && (isAssignment(words[0]) || isKeyword(words[0])) {
		if command := behindKeyword(words); command != nil {
			f.add(command, depth+1)
		}
		words = words[1:]
	}
	switch {
	case len(words) == 0 || words[0] == "" || f.err != nil:
		return
	case depth > maxNesting:
		f.err = errNested
		return
	case len(f.commands) == maxCommands:
		f.err = errLarge
		return
	}
	f.commands = append(f.commands, words)
	name, rest := programName(words[0]), words[1:]
	switch {
	case isShell(name):
		f.shell(rest, depth)
	case words[0] == "function" && len(rest) > 1: // its name, and { and its first command
		f.add(rest[1:], depth+1)
	case name == "eval":
		f.text(strings.Join(rest, " "), depth)
	case slices.Contains(wrappers, name):
		f.wrapped(rest, depth)
	// Every -exec has a command of its own.
	case name == "find" || name == "fd":
		for i, word := range rest {
			if slices.Contains(executions, word) {
				f.add(untilSemicolon(rest[i+1:]), depth+1)
			}
		}
	}
}

// wrapped follows the words behind a wrapper. Which of them is the command depends
// on the options of each wrapper, so each may be; a word with blanks is a text for a
// shell, as in ssh host "rm -rf /".
func (f *finder) wrapped(words []string, depth int) {
	tried := 0
	for i, word := range words {
		switch {
		case tried == maxWrapped:
			return
		case strings.ContainsAny(word, " \t\n"):
			f.text(word, depth)
		case strings.HasPrefix(word, "-") || isAssignment(word):
		case slices.Contains(wrappers, programName(word)) && len(f.commands) < maxCommands:
			f.commands = append(f.commands, words[i:]) // a wrapper in a wrapper: its words follow here too
		default:
			tried++
			f.add(words[i:], depth+1)
		}
	}
}

// shell follows sh -c "…": the first word after an option that holds a c.
func (f *finder) shell(arguments []string, depth int) {
	// whether an option with a c was seen, as in -c and -ec: the next word is the text
	command := false
	for i, word := range arguments {
		switch {
		case strings.HasPrefix(word, "--"):
		case strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+"):
			command = command || word[0] == '-' && strings.Contains(word, "c")
		case command:
			f.text(word, depth)
			return
		case i == 0 && isShell(word): // busybox sh
			f.shell(arguments[1:], depth)
			return
		}
	}
}

// isShell reports whether a word names a shell.
func isShell(word string) bool { return slices.Contains(shells, programName(word)) }

// executions are options that a command follows.
var executions = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch"}

// untilSemicolon returns the words up to the ; that ends the command behind -exec.
func untilSemicolon(words []string) []string {
	if at := slices.Index(words, ";"); at >= 0 {
		return words[:at]
	}
	return words
}

// isAssignment reports whether a word sets a variable, such as NAME=value.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, letters+digits+"_") == "" && !strings.Contains(digits, name[:1])
}

// openers begin a compound command.
var openers = []string{"{", "if", "while", "until", "for", "case", "select"}

// behindKeyword returns the command that does not follow the keyword at once: that of
// coproc NAME { ...; } and of time -p.
func behindKeyword(words []string) []string {
	switch {
	case words[0] == "coproc" && len(words) > 2 && slices.Contains(openers, words[2]),
		words[0] == "time" && len(words) > 2 && words[1] == "-p":
		return words[2:]
	}
	return nil
}

// isKeyword reports whether a word stands where a command would, and one follows it.
func isKeyword(word string) bool {
	switch word {
	case "!", "{", "}", "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "time", "coproc":
		return true
	}
	return false
}

// shells run the text that they are given with -c.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "busybox"}

// wrappers run the command that stands behind their own words.
var wrappers = []string{
	"sudo", "doas", "env", "nohup", "nice", "ionice", "timeout", "stdbuf", "setsid", "xargs", "exec", "command",
	"builtin", "chroot", "unshare", "nsenter", "strace", "watch", "su", "ssh", "docker", "podman", "kubectl",
	"parallel", "flock", "chronic",
}
