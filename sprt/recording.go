package sprt

// Recording returns a design that runs exactly so many trials, from 1 to 20,000, and
// decides nothing: it ends with Inconclusive. What it gathers may become the baseline of
// other tests. It has no hypotheses.
func Recording(trials int) (Design, error) {
	b, err := NewBoundaries(trials)
	return Design{Kind: RecordingKind, Boundaries: b}, err
}
