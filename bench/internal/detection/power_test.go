package detection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

type randSource = rand.Rand

// The simulated agent has fourteen columns beside the wall time; four vary, as normal
// numbers with the deviations and the correlations that it was asked for.
func TestShiftedAgentHasTheColumnsItPromises(t *testing.T) {
	const trials, rho = 1000, 0.6
	agent, err := newShiftedAgent(rho)
	if err != nil {
		t.Fatal(err)
	}
	random := seeded.Stream(2, 2)
	var sides [2]fingerprint.Sample
	for range trials {
		sides[0].Add(agent.draw(random, [Varying]float64{}))
		sides[1].Add(agent.draw(random, [Varying]float64{2, 0, 0, 0}))
	}
	c, err := fingerprint.Compare(t.Context(), &sides[0], &sides[1], fingerprint.Options{Permutations: 9})
	if err != nil {
		t.Fatal(err)
	}
	states := make(map[fingerprint.Status][]string)
	for _, column := range c.Columns {
		states[column.Status] = append(states[column.Status], column.Column.Name)
	}
	if len(c.Columns) != 16 || len(states[fingerprint.Tested]) != 4 || len(states[fingerprint.Constant]) != 11 ||
		len(states[fingerprint.LeftOut])+len(states[fingerprint.Unknown]) != 1 {
		t.Errorf("%d columns: %v", len(c.Columns), states)
	}
	v := fingerprint.NewVocabulary(&sides[0])
	rows := rowsOfFour(v, &sides[0])
	var means, variances [Varying]float64
	for _, row := range rows {
		for j, x := range row {
			z := (x - columnMeans[j]) / columnSpans[j]
			means[j] += z / trials
			variances[j] += z * z / trials
		}
	}
	for j := range means {
		if math.Abs(means[j]) > 4/math.Sqrt(trials) || math.Abs(variances[j]-1) > 4*math.Sqrt(2.0/trials) {
			t.Errorf("%s: mean %v, variance %v", columnNames[j], means[j], variances[j])
		}
	}
	products := 0.0
	for _, row := range rows {
		products += (row[0] - columnMeans[0]) / columnSpans[0] * (row[2] - columnMeans[2]) / columnSpans[2] / trials
	}
	if math.Abs(products-rho*rho) > 4*math.Sqrt((1+rho*rho*rho*rho)/trials) {
		t.Errorf("columns 0 and 2 correlate with %v, not %v", products, rho*rho)
	}
	// A shift of the first innovation is its own Mahalanobis distance, and what the
	// columns after it follow by is its correlation with them.
	shifted := rowsOfFour(v, &sides[1])
	h, err := hotelling.Test(rows, shifted)
	if err != nil || math.Abs(h.Distance-2) > 0.2 {
		t.Errorf("distance %v, %v", h.Distance, err)
	}
}

