package plancmd

// priorMode says what a recorded prior does.
type priorMode uint8

const (
	honestPrior       priorMode = iota // it shapes where the test stops
	densityRatioPrior                  // it counts as evidence, as AgentAssay has it
)

// String is the word of the flag.
func (m priorMode) String() string {
	if m == densityRatioPrior {
		return "density-ratio"
	}
	return "honest"
}
