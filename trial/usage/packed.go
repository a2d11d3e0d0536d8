package usage

import (
	"math"
	"unique"

	"github.com/tribunal-dev/tribunal/trial"
)

// PackedTrial is what a trial took, in less memory: that of one model or none, whose numbers are no larger than a
// million trials are likely to tell. Many trials name the same models.
type PackedTrial struct {
	model  unique.Handle[string]
	counts [countedKinds]uint32
	known  uint8 // a bit for each kind
}

// Pack returns what the trial took in less memory; false where it does not fit.
func (u *Trial) Pack() (p PackedTrial, ok bool) {
	if len(u.parts) > 0 || u.total.cost != (trial.Optional[float64]{}) {
		return p, false
	}
	p.model = unique.Make(u.model)
	for kind, n := range u.total.counts {
		switch {
		case n.Known && (n.Value < 0 || n.Value > math.MaxUint32), !n.Known && n.Value != 0:
			return p, false
		case n.Known:
			p.counts[kind], p.known = uint32(n.Value), p.known|1<<kind
		}
	}
	return p, true
}

// Trial is what was packed.
func (p *PackedTrial) Trial() Trial {
	u := Trial{model: p.model.Value()}
	for kind, n := range p.counts {
		if p.known>>kind&1 == 1 {
			u.total.counts[kind] = trial.Some(int64(n))
		}
	}
	return u
}
