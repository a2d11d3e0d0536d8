package stats

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// ClusterStratum is one scenario whose inputs differ on the two sides and are tried several times each: the
// trials of an input depend on each other, and the inputs are what is drawn.
type ClusterStratum struct {
	Baseline  []Counts // one for each input of the baseline, with at least one trial
	Candidate []Counts // one for each input of the candidate
}

// ClusteredExact is the exact test of H0: within every stratum both sides pass at the same rate, and
// within every stratum of clusters all clusters of one size are exchangeable, against "the candidate is
// worse". The statistic is the candidate's total of passes; its distribution is that of [StratifiedExact]
// for the strata, and for clusters that of handing out whole clusters of one size to the two sides at random
// (Fisher 1935; Gail et al. 1996, Statistics in Medicine 15:1069). It holds for any dependence within a
// cluster. Clusters of a size that the other side does not have say nothing.
//
// Without clusters it is [StratifiedExact]. Too many clusters for the enumeration are refused.
func ClusteredExact(ctx context.Context, strata []Stratum, clusters []ClusterStratum) (StratifiedExactResult, error) {
	if err := validateClusters(clusters); err != nil {
		return StratifiedExactResult{}, err
	}
	return stratifiedExact(ctx, strata, clusters)
}

// validateClusters checks all counts, naming the stratum by its index.
func validateClusters(clusters []ClusterStratum) error {
	for i, c := range clusters {
		for _, side := range [][]Counts{c.Baseline, c.Candidate} {
			for _, counts := range side {
				if err := counts.validateNonEmpty(); err != nil {
					return fmt.Errorf("clusters of stratum %d: %w", i, err)
				}
			}
		}
	}
	return nil
}

// clusterBlock is the clusters of one size in one stratum, by their passes.
type clusterBlock struct {
	size     int
	totals   []int // passes of each cluster, of both sides
	draws    int   // clusters of the candidate
	observed int   // passes of the candidate
}

// blocks returns the sizes that both sides have, in rising order, where the passes vary.
func (c ClusterStratum) blocks() (list []clusterBlock) {
	bySize := map[int]*clusterBlock{}
	for side, clusters := range [][]Counts{c.Baseline, c.Candidate} {
		for _, counts := range clusters {
			b := bySize[counts.Trials]
			if b == nil {
				b = &clusterBlock{size: counts.Trials}
				bySize[counts.Trials] = b
			}
			b.totals = append(b.totals, counts.Passes)
			if side == 1 {
				b.draws++
				b.observed += counts.Passes
			}
		}
	}
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		b := bySize[size]
		slices.Sort(b.totals)
		if b.draws > 0 && b.draws < len(b.totals) && b.totals[0] < b.totals[len(b.totals)-1] {
			list = append(list, *b)
		}
	}
	return list
}

// law is the distribution of the total of a random choice of as many clusters as the candidate has: the
// choices are counted cluster by cluster, as probabilities. False says that this would take too long.
func (b clusterBlock) law(ctx context.Context) (massFunction, bool) {
	n, k := len(b.totals), min(b.draws, len(b.totals)-b.draws)
	most := 0
	for _, t := range b.totals[n-k:] {
		most += t
	}
	if float64(n)*float64(k)*float64(most+1) > maxConvolutionWork {
		return massFunction{}, false
	}
	// chosen[j][t] is the probability that of the clusters so far j were chosen, with a total of t.
	chosen := make([][]float64, k+1)
	for j := range chosen {
		chosen[j] = make([]float64, most+1)
	}
	chosen[0][0] = 1
	for i, passes := range b.totals {
		if ctx.Err() != nil {
			return massFunction{}, false
		}
		left := float64(n - i)
		for j := min(i, k); j >= 0; j-- {
			// The next cluster is chosen with the share of what is still to be chosen.
			take := max(float64(k-j), 0) / left
			for t, m := range chosen[j] {
				if m == 0 {
					continue
				}
				if take > 0 {
					chosen[j+1][t+passes] += m * take
				}
				chosen[j][t] = m * (1 - take)
			}
		}
	}
	law := massFunction{mass: chosen[k]}
	if k == b.draws {
		return law.trimmed(0), true
	}
	// The smaller side was drawn: the candidate has the rest.
	all := 0
	for _, t := range b.totals {
		all += t
	}
	slices.Reverse(law.mass)
	law.first = all - most
	return law.trimmed(0), true
}

// stratifiedTest is the row of [StratifiedTest]. A table without strata is a single one.
func stratifiedTest(ctx context.Context, table Table) (TestResult, error) {
	if err := validateBoth(table.Baseline, table.Candidate); err != nil {
		return TestResult{P: 1}, err
	}
	strata := table.Strata
	if len(strata)+len(table.Clusters) == 0 {
		strata = []Stratum{{Baseline: table.Baseline, Candidate: table.Candidate}}
	}
	if len(table.Clusters) == 0 && validateStrata(strata) == nil {
		if like := alike(strata); supports(like) > mostConvolved {
			p, _, err := lessOfMany(ctx, like) // the other tail is of no use here
			return TestResult{P: p}, err
		}
	}
	result, err := ClusteredExact(ctx, strata, table.Clusters)
	return TestResult{P: result.PLess}, err
}
