package option

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
)

// Group are the options that the help shows together, the same ones of every command.
type Group struct {
	Title string
	Rows  []Row
}

// Row says what is known of an option, whichever command has it.
type Row struct {
	Name     string
	Commands []string // that this row is of; nil is every command without a row of its own
	Daily    bool     // the first screen of the help has the options of this name; said in their first row
	Short    string   // one letter; "" is none
	Unit     string   // the word that stands for the value, such as FILE; "" is that of the type
	Example  string   // a value that every command takes
	Default  string   // that the help shows in place of the value itself: "-" shows none, and "required" is no value
	Choices  string   // what of a suite or a report the shell completes; "" is what the type lists, or files
	Usage    string
}

// Set are the options of one command.
type Set struct {
	command string
	flags   *pflag.FlagSet
}

// Of is for the flags of a command, whose name theirs is.
func Of(flags *pflag.FlagSet) Set { return Set{flags.Name(), flags} }

// For is for the flags of commands that share the rows of one name.
func For(command string, flags *pflag.FlagSet) Set { return Set{command, flags} }

// Below is for a command below another: its own name alone may be that of other commands too.
func (s Set) Below(parent string) Set { return Set{parent + " " + s.command, s.flags} }

// row finds the row of an option, that of the command before that of all. None is a defect of the table, which every
// start of the program would show.
func (s Set) row(name string) Row {
	rows := places()[name].rows
	for _, r := range rows {
		if slices.Contains(r.Commands, s.command) {
			return r
		}
	}
	if len(rows) == 0 || rows[0].Commands != nil {
		panic(fmt.Sprintf("the table of options has no row for --%s of %s", name, s.command))
	}
	return rows[0]
}

// place is where the table has a name: the rows of it, which stand together, and their group.
type place struct {
	group int
	rows  []Row
}

// places are those of all names.
var places = sync.OnceValue(func() map[string]place {
	all := map[string]place{}
	for group, g := range Groups {
		first := 0
		for i, r := range g.Rows {
			if r.Name != g.Rows[first].Name {
				first = i
			}
			all[r.Name] = place{group, g.Rows[first : i+1]}
		}
	}
	return all
})

// rowOf marks a flag with the command whose row it has.
const rowOf = "row"

// finish tells the flag of a row from others, and lets the help show its default.
func (s Set) finish(r Row) {
	flag := s.flags.Lookup(r.Name)
	flag.Annotations = map[string][]string{rowOf: {s.command}}
	if r.Default != "" {
		flag.DefValue = strings.TrimPrefix(r.Default, "-")
	}
}

// Value binds an option to a value that reads its own text. A usage that ends in a colon continues the words of a
// value that has some.
func (s Set) Value(name string, v pflag.Value) {
	r := s.row(name)
	if words, has := v.(interface{ Completions() []string }); has && strings.HasSuffix(r.Usage, ":") {
		list := words.Completions()
		last := len(list) - 1
		r.Usage += " " + strings.Join(list[:last], ", ") + " or " + list[last]
	}
	s.flags.VarP(v, name, r.Short, r.Usage)
	s.finish(r)
}

// Switch binds an option that takes no value.
func (s Set) Switch(name string, p *bool) {
	r := s.row(name)
	s.flags.BoolVarP(p, name, r.Short, *p, r.Usage)
	s.finish(r)
}

// Text binds an option whose value is any text. What the field holds is the default.
func (s Set) Text(name string, p *string) {
	r := s.row(name)
	s.flags.StringVarP(p, name, r.Short, *p, r.Usage)
	s.finish(r)
}

// Texts binds one that may be given again, each time for one text.
func (s Set) Texts(name string, p *[]string) {
	r := s.row(name)
	s.flags.StringArrayVarP(p, name, r.Short, *p, r.Usage)
	s.finish(r)
}

// List binds one that may be given again, with several texts between commas.
func (s Set) List(name string, p *[]string) {
	r := s.row(name)
	s.flags.StringSliceVarP(p, name, r.Short, *p, r.Usage)
	s.finish(r)
}

// Duration binds a length of time, with its unit.
func (s Set) Duration(name string, p *time.Duration) {
	r := s.row(name)
	s.flags.DurationVarP(p, name, r.Short, *p, r.Usage)
	s.finish(r)
}
