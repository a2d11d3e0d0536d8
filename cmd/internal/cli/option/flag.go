package option

import (
	"strings"

	"github.com/spf13/pflag"
)

// GroupOf is the place of the group of a flag among [Groups], that of the last for a flag that is none of the table,
// and whether it is one of every day.
func GroupOf(flag *pflag.Flag) (group int, daily bool) {
	if flag.Annotations[rowOf] == nil {
		return len(Groups) - 1, false
	}
	p := places()[flag.Name]
	return p.group, p.rows[0].Daily
}

// RowOf is the row of a flag; the zero row for one that is none of the table.
func RowOf(flag *pflag.Flag) Row {
	command := flag.Annotations[rowOf]
	if command == nil {
		return Row{}
	}
	return Set{command: command[0]}.row(flag.Name)
}

// Unit is the word that stands for the value of a flag; "" for one that takes none.
func Unit(flag *pflag.Flag) string {
	if unit := RowOf(flag).Unit; unit != "" {
		return unit
	}
	unit, _ := pflag.UnquoteUsage(flag)
	return unit
}

// Label is how a flag is written.
func Label(flag *pflag.Flag) string {
	label := strings.TrimSpace("--" + flag.Name + " " + Unit(flag))
	if flag.Shorthand != "" {
		label = "-" + flag.Shorthand + ", " + label
	}
	return label
}

// About is what there is to say of a flag.
func About(flag *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(flag)
	if _, again := flag.Value.(pflag.SliceValue); again {
		text += "; may be given again"
	}
	var more []string
	if example := RowOf(flag).Example; example != "" {
		more = append(more, "such as "+example)
	}
	switch value := flag.DefValue; {
	case value == "" || value == "0" || value == "0s" || value == "false" || value == "[]":
	case strings.HasPrefix(value, "required"):
		more = append(more, value)
	default:
		more = append(more, "default "+value)
	}
	if more == nil {
		return text
	}
	return text + " (" + strings.Join(more, "; ") + ")"
}
