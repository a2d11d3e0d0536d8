package fleet

import (
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/runner"
)

// The rules of leases, on a clock of their own.
func TestLeases(t *testing.T) {
	const hold = 9 * time.Second
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	l := newLeases(hold, now)
	l.add(runner.Errand{ID: "a"}, now)
	first := l.claim(claim{"a", "one"}, now)
	if !first.Granted {
		t.Fatalf("a free errand: %+v", first)
	}
	if other := l.claim(claim{"a", "two"}, now.Add(3*time.Second)); other.Granted || other.Wait != 6*time.Second {
		t.Errorf("while one has it: %+v", other)
	}
	l.renew("one", heldErrand{"a", first.Epoch}, now.Add(3*time.Second))
	// It is free again once nothing was heard for the time of a lease, and no sooner.
	if other := l.claim(claim{"a", "two"}, now.Add(12*time.Second)); other.Granted {
		t.Errorf("at the end of a lease that was renewed: %+v", other)
	}
	after := now.Add(12*time.Second + 1)
	second := l.claim(claim{"a", "two"}, after)
	if !second.Granted || second.Epoch <= first.Epoch {
		t.Fatalf("after the end of the lease: %+v", second)
	}
	// The first worker is late, before and after the second's result; twice the same is one.
	for range 2 {
		if _, v := l.deliver(heldErrand{"a", first.Epoch}, "one", after); v != late {
			t.Errorf("the result of a lease that is over is %v", v)
		}
	}
	l.renew("one", heldErrand{"a", first.Epoch}, after)
	if _, v := l.deliver(heldErrand{"a", second.Epoch}, "two", after); v != taken {
		t.Errorf("the result of the lease is %v", v)
	}
	if _, v := l.deliver(heldErrand{"a", second.Epoch}, "two", after); v != again {
		t.Errorf("and again %v", v)
	}
	l.finish("a")
	if _, v := l.deliver(heldErrand{"a", second.Epoch}, "two", after); v != kept {
		t.Errorf("once the journal has it %v", v)
	}
	if _, v := l.deliver(heldErrand{"a", first.Epoch}, "one", after); v != late {
		t.Errorf("of the first one %v", v)
	}
	if c := l.claim(claim{"a", "three"}, after); !c.Done || c.Granted {
		t.Errorf("what is over is %+v", c)
	}
	if len(l.late) != 1 || l.relost != 1 {
		t.Errorf("%d late, %d again", len(l.late), l.relost)
	}
}

// The result of a lease is late when its time is over, though nobody else asked for it.
func TestResultAfterTheLease(t *testing.T) {
	now := time.Now()
	l := newLeases(time.Second, now)
	l.add(runner.Errand{ID: "a"}, now)
	c := l.claim(claim{"a", "one"}, now)
	if _, v := l.deliver(heldErrand{"a", c.Epoch}, "one", now.Add(time.Second+1)); v != late {
		t.Errorf("it is %v", v)
	}
	// Nobody may renew it either.
	l.renew("one", heldErrand{"a", c.Epoch}, now.Add(time.Second+1))
	if c := l.claim(claim{"a", "two"}, now.Add(time.Second+1)); !c.Granted {
		t.Errorf("the next one gets %+v", c)
	}
}

// An errand of an earlier session is that of who has it, whose epoch is older than all of this one.
func TestRecoveredLeases(t *testing.T) {
	now := time.Now()
	before := newLeases(time.Second, now)
	before.add(runner.Errand{ID: "a"}, now)
	old := before.claim(claim{"a", "one"}, now)

	now = now.Add(time.Minute)
	l := newLeases(time.Second, now)
	l.add(runner.Errand{ID: "a", Again: true}, now)
	l.add(runner.Errand{ID: "b", Again: true}, now)
	if c := l.claim(claim{"a", "two"}, now); c.Granted {
		t.Errorf("another one gets %+v while it is waited for", c)
	}
	l.renew("one", heldErrand{"a", old.Epoch}, now)
	if c := l.claim(claim{"b", "two"}, now.Add(time.Second+1)); !c.Granted {
		t.Errorf("of which nobody has anything is %+v", c)
	}
	if _, v := l.deliver(heldErrand{"a", old.Epoch}, "one", now.Add(time.Second/2)); v != taken {
		t.Errorf("the result of an earlier session is %v", v)
	}
}

// An errand that is lost time and again is given up.
func TestLostTimeAndAgain(t *testing.T) {
	now := time.Now()
	l := newLeases(time.Second, now)
	task := l.add(runner.Errand{ID: "a"}, now)
	for i := range maxLost + 1 {
		if c := l.claim(claim{"a", "one"}, now); !c.Granted {
			t.Fatalf("the claim %d: %+v", i, c)
		}
		now = now.Add(2 * time.Second)
		l.expireAll(now)
	}
	select {
	case r := <-task.arrived:
		if r.Report.Failure == nil || r.Report.Failure.Type != "lost" || r.Report.Failure.Unbegun {
			t.Errorf("it is %+v", r.Report.Failure)
		}
	default:
		t.Error("it is handed out for ever")
	}
	if c := l.claim(claim{"a", "two"}, now); c.Granted {
		t.Errorf("it is handed out once more: %+v", c)
	}
}

// While nobody can reach the coordinator no lease ends; one that is given back ends at once.
func TestExtendedAndFreedLeases(t *testing.T) {
	now := time.Now()
	l := newLeases(time.Second, now)
	l.add(runner.Errand{ID: "a"}, now)
	c := l.claim(claim{"a", "one"}, now)
	for range 5 {
		now = now.Add(900 * time.Millisecond)
		l.extend(now)
		l.expireAll(now)
	}
	if other := l.claim(claim{"a", "two"}, now); other.Granted {
		t.Error("it was handed out")
	}
	l.free(heldErrand{"a", c.Epoch}, now)
	if other := l.claim(claim{"a", "two"}, now); !other.Granted {
		t.Error("what was given back is not handed out")
	}
}
