package simulation

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// clock is a simulated clock: it stands still while anybody works, and then jumps to
// the next time at which one of those who wait is due. Nobody sleeps.
type clock struct {
	mutex   sync.Mutex
	arrived *sync.Cond // somebody waits, or the context ended
	now     time.Duration
	waiting appointments
	ended   []int // the numbers of those who were due, in their order
}

func newClock() *clock {
	c := &clock{}
	c.arrived = sync.NewCond(&c.mutex)
	return c
}

// wait returns once so much time has passed, or the context has ended. Of several who
// are due at once the one with the lowest number is first.
func (c *clock) wait(ctx context.Context, d time.Duration, number int) {
	a := appointment{number: number, due: make(chan struct{})}
	c.mutex.Lock()
	a.at = c.now + d
	heap.Push(&c.waiting, a)
	c.mutex.Unlock()
	c.arrived.Signal()
	select {
	case <-a.due:
	case <-ctx.Done():
	}
}

// advance waits until so many wait, moves the clock to the first of them, and lets it
// go on. It does nothing once the context has ended.
func (c *clock) advance(ctx context.Context, expected int) {
	defer context.AfterFunc(ctx, func() {
		c.mutex.Lock() // or who is about to wait would miss it
		defer c.mutex.Unlock()
		c.arrived.Broadcast()
	})()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for len(c.waiting) < expected && ctx.Err() == nil {
		c.arrived.Wait()
	}
	if expected == 0 || ctx.Err() != nil {
		return
	}
	first := heap.Pop(&c.waiting).(appointment)
	c.now = first.at
	c.ended = append(c.ended, first.number)
	close(first.due)
}

// appointment is when somebody who waits is due.
//
// A number breaks ties, so that a run does not depend on which goroutine came first.
type appointment struct {
	at     time.Duration
	number int
	due    chan struct{}
}

// appointments are a heap, the next one first.
type appointments []appointment

// These five are heap.Interface.
func (a appointments) Len() int      { return len(a) }
func (a appointments) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a appointments) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].number < a[j].number
}
func (a *appointments) Push(x any) { *a = append(*a, x.(appointment)) }
func (a *appointments) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}
