package manual

import (
	"regexp"
	"strings"
)

// Block is one fenced command block of a page.
type Block struct {
	Line     int // line of the page on which the fence stands, from 1
	Commands []Command
}

// Command is a shell command and what it prints.
type Command struct {
	Line   int  // line of the page, from 1
	First  bool // of its block
	Shell  string
	Output string // with a newline at the end of every line
}

const (
	fence  = "```"
	opener = "```console"
	prompt = "$ "
)

// Blocks returns the command blocks of a page.
func Blocks(page string) []Block {
	var blocks []Block
	inside := false
	for i, line := range strings.Split(page, "\n") {
		switch {
		case !inside && strings.TrimSpace(line) == opener:
			inside = true
			blocks = append(blocks, Block{Line: i + 1})
		case inside && strings.TrimSpace(line) == fence:
			inside = false
		case inside:
			blocks[len(blocks)-1].add(i+1, line)
		}
	}
	return blocks
}

func (b *Block) add(number int, line string) {
	if command, found := strings.CutPrefix(line, prompt); found {
		b.Commands = append(b.Commands, Command{Line: number, First: len(b.Commands) == 0, Shell: command})
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
var times = regexp.MustCompile(`(?m)^(  spent  .*, )[0-9][0-9.,]* (?:s|min|h)$|("duration_s": )[0-9][0-9.e+-]*`)

// Timeless returns the output of a command without how long a run took.
func Timeless(output string) string { return times.ReplaceAllString(output, "${1}${2}…") }
