package trial

import "slices"

// SetExtra gives the field of a name, one that this package does not know, its value, behind the others; nil takes it
// away. A slice of fields that is shared with another trial is not changed.
func (t *Trial) SetExtra(name string, value Raw) {
	t.Extra = slices.DeleteFunc(slices.Clone(t.Extra), func(m Member) bool { return m.Name == name })
	if value != nil {
		t.Extra = append(t.Extra, Member{Name: name, Value: value})
	}
}

// ExtraOf returns the first field of a name that this package does not know; nil is none.
func (t *Trial) ExtraOf(name string) Raw {
	for _, m := range t.Extra {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}
