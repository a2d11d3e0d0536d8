package cli

import (
	"fmt"
	"time"
)

// designing tells on stderr how far a design is, from its second second on.
type designing struct {
	*progress
	// The largest share so far, from 0 to 1.
	most float64
	told bool // where nobody watches, that it takes its time
}

// newDesigning begins to tell after one second in place of progressDelay: nothing else
// moves on the screen while a design is sought.
func (a *App) newDesigning() *designing {
	d := &designing{progress: a.newProgress()}
	d.next = d.next.Add(time.Second - progressDelay)
	return d
}

// share notes the share of the work that is done. A search that starts again does
// not go back.
func (d *designing) share(x float64) {
	d.most = max(d.most, x)
	// Neither a terminal nor CI: one line is enough for whoever looks why nothing happens.
	if d.interval == 0 {
		if !d.told && !d.now().Before(d.next.Add(plainInterval)) {
			d.told = true
			d.say(fmt.Sprintf("designing: %.0f %%; a test of many trials takes its time", 100*d.most))
		}
		return
	}
	if now := d.now(); !now.Before(d.next) {
		d.next = now.Add(d.interval)
		d.say(fmt.Sprintf("designing: %.0f %%", 100*d.most))
	}
}
