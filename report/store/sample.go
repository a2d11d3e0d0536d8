package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// mostSampled bounds a sample, which is held in memory.
const mostSampled = 1_000_000

// ErrSampleSize says that a sample cannot have so many trials.
var ErrSampleSize = errors.New("a sample has from 1 to 1000000 trials")

// SampleOptions says how a sample is drawn.
type SampleOptions struct {
	Trials int    // how many; fewer where the query means fewer
	Seed   uint64 // the same seed draws the same trials of the same store
	// Stratified draws as many of each scenario as of any other, as far as there are so many; otherwise every trial is as
	// likely as any other.
	Stratified bool
}

// stratum are the trials of a scenario in a part.
type stratum struct {
	piece    int
	scenario int64
	name     string
	count    int
}

// Sample hands out trials that are drawn without replacement from those that a query means, in the order of
// [Store.Trials]. Trials that were pruned are not drawn from.
func (s *Store) Sample(
	ctx context.Context, q Query, o SampleOptions, fields trial.Fields, visit func(*trial.Trial) error,
) error {
	return s.sampled(ctx, q, o, fields, func(_ piece, t *trial.Trial) error { return visit(t) })
}

// sampled is Sample with the part of each trial.
func (s *Store) sampled(
	ctx context.Context, q Query, o SampleOptions, fields trial.Fields, visit func(piece, *trial.Trial) error,
) error {
	if o.Trials < 1 || o.Trials > mostSampled {
		return ErrSampleSize
	}
	var pieces []piece
	var strata []stratum
	if err := s.again(ctx, "cannot be read", func() (err error) {
		pieces, strata, err = s.strata(ctx, q)
		return err
	}); err != nil {
		return err
	}
	drawn := draw(strata, o)
	// By piece: which of the trials of a scenario, in their order.
	wanted := make(map[int]map[int64][]int)
	for i, ordinals := range drawn {
		if len(ordinals) > 0 {
			st := strata[i]
			if wanted[st.piece] == nil {
				wanted[st.piece] = make(map[int64][]int)
			}
			wanted[st.piece][st.scenario] = ordinals
		}
	}
	for i, p := range pieces {
		if wanted[i] == nil {
			continue
		}
		positions, err := s.positions(ctx, p, q.Outcome, wanted[i])
		if err != nil {
			return err
		}
		if err := s.at(ctx, p, positions, fields, func(t *trial.Trial) error { return visit(p, t) }); err != nil {
			return err
		}
	}
	return nil
}

// strata are the scenarios of the parts that a query means, with how many trials of the outcome they have.
func (s *Store) strata(ctx context.Context, q Query) (pieces []piece, list []stratum, err error) {
	if pieces, err = s.pieces(ctx, q); err != nil {
		return nil, nil, err
	}
	matches, _, err := q.scenario()
	if err != nil {
		return nil, nil, err
	}
	count := map[trial.Outcome]string{trial.Unjudged: "trials", trial.Pass: "passes", trial.Fail: "failures",
		trial.Error: "errors"}[q.Outcome]
	const block = 500
	for from := 0; from < len(pieces); from += block {
		some := pieces[from:min(len(pieces), from+block)]
		at := make(map[[2]int64]int)
		numbers := make([]string, len(some))
		for i, p := range some {
			at[[2]int64{p.run, int64(p.part)}] = from + i
			numbers[i] = fmt.Sprint(p.run)
		}
		rows, err := s.db.QueryContext(ctx, "SELECT t.run, t.part, t.scenario, c.name, t."+count+" FROM tally t JOIN part p "+
			"ON p.run = t.run AND p.part = t.part JOIN scenario c ON c.number = t.scenario WHERE p.kept = p.trials AND t.run "+
			"IN ("+
			strings.Join(numbers, ",")+") ORDER BY t.run, t.part, t.scenario")
		if err != nil {
			return nil, nil, err
		}
		if _, err := collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
			var run int64
			var part int
			var st stratum
			if err := rows.Scan(&run, &part, &st.scenario, &st.name, &st.count); err != nil {
				return none, err
			}
			if piece, is := at[[2]int64{run, int64(part)}]; is && st.count > 0 && matches(st.name) {
				st.piece = piece
				list = append(list, st)
			}
			return none, nil
		}); err != nil {
			return nil, nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b stratum) int { return a.piece - b.piece })
	return pieces, list, nil
}

