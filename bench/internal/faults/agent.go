package faults

import (
	"math/rand/v2"
	"strconv"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/trial"
)

// What the agents are like. All of it is chosen.
const (
	tools       = 12
	models      = 3
	most        = 100 // of the one parameter of each tool, which is at least 1
	longest     = 5   // calls of a task
	faultsASide = 15  // that coverage has an eye on, and as many that it has not
	strays      = 0.1 // chance that the agent calls a tool that the task does not take
)

// call is a call of a tool, by its number, with its argument.
type call struct{ tool, argument int }

// task is what a trial is about.
type task struct {
	calls []call
	model int
}

// fault is one that a trial meets, or does not.
type fault func(task) bool

// agent is one with its faults.
type agent struct {
	order []int // the tools, those that are asked for most first
	// seen are faults at what coverage counts: a tool, one tool right after another, a limit, a tool on a model. The
	// unseen ones are at what it does not: a value among many, two tools apart from each other, a tool in a long task.
	seen, unseen []fault
}

// newAgent draws an agent.
func newAgent(random *rand.Rand) *agent {
	a := &agent{order: random.Perm(tools)}
	tool := func() int { return random.IntN(tools) }
	for i := range faultsASide {
		t, other, limit, model := tool(), tool(), 1+(most-1)*random.IntN(2), random.IntN(models)
		a.seen = append(a.seen, []fault{
			func(x task) bool { return x.has(func(c call) bool { return c.tool == t }) },
			func(x task) bool { return x.follows(other, t) },
			func(x task) bool { return x.has(func(c call) bool { return c == call{t, limit} }) },
			func(x task) bool { return x.model == model && x.has(func(c call) bool { return c.tool == t }) },
		}[i%4])
		value := 2 + random.IntN(most-12)
		a.unseen = append(a.unseen, []fault{
			func(x task) bool {
				return x.has(func(c call) bool { return c.tool == t && c.argument >= value && c.argument < value+10 })
			},
			func(x task) bool { return x.apart(t, other) },
			func(x task) bool { return len(x.calls) >= longest && x.has(func(c call) bool { return c.tool == t }) },
		}[i%3])
	}
	return a
}

func (x task) has(what func(call) bool) bool {
	for _, c := range x.calls {
		if what(c) {
			return true
		}
	}
	return false
}

// follows reports whether a tool is called right after another.
func (x task) follows(first, second int) bool {
	for i := 1; i < len(x.calls); i++ {
		if x.calls[i-1].tool == first && x.calls[i].tool == second {
			return true
		}
	}
	return false
}

// apart reports whether a tool is called some steps after another.
func (x task) apart(first, second int) bool {
	for i := range x.calls {
		for j := i + 2; j < len(x.calls); j++ {
			if x.calls[i].tool == first && x.calls[j].tool == second {
				return true
			}
		}
	}
	return false
}

// ask draws a task of the first so many tools of the order, the earlier ones more often (as 1/rank), on the first so
// many models, with a chance that an argument is a limit. What is done is the task, and now and then a tool more.
func (a *agent) ask(random *rand.Rand, breadth, onModels int, limits float64) task {
	total := 0.0
	for i := range breadth {
		total += 1 / float64(i+1)
	}
	draw := func() call {
		at := 0
		for x := random.Float64() * total; at < breadth-1; at++ {
			if x -= 1 / float64(at+1); x < 0 {
				break
			}
		}
		c := call{a.order[at], 2 + random.IntN(most-2)}
		if random.Float64() < limits {
			c.argument = 1 + (most-1)*random.IntN(2)
		}
		return c
	}
	var x task
	for range 1 + random.IntN(longest) {
		x.calls = append(x.calls, draw())
	}
	if random.Float64() < strays {
		x.calls = append(x.calls, draw())
	}
	x.model = random.IntN(onModels)
	return x
}

// declared is what is known of the agents.
func declared() coverage.Declaration {
	d := coverage.Declaration{Boundaries: map[string]map[string]coverage.Domain{}, Lambda: 150}
	for t := range tools {
		name := strconv.Itoa(t)
		d.Tools = append(d.Tools, name)
		d.Boundaries[name] = map[string]coverage.Domain{"n": {Minimum: trial.Some(1.0), Maximum: trial.Some(float64(most))}}
	}
	for m := range models {
		d.Models = append(d.Models, "m"+strconv.Itoa(m))
	}
	return d
}

// trial is the record of a task that was done.
func (x task) trial() *trial.Trial {
	t := &trial.Trial{Scenario: "s", Outcome: trial.Pass, Model: "m" + strconv.Itoa(x.model), Steps: []trial.Step{}}
	for _, c := range x.calls {
		t.Steps = append(t.Steps, trial.Step{
			Action: trial.CallTool, Tool: strconv.Itoa(c.tool), Arguments: trial.Raw(`{"n":` + strconv.Itoa(c.argument) + `}`),
		})
	}
	return t
}
