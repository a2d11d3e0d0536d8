package world

import (
	"fmt"
	"time"
)

// DesignProgress tells on stderr how far a design is, from its second second on.
type DesignProgress struct {
	*Progress
	// The largest share so far, from 0 to 1.
	most float64
	told bool // where nobody watches, that it takes its time
}

// NewDesigning begins to tell after one second in place of progressDelay: nothing else
// moves on the screen while a design is sought.
func (a *World) NewDesigning() *DesignProgress {
	d := &DesignProgress{Progress: a.NewProgress()}
	d.Next = d.Next.Add(time.Second - progressDelay)
	return d
}

// Share notes the share of the work that is done. A search that starts again does
// not go back.
func (d *DesignProgress) Share(x float64) {
	d.most = max(d.most, x)
	// Neither a terminal nor CI: one line is enough for whoever looks why nothing happens.
	if d.Interval == 0 {
		if !d.told && !d.Now().Before(d.Next.Add(plainInterval)) {
			d.told = true
			d.Say(fmt.Sprintf("designing: %.0f %%; a test of many trials takes its time", 100*d.most))
		}
		return
	}
	if now := d.Now(); !now.Before(d.Next) {
		d.Next = now.Add(d.Interval)
		d.Say(fmt.Sprintf("designing: %.0f %%", 100*d.most))
	}
}
