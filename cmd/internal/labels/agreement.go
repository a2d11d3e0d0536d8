package labels

// Raters is how far a second person agrees who labelled the same sheet.
type Raters struct {
	Agree  int      `json:"agree"`  // labels
	Labels int      `json:"labels"` // of either
	Kappa  *float64 `json:"kappa"`  // Cohen's; null where it is not known
	Differ []string `json:"differ"` // rows, by their ids, in the order of the key
	True   float64  `json:"true"`   // pass rate by the labels of the second, an estimate
}

// Raters compares the labels of a second person with those of the sheet; alpha is as in [LabelledSheet.Worth].
func (l *LabelledSheet) Raters(second *LabelledSheet, alpha float64) (*Raters, error) {
	r := &Raters{Labels: len(l.Labels), Differ: []string{}}
	table := [][]float64{{0, 0}, {0, 0}}
	place := map[bool]int{true: 1}
	for i, passed := range l.Labels {
		table[place[passed]][place[second.Labels[i]]]++
		if passed != second.Labels[i] {
			r.Differ = append(r.Differ, l.Key.Rows[i].ID)
		}
	}
	r.Agree = r.Labels - len(r.Differ)
	if k, known := kappa(table); known {
		r.Kappa = &k
	}
	w, err := second.shares(alpha)
	if err == nil {
		r.True = w.Rate.True
	}
	return r, err
}

// kappa is Cohen's κ (1960, Educational and Psychological Measurement 20:37) of two raters: 1 minus the disagreement
// over that of independent raters with the same shares. The table has a row for each rating of the first and a
// column for each of the second, with counts or shares. It is not known where the table is empty or not square, and
// where both raters say one and the same of every unit.
func kappa(table [][]float64) (k float64, known bool) {
	n := len(table)
	rows, columns := make([]float64, n), make([]float64, n)
	all, same := 0.0, 0.0
	for i, row := range table {
		if len(row) != n {
			return 0, false
		}
		for j, x := range row {
			if !(x >= 0) {
				return 0, false
			}
			rows[i], columns[j], all = rows[i]+x, columns[j]+x, all+x
		}
		same += row[i]
	}
	chance := 0.0
	for i := range n {
		chance += rows[i] / all * columns[i] / all
	}
	if !(all > 0) || chance >= 1 {
		return 0, false
	}
	return (same/all - chance) / (1 - chance), true
}

// alpha is Krippendorff's α for nominal ratings (2011, Computing Krippendorff's Alpha-Reliability): any number of
// raters, of whom some may be missing. Each unit is its ratings, from 0 to categories-1, others are missing, and it
// counts as its weight: that of two is two units. Units with fewer than two ratings say nothing. It is not known where
// no unit has two, and where all ratings are one.
func alpha(units [][]int, weights []float64, categories int) (a float64, known bool) {
	if len(units) != len(weights) || categories < 1 {
		return 0, false
	}
	total := make([]float64, categories) // values that can be paired, by category
	all, differ := 0.0, 0.0
	for i, ratings := range units {
		counts, n := make([]float64, categories), 0.0
		for _, r := range ratings {
			if r >= 0 && r < categories {
				counts[r]++
				n++
			}
		}
		if n < 2 || !(weights[i] > 0) {
			continue
		}
		for c, k := range counts {
			total[c] += weights[i] * k
			differ += weights[i] * k * (n - k) / (n - 1)
		}
		all += weights[i] * n
	}
	chance := 0.0
	for _, k := range total {
		chance += k * (all - k)
	}
	if !(all > 1) || chance <= 0 {
		return 0, false
	}
	return 1 - (all-1)*differ/chance, true
}
