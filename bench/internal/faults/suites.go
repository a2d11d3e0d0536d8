package faults

import (
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/coverage"
)

// design draws the tasks of one of so many suites of an agent, which is the more thorough the higher its number.
type design struct {
	name, text string
	tasks      func(a *agent, random *rand.Rand, suite, suites int) []task
}

// equalSize is the number of trials of suites of one size; chosen.
const equalSize = 30

// designs are both ways to be thorough: more of the same, or as much of more.
var designs = []design{
	{"size", "more trials", func(a *agent, random *rand.Rand, suite, _ int) (list []task) {
		for range 10 + 3*suite {
			list = append(list, a.ask(random, tools, models, 0.1))
		}
		return list
	}},
	{"breadth", "30 trials of more", func(a *agent, random *rand.Rand, suite, suites int) (list []task) {
		share := float64(suite+1) / float64(suites)
		breadth := 2 + int(share*(tools-2)+0.5)
		for range equalSize {
			list = append(list, a.ask(random, breadth, 1+int(share*(models-1)+0.5), 0.3*share))
		}
		return list
	}},
}

// measurement is what a suite covers, and how many distinct faults its trials meet.
type measurement struct{ coverage, seen, unseen float64 }

// run runs a suite.
func (a *agent) run(tasks []task) (m measurement, err error) {
	collector, err := coverage.NewCollector(declared())
	if err != nil {
		return m, err
	}
	for _, x := range tasks {
		collector.Add(x.trial())
	}
	if overall := collector.Measure().Overall; overall != nil {
		m.coverage = *overall
	}
	met := func(list []fault) (n float64) {
		for _, f := range list {
			for _, x := range tasks {
				if f(x) {
					n++
					break
				}
			}
		}
		return n
	}
	m.seen, m.unseen = met(a.seen), met(a.unseen)
	return m, nil
}
