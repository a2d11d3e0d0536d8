package main

import (
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// taken is how long one operation took, in seconds.
type taken struct{ wall, cpu float64 }

// race is a work that both sides do, round by round.
type race struct {
	work
	id           string
	least        time.Duration // of a side in a round
	ours, theirs []taken
	difference   float64 // largest of the values so far
	leftOut      bool    // Python lacks what it takes
}

// errDisagree says that a value of ours is not the peer's.
var errDisagree = errors.New("the values differ")

// round lets both sides work once, the peer first or last.
func (r *race) round(p *peer, peerFirst bool) error {
	if err := r.search(p); err != nil {
		return err
	}
	var mine, value []float64
	us := func() error {
		spent, found, err := timed(r.work.ours, r.least)
		mine = found
		r.ours = append(r.ours, spent)
		return err
	}
	them := func() error {
		spent, err := p.ask(request{r.id, r.task, r.args, r.least.Seconds()}, &value)
		r.theirs = append(r.theirs, spent)
		return err
	}
	if peerFirst {
		us, them = them, us
	}
	if err := us(); err != nil {
		return err
	}
	if err := them(); err != nil {
		return err
	}
	return r.check(mine, value)
}

func (r *race) check(mine, value []float64) error {
	difference, ok := r.agree(mine, value)
	if !ok {
		return fmt.Errorf("%w: ours %v, %s %v", errDisagree, mine, r.peer, value)
	}
	r.difference = max(r.difference, difference)
	return nil
}

// search finds the least number of points, from SciPy's default on, at which the peer is
// as accurate as ours is proved to be.
func (r *race) search(p *peer) error {
	if r.args["points"] != searched {
		return nil
	}
	mine, err := r.work.ours()
	if err != nil {
		return err
	}
	for points := 32; ; points *= 2 {
		r.args["points"] = points
		var value []float64
		if _, err := p.ask(request{fmt.Sprint(r.id, "/", points), r.task, r.args, 0}, &value); err != nil {
			return err
		}
		if err := r.check(mine, value); err == nil || points > 10_000 {
			r.peer = fmt.Sprintf("%s: n=%d", r.peer, points)
			return err
		}
	}
}

// timed does an operation for at least so long, once at least.
func timed(do func() ([]float64, error), least time.Duration) (taken, []float64, error) {
	count := 0
	cpu, wall := cpuSeconds(), time.Now()
	for {
		value, err := do()
		if err != nil {
			return taken{}, nil, err
		}
		count++
		if elapsed := time.Since(wall); elapsed >= least {
			n := float64(count)
			return taken{elapsed.Seconds() / n, (cpuSeconds() - cpu) / n}, value, nil
		}
	}
}

// row sums up the rounds.
func (r *race) row() row {
	return row{said: r.said, name: r.name, size: r.size, peer: r.peer, operations: r.operations, ours: r.ours, theirs: r.theirs, difference: &r.difference}
}

// startRace runs programs that do next to nothing.
type startRace struct {
	ours, theirs []string
	row          row
}

func startRaces(program, python string) []*startRace {
	of := func(name, peer, code string, args ...string) *startRace {
		return &startRace{
			ours: append([]string{program}, args...), theirs: []string{python, "-c", code},
			row: row{name: name, size: "a process", peer: peer, operations: 1},
		}
	}
	return []*startRace{
		of("start `tribunal version`", "`python3 -c pass`", "pass", "version"),
		of("start `tribunal --help`", "`import scipy`", "import scipy", "--help"),
		of("`tribunal verdict` on counts", "`import scipy.stats`", "import scipy.stats", "verdict", "--passes", "50", "--trials", "50", "--threshold", "0.85"),
	}
}

// round starts both, several times: the least of a round counts, for a process that waits
// for a processor is not slow to start.
func (s *startRace) round(short bool) error {
	times := 10
	if short {
		times = 1
	}
	for _, side := range []struct {
		command []string
		into    *[]taken
	}{{s.ours, &s.row.ours}, {s.theirs, &s.row.theirs}} {
		var best taken
		for i := range times {
			command := exec.Command(side.command[0], side.command[1:]...)
			start := time.Now()
			if err := command.Run(); err != nil {
				return err
			}
			spent := taken{time.Since(start).Seconds(), (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()}
			if i == 0 || spent.wall < best.wall {
				best.wall = spent.wall
			}
			if i == 0 || spent.cpu < best.cpu {
				best.cpu = spent.cpu
			}
		}
		*side.into = append(*side.into, best)
	}
	return nil
}
