package pipeline

// Technique is one factor of the theorem.
type Technique struct {
	Name string  `json:"name"`
	Low  float64 `json:"low"`  // of the paper's typical range
	High float64 `json:"high"` // likewise
	Is   string  `json:"is"`   // what can be said of it
}

// The names of the techniques, in the order of Equation 52.
const (
	fingerprint = "fingerprint"
	budget      = "budget"
	traces      = "traces"
	proxy       = "proxy"
	warmStart   = "warm start"
)

// Techniques are the five factors of Equation 52 with their typical ranges.
func Techniques() []Technique {
	return []Technique{
		{fingerprint, 0.4, 0.8, "another question: a test of behaviour does not bound the pass rate, " +
			"and does not replace its trials"},
		{budget, 0.15, 1, "the number of trials for a shift of behaviour, in place of that of the first factor " +
			"and not besides it"},
		{traces, 0.2, 0.5, "true of rules that recorded trials answer; a candidate that was never run has none"},
		{proxy, 0.25, 0.6, "by Equation 48, which counts cheap trials as evidence; the variance at equal cost falls " +
			"by far less: tribunal plan --proxy"},
		{warmStart, 0.6, 0.9, "holds where the history is right: an optimal design saves 4 to 13 % of the expected " +
			"trials, at the same errors; see savings"},
	}
}
