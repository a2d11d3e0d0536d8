package race

import (
	"github.com/tribunal-dev/tribunal/sprt/race"
)

// mostPoints is how many points of an arm's path a result holds. It is chosen, for a chart.
const mostPoints = 60

// arms says what became of each arm.
func (r *Result) arms(again *race.Race, entrants []Entrant) {
	winner, won := again.Winner()
	waiting := map[int]bool{}
	for _, i := range again.Waiting() {
		waiting[i] = true
	}
	var all []int
	for i := range entrants {
		all = append(all, i)
	}
	for i, x := range entrants {
		a := Arm{Name: x.Name, Standing: Left, Trials: again.Judged(i), CostUSD: x.CostUSD, Seconds: x.Seconds,
			Price: x.Price}
		a.Passes, a.Errors = again.Counts(i)
		if a.Fails = a.Trials - a.Passes - a.Errors; a.Passes+a.Fails > 0 {
			a.Rate = new(float64(a.Passes) / float64(a.Passes+a.Fails))
		}
		drop := again.Dropped(i)
		switch {
		case drop.Round > 0:
			a.Standing, a.Round, a.By, a.Behind = Dropped, drop.Round, entrants[drop.By].Name, drop.Behind
		case won && i == winner:
			a.Standing = Chosen
		case waiting[i]:
			a.Standing = Waiting
		}
		a.Path = pathOf(again, i, all)
		if n := len(a.Path); drop.Round == 0 && n > 0 {
			a.Behind = a.Path[n-1].Behind
		}
		r.Trials += a.Trials
		r.Arms = append(r.Arms, a)
	}
	r.front()
}

// pathOf is how far an arm was behind those that had as many rounds, at the ends of equal parts of its rounds.
func pathOf(again *race.Race, place int, all []int) []Point {
	path := []Point{}
	judged := again.Judged(place)
	parts := min(judged, mostPoints)
	for k := 1; k <= parts; k++ {
		round := k * judged / parts
		var among []int
		for _, i := range all {
			if again.Judged(i) >= round {
				among = append(among, i)
			}
		}
		path = append(path, Point{round, again.BehindAt(place, round, among)})
	}
	return path
}

// front marks the arms than which no other is at least as good in everything that is known of both, and better in
// something.
func (r *Result) front() {
	for i := range r.Arms {
		a := &r.Arms[i]
		a.Front = a.Rate != nil
		for j := range r.Arms {
			if j != i && a.Front && dominates(&r.Arms[j], a) {
				a.Front = false
			}
		}
	}
}

// dominates reports whether an arm is at least as good as another in rate, cost and duration, and better in one of
// them. What is not known of both counts for nothing.
func dominates(a, b *Arm) bool {
	if a.Rate == nil || *a.Rate < *b.Rate {
		return false
	}
	better := *a.Rate > *b.Rate
	for _, amount := range []func(*Arm) *float64{
		func(x *Arm) *float64 { return x.CostUSD }, func(x *Arm) *float64 { return x.Seconds },
	} {
		x, y := amount(a), amount(b)
		switch {
		case x == nil || y == nil:
		case *x > *y:
			return false
		case *x < *y:
			better = true
		}
	}
	return better
}