// draw chooses trials: of each stratum their ordinals, ascending.
func draw(strata []stratum, o SampleOptions) [][]int {
	random := rand.New(rand.NewPCG(o.Seed, 0x5a3c))
	drawn := make([][]int, len(strata))
	if !o.Stratified {
		all := make([]int, len(strata))
		for i := range strata {
			all[i] = i
		}
		choose(random, strata, all, o.Trials, drawn)
		return drawn
	}
	places := make(map[string][]int)
	have := make(map[string]int)
	for i, st := range strata {
		places[st.name] = append(places[st.name], i)
		have[st.name] += st.count
	}
	for _, n := range shares(random, have, o.Trials) {
		choose(random, strata, places[n.name], n.trials, drawn)
	}
	return drawn
}

// share is how many trials are drawn of a scenario.
type share struct {
	name   string
	trials int
}

// shares divides n trials among scenarios, as evenly as what they have allows. Who has one more than others is drawn.
func shares(random *rand.Rand, have map[string]int, n int) []share {
	list := make([]share, 0, len(have))
	for _, name := range sorted(have) {
		list = append(list, share{name: name})
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for n > 0 {
		var open []int
		for i := range list {
			if list[i].trials < have[list[i].name] {
				open = append(open, i)
			}
		}
		if len(open) == 0 {
			break
		}
		each := max(1, n/len(open))
		for _, i := range open {
			more := min(each, have[list[i].name]-list[i].trials, n)
			list[i].trials += more
			n -= more
		}
	}
	return list
}

// choose draws n of the trials of some strata, each set of n as likely as any other (Floyd; Bentley 1987).
func choose(random *rand.Rand, strata []stratum, some []int, n int, drawn [][]int) {
	ends := make([]int, len(some)) // of the strata, in a count over all of their trials
	total := 0
	for i, at := range some {
		total += strata[at].count
		ends[i] = total
	}
	n = min(n, total)
	chosen := make(map[int]bool, n)
	for j := total - n; j < total; j++ {
		k := random.IntN(j + 1)
		if chosen[k] {
			k = j
		}
		chosen[k] = true
	}
	for _, k := range slices.Sorted(maps.Keys(chosen)) {
		i, _ := slices.BinarySearch(ends, k+1)
		at := some[i]
		drawn[at] = append(drawn[at], k-(ends[i]-strata[at].count))
	}
}

// positions finds trials of a part by scenario and ordinal, ascending.
func (s *Store) positions(
	ctx context.Context, p piece, outcome trial.Outcome, wanted map[int64][]int,
) (list []int64, err error) {
	numbers := make([]string, 0, len(wanted))
	for scenario := range wanted {
		numbers = append(numbers, fmt.Sprint(scenario))
	}
	text := "SELECT position, scenario FROM trial WHERE run = ? AND part = ?"
	if len(numbers) <= mostNamed {
		text += " AND scenario IN (" + strings.Join(numbers, ",") + ")"
	}
	if outcome != trial.Unjudged {
		text += fmt.Sprintf(" AND outcome = %d", outcome)
	}
	err = s.again(ctx, "cannot be read", func() error {
		rows, err := s.db.QueryContext(ctx, s.bind(text+" ORDER BY position"), p.run, p.part)
		if err != nil {
			return err
		}
		list = nil
		seen := make(map[int64]int)
		next := make(map[int64]int)
		_, err = collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
			var position, scenario int64
			if err := rows.Scan(&position, &scenario); err != nil {
				return none, err
			}
			ordinals, n := wanted[scenario], next[scenario]
			if n < len(ordinals) && ordinals[n] == seen[scenario] {
				list = append(list, position)
				next[scenario]++
			}
			seen[scenario]++
			return none, nil
		})
		return err
	})
	return list, err
}

// at hands over the trials of a part at some positions, which are ascending.
func (s *Store) at(
	ctx context.Context, p piece, positions []int64, fields trial.Fields, visit func(*trial.Trial) error,
) error {
	const block = 500
	for len(positions) > 0 {
		some := positions[:min(block, len(positions))]
		positions = positions[len(some):]
		numbers := make([]string, len(some))
		for i, n := range some {
			numbers[i] = fmt.Sprint(n)
		}
		var failed error
		_, err := s.trialsOf(ctx, p, " AND t.position IN ("+strings.Join(numbers, ",")+")", fields, nil,
			func(t *trial.Trial) bool {
				failed = visit(t)
				return failed == nil
			})
		if err = errors.Join(failed, err); err != nil {
			return err
		}
	}
	return nil
}
