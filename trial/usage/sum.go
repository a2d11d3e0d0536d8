package usage

import (
	"cmp"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/ordinal"
	"github.com/tribunal-dev/tribunal/trial"
)

// Sum adds up what trials took; its memory grows with the models, not with the trials. The zero value is ready for use.
type Sum struct {
	trials int
	known  KnownCounts
	total  amounts
	models ordinal.Keys[string]
	rows   []row // of each model
}

// row is what is told of a model.
type row struct {
	part
	trials, estimated, atMost int
}

// Add counts a trial that cost so much, by a basis.
func (s *Sum) Add(u Trial, cost trial.Optional[float64], basis trial.CostBasis) {
	s.trials++
	u.total.cost = cost
	s.known.count(&u.total)
	s.total.add(&u.total)
	if len(u.parts) == 0 {
		s.row(u.model).count(&u.total, basis)
		return
	}
	parts := u.withCost(cost)
	for i := range parts {
		// The part of no model is there for what is left over: empty, it is nothing that the trial used.
		if p := &parts[i]; p.model != "" || !p.none() {
			s.row(p.model).count(&p.amounts, basis)
		}
	}
}

// AddUntold counts a trial of which nothing is told.
func (s *Sum) AddUntold() { s.Add(Trial{}, trial.Optional[float64]{}, trial.RecordedCost) }

// row is that of a model.
func (s *Sum) row(model string) *row {
	place, isNew := s.models.Place(model)
	if isNew {
		s.rows = append(s.rows, row{part: part{model: model}})
	}
	return &s.rows[place]
}

// count counts what a trial took of the model.
func (r *row) count(a *amounts, basis trial.CostBasis) {
	r.trials++
	r.add(a)
	if !a.cost.Known || basis == trial.RecordedCost {
		return
	}
	r.estimated++
	if basis == trial.CostAtMost {
		r.atMost++
	}
}

// Usage is what results show of it; nil without trials.
func (s *Sum) Usage() *Usage {
	if s.trials == 0 {
		return nil
	}
	u := &Usage{Trials: s.trials, Known: s.known, Amounts: s.total.shown()}
	for _, r := range s.rows {
		u.Models = append(u.Models, Model{
			Model: r.model, Trials: r.trials, EstimatedTrials: r.estimated, AtMostTrials: r.atMost,
			Amounts: r.amounts.shown(),
		})
	}
	// What costs most comes first, and what nothing tells the model of last.
	slices.SortStableFunc(u.Models, func(a, b Model) int {
		if (a.Model == "") != (b.Model == "") {
			return cmp.Compare(b.Model, a.Model)
		}
		return cmp.Or(cmp.Compare(value(b.CostUSD), value(a.CostUSD)), cmp.Compare(tokens(b), tokens(a)),
			cmp.Compare(a.Model, b.Model))
	})
	return u
}

// tokens are those of a model, in and out.
func tokens(m Model) float64 { return float64(value(m.InputTokens)) + float64(value(m.OutputTokens)) }

// value is a number, 0 where it is not told.
func value[T int64 | float64](x *T) T {
	if x == nil {
		return 0
	}
	return *x
}
