package record

// Group is records that stand alone in a file, one a line or the elements of a list,
// and are one trial together: messages, steps or events.
type Group struct {
	// Read makes the trial of the records. The line is that of the first.
	Read func(records []Node, line int) error

	records []Node
	line    int
}

// Add takes in one more record.
func (g *Group) Add(n Node, line int) {
	if len(g.records) == 0 {
		g.line = line
	}
	g.records = append(g.records, n)
}

// Drop forgets the records: something else holds them all.
func (g *Group) Drop() { g.records = nil }

// End makes the trial of the records so far, if there are any.
// It is forgotten first, so that an error does not leave it to be read again.
func (g *Group) End() error {
	records := g.records
	if g.records = nil; len(records) == 0 {
		return nil
	}
	return g.Read(records, g.line)
}

// ReadValues reads a file whose values are read one by one, or lists of such values,
// however deep. The end of a list ends the group, and so does the end of the file.
func (g *Group) ReadValues(in *Input, read func(n Node, line int) error) error {
	var each func(n Node, line int) error
	each = func(n Node, line int) error {
		if !n.IsList() {
			return read(n, line)
		}
		for _, m := range n.List() {
			if err := each(m, line); err != nil {
				return err
			}
		}
		return g.End()
	}
	if err := in.Values(each); err != nil {
		return err
	}
	return g.End()
}
