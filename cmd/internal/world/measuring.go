package world

import (
	"fmt"
	"time"
)

// ExperimentProgress tells on stderr how far an experiment is, from its second second on. Its parts
// are few and long, so the clock is read at every one of them.
type ExperimentProgress struct{ *Progress }

// NewMeasuring begins to tell.
func (a *World) NewMeasuring() *ExperimentProgress {
	m := &ExperimentProgress{a.NewProgress()}
	m.Next = m.Next.Add(time.Second - progressDelay)
	return m
}

// Step notes that so many of so many parts are done, and which is next.
func (m *ExperimentProgress) Step(done, all int, part string) {
	if m.Interval == 0 {
		return
	}
	if now := m.Now(); !now.Before(m.Next) {
		m.Next = now.Add(m.Interval)
		m.Say(fmt.Sprintf("measuring: %d of %d: %s", done, all, part))
	}
}
