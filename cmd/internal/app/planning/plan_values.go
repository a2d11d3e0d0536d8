package planning

// PriorMode says what a recorded prior does.
type PriorMode uint8

const (
	HonestPrior       PriorMode = iota // it shapes where the test stops
	DensityRatioPrior                  // it counts as evidence, as AgentAssay has it
)

// String is the word of the flag.
func (m PriorMode) String() string {
	if m == DensityRatioPrior {
		return "density-ratio"
	}
	return "honest"
}
