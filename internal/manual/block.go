package manual

import "strings"

// Block is one fenced command block of a page.
type Block struct {
	Line     int // line of the page on which the fence stands, from 1
	Commands []Command
}

// Command is a shell command and what it prints.
type Command struct {
	Line   int // line of the page, from 1
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
		b.Commands = append(b.Commands, Command{Line: number, Shell: command})
		return
	}
	if n := len(b.Commands); n > 0 {
		b.Commands[n-1].Output += line + "\n"
	}
}

// Rewrite returns the page with the output of each command replaced; run is
// called in the order of the page.
func Rewrite(page string, run func(shell string) string) string {
	var out []string
	inside, shown := false, false
	for _, line := range strings.Split(page, "\n") {
		if inside && strings.TrimSpace(line) == fence {
			inside = false
		}
		command, isCommand := strings.CutPrefix(line, prompt)
		if !inside || isCommand {
			out = append(out, line)
			shown = inside && isCommand
		} else if !shown {
			out = append(out, line) // before the first command
		}
		if inside && isCommand {
			if text := run(command); text != "" {
				out = append(out, strings.TrimSuffix(text, "\n"))
			}
		}
		if !inside && strings.TrimSpace(line) == opener {
			inside, shown = true, false
		}
	}
	return strings.Join(out, "\n")
}