// T² on the columns that vary has the power of the noncentral F.
func TestReferenceHasItsExactPower(t *testing.T) {
	distance, err := Distance(4, 20, 20, 0.86, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if power, err := hotelling.Power(4, 20, 20, distance, 0.05); err != nil || math.Abs(power-0.86) > 1e-9 {
		t.Errorf("power %v at distance %v, %v", power, distance, err)
	}
	runs, _ := effort()
	runs = min(runs, 400)
	p, err := Power(context.Background(), Shift{Baseline: 20, Candidate: 20, Distance: distance, Correlation: 0.5},
		Options{Runs: runs, Seed: 3, Compare: fingerprint.Options{Permutations: 9}})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Reference.Share(); math.Abs(got-0.86) > 4*math.Sqrt(0.86*0.14/float64(runs)) {
		t.Errorf("power %v", got)
	}
	for _, power := range []float64{0, 0.05, 1, math.NaN()} {
		if _, err := Distance(4, 20, 20, power, 0.05); err == nil {
			t.Errorf("power %v is accepted", power)
		}
	}
	if _, err := Power(context.Background(), Shift{Correlation: 1}, Options{Runs: 1}); err == nil {
		t.Error("a correlation of 1 is accepted")
	}
}

// TestBehaviourPower: where four of fourteen columns vary, the default test finds a
// shift as often as T² that knows which four, less two points. Logged is a table of
// the manual, with TRIBUNAL_LONG=1 as it is printed there.
func TestBehaviourPower(t *testing.T) {
	sizes := [][2]int{{10, 10}, {20, 20}, {30, 30}, {50, 50}}
	kinds := []Shift{{}, {OneColumn: true}, {Correlation: 0.6}}
	if !long() {
		sizes, kinds = [][2]int{{10, 10}, {20, 20}}, kinds[:1]
	}
	at20, err := Distance(Varying, 20, 20, 0.86, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the distance that T² on four columns finds with 0.86 at 20 a side is %.4f", at20)
	for _, kind := range kinds {
		for _, n := range sizes {
			shift := kind
			shift.Baseline, shift.Candidate = n[0], n[1]
			if shift.Distance, err = Distance(Varying, n[0], n[1], 0.86, 0.05); err != nil {
				t.Fatal(err)
			}
			comparePower(t, shift)
			if n[0] != 20 && long() {
				shift.Distance = at20
				comparePower(t, shift)
			}
		}
	}
}

// TestBehaviourPowerAgainstStoredBaseline: ten trials against a baseline of a hundred,
// and the shift that T² on the four columns finds with 0.86 at 20 a side; here that T²
// has 0.858. The default test must not be shown to have less than 0.86 where columns
// are independent; a shift of one column exceeds it, one of any direction is at its
// edge. Where columns correlate it falls short, and is held to be near T² alone.
func TestBehaviourPowerAgainstStoredBaseline(t *testing.T) {
	kinds := []Shift{{OneColumn: true}, {}, {Correlation: 0.6}}
	if !long() {
		kinds = kinds[:1]
	}
	distance, err := Distance(Varying, 20, 20, 0.86, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := hotelling.Power(Varying, 100, 10, distance, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	for _, shift := range kinds {
		shift.Baseline, shift.Candidate, shift.Distance = 100, 10, distance
		p := comparePower(t, shift)
		// The difference to T² varies less than the share, and the power of T² is known.
		power := exact + p.Difference
		t.Logf("T² on the four has %.4f, the default test %.4f ± %.4f", exact, power, p.StdErr)
		if shift.Correlation == 0 && power < 0.86-3*p.StdErr {
			t.Errorf("%s: power %.4f ± %.4f, less than 0.86", kindOf(shift), power, p.StdErr)
		}
	}
}

func comparePower(t *testing.T, shift Shift) Powers {
	t.Helper()
	runs, permutations := powerEffort()
	p, err := Power(context.Background(), shift,
		Options{Runs: runs, Seed: 11, Compare: fingerprint.Options{Permutations: permutations}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("| %s | %d, %d | %.3f | %v | %v | %v | %v | %+.1f ± %.1f |", kindOf(shift), shift.Baseline,
		shift.Candidate, shift.Distance,
		p.Default, p.Shrunk, p.Hotelling, p.Reference, 100*p.Difference, 100*p.StdErr)
	if p.Difference < -0.02-3*p.StdErr {
		t.Errorf("%+v: the default test finds %v, T² on the columns that vary %v", shift, p.Default, p.Reference)
	}
	return p
}

// powerEffort is effort with fewer relabelings in long runs: most runs find the shift,
// and none of those stops early.
func powerEffort() (runs, permutations int) {
	if runs, permutations = effort(); long() {
		permutations = 999
	}
	return runs, permutations
}

func kindOf(s Shift) string {
	name := "any direction"
	if s.OneColumn {
		name = "one column"
	}
	if s.Correlation != 0 {
		name += fmt.Sprintf(", correlation %g", s.Correlation)
	}
	return name
}

// A shift of one of fourteen columns that all vary, by three deviations, shows in ten
// trials with a power of 0.95.
func TestBehaviourPowerOfOneColumn(t *testing.T) {
	runs, permutations := powerEffort()
	runs = max(runs, 200) // they are quick
	p, err := PowerOfOne(context.Background(), 14, 10, 3,
		Options{Runs: runs, Seed: 7, Compare: fingerprint.Options{Permutations: permutations}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("default %v, shrunk %v, leading components %v, T² on all fourteen %v", p.Default, p.Shrunk, p.Hotelling,
		p.Reference)
	exact, err := hotelling.Power(14, 10, 10, 3, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if got, n := p.Reference.Share(), float64(runs); math.Abs(got-exact) > 4*math.Sqrt(exact*(1-exact)/n) {
		t.Errorf("T² finds %v, exactly %v", got, exact)
	}
	if got := p.Default.Share(); got < 0.95-3*math.Sqrt(0.95*0.05/float64(runs)) {
		t.Errorf("the default test finds %v, less than 95 %%", p.Default)
	}
}
