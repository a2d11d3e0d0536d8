package manual

import (
	"regexp"
	"slices"
	"strings"
)

// Block is one fenced block of a page that is run: one of commands, or of a file that is
// written, whose name stands behind the language:
//
//	```python agent.py
//
// A page that writes files is one session, which begins in an empty folder. On the others each
// block begins at the root of the repository.
type Block struct {
	Line     int // line of the page on which the fence stands, from 1
	File     string
	Commands []Command
}

// Command is a shell command and what it prints.
type Command struct {
	Line   int // line of the page, from 1
	Begin  CommandStart
	Shell  string
	Output string // with a newline at the end of every line
}

// CommandStart is where a command begins.
type CommandStart int

// In the folder in which the command before ended, at the root of the repository, or in an
// empty folder.
const (
	BeginThere CommandStart = iota
	BeginAtRoot
	BeginEmpty
)

const (
	fence  = "```"
	opener = "```console"
	prompt = "$ "
)

// fileOpener names the file of a block.
var fileOpener = regexp.MustCompile("^```[a-z]+ +([A-Za-z0-9._/-]+)$")

// Blocks returns the blocks of a page that are run.
func Blocks(page string) []Block {
	var blocks []Block
	var text []string // of a file
	inside := false
	for i, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		named := fileOpener.FindStringSubmatch(trimmed)
		switch {
		case !inside && trimmed == opener:
			inside = true
			blocks = append(blocks, Block{Line: i + 1})
		case !inside && named != nil:
			inside, text = true, nil
			blocks = append(blocks, Block{Line: i + 1, File: named[1]})
		case inside && trimmed == fence:
			inside = false
			if b := &blocks[len(blocks)-1]; b.File != "" {
				b.Commands = []Command{{Line: i + 1, Shell: writing(b.File, text)}}
			}
		case inside && blocks[len(blocks)-1].File != "":
			text = append(text, line)
		case inside:
			blocks[len(blocks)-1].add(i+1, line)
		}
	}
	begin(blocks)
	return blocks
}

// writing is the command that writes a file.
func writing(name string, lines []string) string {
	const end = "END OF THE FILE"
	return "cat > '" + name + "' << '" + end + "'\n" + strings.Join(append(lines, end), "\n")
}

// begin says where the first command of each block begins.
func begin(blocks []Block) {
	session := slices.ContainsFunc(blocks, func(b Block) bool { return b.File != "" })
	for i := range blocks {
		switch {
		case len(blocks[i].Commands) == 0:
		case !session:
			blocks[i].Commands[0].Begin = BeginAtRoot
		case i == 0:
			blocks[i].Commands[0].Begin = BeginEmpty
		}
	}
}

func (b *Block) add(number int, line string) {
	if command, found := strings.CutPrefix(line, prompt); found {
		b.Commands = append(b.Commands, Command{Line: number, Shell: command})
		return
	}
	if n := len(b.Commands); n > 0 {
		b.Commands[n-1].Output += line + "\n"
	}
}

// Rewrite returns the page with the output of each command replaced; run is
// called in the order of the page.
func Rewrite(page string, run func(Command) string) string {
	lines := strings.Split(page, "\n")
	var out []string
	taken := 0
	for _, block := range Blocks(page) {
		for _, command := range block.Commands {
			out = append(out, lines[taken:command.Line]...)
			taken = command.Line + strings.Count(command.Output, "\n")
			if text := run(command); text != "" {
				out = append(out, strings.TrimSuffix(text, "\n"))
			}
		}
	}
	return strings.Join(append(out, lines[taken:]...), "\n")
}

// times are how long something took, on a page of text and in JSON: it is never
// the same twice.
var times = regexp.MustCompile(`(?m)^(  spent  .*, )[0-9][0-9.,]* (?:s|min|h)($|; )|("duration_s": )[0-9][0-9.e+-]*`)

// Timeless returns the output of a command without how long a run took.
func Timeless(output string) string { return times.ReplaceAllString(output, "${1}${3}…${2}") }
