package document

// Series is a quantity over time: the text draws it as a line of blocks, and a page as a chart.
type Series struct {
	Name     string // of the quantity, such as "pass rate"
	Points   []SeriesPoint
	Segments []SeriesSegment // between the changes
	Changes  []SeriesChange
	First    string // when the first point was
	Last     string // and the last one
	// Least and Most are what the quantity can be; where Most is not above Least, the points say it.
	Least, Most float64
	// Joined draws lines from point to point where these are not apart, on the whole axis from Least to Most.
	Joined bool
	Write  func(float64) string // writes a value
}

// SeriesPoint is a value with its interval. What is not known is nil.
type SeriesPoint struct {
	Value, Low, High *float64
	Label            string   // says which it is: when, of which commit, and its counts
	Mark             *float64 // the value that was required
	Class            string   // of its dot: pass, fail or inconclusive; "" is none
	Apart            bool     // nothing joins it to the point before it
}

// SeriesSegment is the points From..To-1, which have one value.
type SeriesSegment struct {
	From, To int
	Value    float64
}

// SeriesChange is where the quantity changed: at a point, or between the points Earliest and Latest.
type SeriesChange struct {
	At, Earliest, Latest int
	Label                string
}

func (*Series) part() {}

// Series are those that a page draws.
func (d *Document) Series() (list []*Series) {
	for _, part := range d.Parts {
		if s, is := part.(*Series); is {
			list = append(list, s)
		}
	}
	return list
}

// Range is the part of what the quantity can be in which its points lie.
func (s *Series) Range() (low, high float64, known bool) {
	for _, p := range s.Points {
		if p.Value == nil {
			continue
		}
		if !known {
			low, high, known = *p.Value, *p.Value, true
		}
		low, high = min(low, *p.Value), max(high, *p.Value)
	}
	return low, high, known
}
