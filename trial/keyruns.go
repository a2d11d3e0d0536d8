package trial

import (
	"math/bits"
	"sort"
)

// numbers are the trial numbers of one variant and scenario, with their spots.
type numbers struct {
	highest int64
	runs    []run // of rising numbers, disjoint; all but the last of two or more
	others  table // those that came out of order
}

// run is a number of trials that follow each other in number and lie at equal
// distances in the file.
type run struct {
	index  int64 // of the first
	spot   spot
	stride int64 // from one spot to the next
	count  int64
}

// add adds a number. If it was there, isNew is false and first is its spot.
func (n *numbers) add(index int64, at spot) (first spot, isNew bool) {
	if index > n.highest || len(n.runs) == 0 {
		n.highest = index
		n.append(index, at)
		return at, true
	}
	if first, ok := n.inRuns(index); ok {
		return first, false
	}
	return n.others.add(index, at)
}

// append adds a number above all others: to the last run, if it continues that.
func (n *numbers) append(index int64, at spot) {
	if len(n.runs) > 0 {
		last := &n.runs[len(n.runs)-1]
		distance := int64(at) - int64(last.spot)
		switch {
		case index != last.index+last.count:
			// A number is left out: the run ends.
		case last.count == 1:
			last.stride, last.count = distance, 2
			return
		case distance == last.stride*last.count:
			last.count++
			return
		}
		if last.count == 1 { // it takes less room in the table
			n.others.add(last.index, last.spot)
			n.runs = n.runs[:len(n.runs)-1]
		}
	}
	n.runs = append(n.runs, run{index: index, spot: at, count: 1})
}

// inRuns finds a number in the runs, of which one at most can hold it, and computes its
// spot.
func (n *numbers) inRuns(index int64) (first spot, ok bool) {
	after := sort.Search(len(n.runs), func(i int) bool { return n.runs[i].index > index })
	if after == 0 {
		return 0, false
	}
	r := n.runs[after-1]
	if index-r.index >= r.count {
		return 0, false
	}
	return spot(int64(r.spot) + r.stride*(index-r.index)), true
}

// table is a hash table from numbers to spots: open addressing with linear
// probing (Knuth, TAOCP 6.4, algorithm L), grown by a quarter so that the
// greater part is in use.
type table struct {
	slots []slot
	used  int
}

type slot struct {
	index int64
	spot  spot // 0: empty
}

// add adds a number unless it is there; first is the spot of the one there.
func (t *table) add(index int64, at spot) (first spot, isNew bool) {
	if (t.used+1)*8 > len(t.slots)*7 {
		t.grow()
	}
	s := t.find(index)
	if s.spot != 0 {
		return s.spot, false
	}
	*s = slot{index, at}
	t.used++
	return at, true
}

// find returns the slot of the number, or the empty one where it belongs.
func (t *table) find(index int64) *slot {
	for i := t.home(index); ; i++ {
		if i == len(t.slots) {
			i = 0
		}
		if s := &t.slots[i]; s.spot == 0 || s.index == index {
			return s
		}
	}
}

// home is where the search for a number begins: the number scattered by
// SplitMix64's finaliser (Steele, Lea and Flood 2014), scaled to the size.
func (t *table) home(index int64) int {
	h := uint64(index)
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	high, _ := bits.Mul64(h, uint64(len(t.slots)))
	return int(high)
}

// grow makes room, and puts every number where it belongs now.
func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(8, len(old)+len(old)/4))
	for _, s := range old {
		if s.spot != 0 {
			*t.find(s.index) = s
		}
	}
}
