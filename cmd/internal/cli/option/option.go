package option

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Row says what is known of an option, whichever command has it.
type Row struct {
	Name     string
	Commands []string // that this row is of; nil is every command without a row of its own
	Short    string   // one letter; "" is none
	Unit     string   // the word in the usage that stands for the value, such as FILE; "" is that of the type
	Usage    string
	Default  string // that the help shows in place of the value itself: "-" shows none
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
	var all *Row
	for i := first(name); i < len(Rows) && Rows[i].Name == name; i++ {
		if Rows[i].Commands == nil {
			all = &Rows[i]
		} else if slices.Contains(Rows[i].Commands, s.command) {
			return Rows[i]
		}
	}
	if all == nil {
		panic(fmt.Sprintf("the table of options has no row for --%s of %s", name, s.command))
	}
	return *all
}

// first is the place of the first row of a name, in the order of the table.
func first(name string) int {
	low, high := 0, len(Rows)
	for low < high {
		if middle := int(uint(low+high) >> 1); Rows[middle].Name < name {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// quoted is the usage with the unit as pflag finds it, in backquotes.
func (r Row) quoted() string {
	if r.Unit == "" {
		return r.Usage
	}
	return strings.Replace(r.Usage, r.Unit, "`"+r.Unit+"`", 1)
}

// finish lets the help show the default of the row.
func (s Set) finish(r Row) {
	switch flag := s.flags.Lookup(r.Name); r.Default {
	case "":
	case "-":
		flag.DefValue = ""
		if flag.Value.Type() == "duration" {
			flag.DefValue = "0s"
		}
	default:
		flag.DefValue = r.Default
	}
}

// Value binds an option to a value that reads its own text. A usage that ends in a colon goes on with the words of a
// value that has some.
func (s Set) Value(name string, v pflag.Value) {
	r := s.row(name)
	usage := r.quoted()
	if words, has := v.(interface{ Completions() []string }); has && strings.HasSuffix(usage, ":") {
		list := words.Completions()
		last := len(list) - 1
		usage += " " + strings.Join(list[:last], ", ") + " or " + list[last]
	}
	s.flags.VarP(v, name, r.Short, usage)
	s.finish(r)
}

// Switch binds an option that takes no value.
func (s Set) Switch(name string, p *bool) {
	r := s.row(name)
	s.flags.BoolVarP(p, name, r.Short, *p, r.quoted())
}

// Text binds an option whose value is any text. What the field holds is the default.
func (s Set) Text(name string, p *string) {
	r := s.row(name)
	s.flags.StringVarP(p, name, r.Short, *p, r.quoted())
	s.finish(r)
}

// Texts binds one that may be given again, each time for one text.
func (s Set) Texts(name string, p *[]string) {
	r := s.row(name)
	s.flags.StringArrayVarP(p, name, r.Short, *p, r.quoted())
}

// List binds one that may be given again, with several texts between commas.
func (s Set) List(name string, p *[]string) {
	r := s.row(name)
	s.flags.StringSliceVarP(p, name, r.Short, *p, r.quoted())
}

// Duration binds a length of time, with its unit.
func (s Set) Duration(name string, p *time.Duration) {
	r := s.row(name)
	s.flags.DurationVarP(p, name, r.Short, *p, r.quoted())
	s.finish(r)
}
