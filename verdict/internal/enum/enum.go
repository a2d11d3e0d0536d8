package enum

import "fmt"

func WordList(words []string) string { return Names(words).List() }

// Names are the words of an enumeration, by value.
type Names []string

func (n Names) Of(value uint8) string {
	if int(value) < len(n) {
		return n[value]
	}
	return fmt.Sprintf("unknown(%d)", value)
}

func (n Names) List() string {
	list := ""
	for i, name := range n {
		if i > 0 {
			list += ", "
		}
		list += name
	}
	return list
}
