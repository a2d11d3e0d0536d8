package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/table"
)

// Every command that can be seen is in one group, and a group names none that is not there.
func TestEveryCommandHasAGroup(t *testing.T) {
	root := root(completed(App{}))
	root.InitDefaultHelpCmd()
	grouped := map[string]int{}
	for _, group := range base.CommandGroups {
		for _, name := range group.Names {
			grouped[name]++
		}
	}
	for _, command := range root.Commands() {
		if !command.Hidden && grouped[command.Name()] != 1 {
			t.Errorf("%s is in %d groups", command.Name(), grouped[command.Name()])
		}
		delete(grouped, command.Name())
	}
	for name := range grouped {
		t.Errorf("there is no command %s", name)
	}
}

// Help keeps to the width of the terminal, but for what can be copied and what is indented within the text, and says
// the same at each. Below 80 columns pflag has too little room for some texts of flags.
func TestHelpFitsTheWidth(t *testing.T) {
	root := root(completed(App{}))
	for _, command := range append(base.WithSubcommands(root), root) {
		words := ""
		for _, width := range []int{60, 80, 100} {
			var page bytes.Buffer
			base.WriteHelp(&page, command, width)
			part, widest := "", 0
			for line := range strings.Lines(page.String()) {
				line = strings.TrimSuffix(line, "\n")
				switch {
				case line == "Usage:", line == "Examples:":
					part = "copied"
				case strings.HasPrefix(line, "Flags"):
					part = "flags"
				case line == "" && part == "copied":
					part = ""
				}
				if part == "" && !strings.HasPrefix(line, " ") || part == "flags" && width >= 80 {
					widest = max(widest, table.Width(line))
				}
			}
			if widest > width {
				t.Errorf("%s at %d: %d columns", command.CommandPath(), width, widest)
			}
			now := strings.Join(strings.Fields(page.String()), " ")
			if words != "" && words != now {
				t.Errorf("%s at %d columns has other words", command.CommandPath(), width)
			}
			words = now
		}
	}
}

// The table of commands has the names that they have themselves, and a tree of one has no other.
func TestTreesOfOneCommand(t *testing.T) {
	for _, c := range commands() {
		a := &world.World{Args: []string{c.name, "--help"}}
		var names []string
		for _, command := range asked(a.Complete()).Commands() {
			if command.Name() != "help" {
				names = append(names, command.Name())
			}
		}
		whole := c.name == "man" || c.name == "completion"
		if whole && len(names) != len(commands()) || !whole && !slices.Equal(names, []string{c.name}) {
			t.Errorf("%s: %q", c.name, names)
		}
	}
}
