package ingest

// group is records that stand alone in a file, one a line or the elements of a list,
// and are one trial together: messages, steps or events.
type group struct {
	// read makes the trial of the records. The line is that of the first.
	read func(records []node, line int) error

	records []node
	line    int
}

// add takes in one more record.
func (g *group) add(n node, line int) {
	if len(g.records) == 0 {
		g.line = line
	}
	g.records = append(g.records, n)
}

// drop forgets the records: something else holds them all.
func (g *group) drop() { g.records = nil }

// end makes the trial of the records so far, if there are any.
func (g *group) end() error {
	records := g.records
	if g.records = nil; len(records) == 0 {
		return nil
	}
	return g.read(records, g.line)
}

// readValues reads a file whose values are read one by one, or lists of such values,
// however deep. The end of a list ends the group, and so does the end of the file.
func (g *group) readValues(in *input, read func(n node, line int) error) error {
	var each func(n node, line int) error
	each = func(n node, line int) error {
		if !n.isList() {
			return read(n, line)
		}
		for _, m := range n.list() {
			if err := each(m, line); err != nil {
				return err
			}
		}
		return g.end()
	}
	if err := in.values(each); err != nil {
		return err
	}
	return g.end()
}
