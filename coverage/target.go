package coverage

// Standing is a dimension beside the value that is aimed at.
type Standing struct {
	Dimension Dimension `json:"dimension"` // which one
	Value     float64   `json:"value"`     // from 0 to 1
	Target    float64   `json:"target"`    // above 0, up to 1
	Share     float64   `json:"share"`     // of the target that is reached, Value/Target, from 0
}

// Standings are the dimensions that are measured and weigh, in their order, beside their targets; of one that has
// none, the target is 1. Those of dimensions that are not measured are passed over: what was not declared cannot be
// covered.
func (r *Result) Standings(targets map[Dimension]float64) (list []Standing) {
	for _, m := range r.Dimensions {
		target, given := targets[m.Dimension]
		if !given {
			target = 1
		}
		if m.Value != nil && m.Weight > 0 && target > 0 {
			list = append(list, Standing{m.Dimension, *m.Value, target, *m.Value / target})
		}
	}
	return list
}

// Furthest returns the standing that reaches the least share of its target, argmin C/C* (AgentAssay, Algorithm 1,
// line 1), the first of equal ones. It is false where each reaches its target, and where nothing is measured.
func (r *Result) Furthest(targets map[Dimension]float64) (furthest Standing, ok bool) {
	for _, s := range r.Standings(targets) {
		if s.Share < 1 && (!ok || s.Share < furthest.Share) {
			furthest, ok = s, true
		}
	}
	return furthest, ok
}
