package warehouse

import (
	"cmp"
	"fmt"
	"strings"
)

// tableTrials reads a table that has a row for each trial. Scenario and outcome are columns of these names unless
// others are given; a variant is asked for only where a column is named.
func tableTrials(q Query) (*trials, error) {
	d := q.Dialect
	table, err := d.table(q.Table)
	if err != nil {
		return nil, err
	}
	t := &trials{}
	var list [][2]string
	add := func(what, column, as string, expr func(string) string) bool {
		if column == "" || err != nil {
			return false
		}
		var name string
		if name, err = d.column("column of the "+what, column); err == nil {
			list = append(list, [2]string{expr(name), as})
		}
		return true
	}
	known := func(column string) string { return "COALESCE(" + d.text(column) + ", '')" }
	if q.Variant == "" {
		list = append(list, [2]string{"''", "variant"})
	}
	add("variant", q.Variant, "variant", known)
	add("scenario", cmp.Or(q.Scenario, "scenario"), "scenario", known)
	t.input = add("input", q.Input, "input", func(column string) string { return d.digest(known(column)) })
	t.id = add("id", q.ID, "trial_id", d.text)
	word, score := "", ""
	if q.Outcome != "" || q.Score == "" {
		name, wrong := d.column("column of the outcome", cmp.Or(q.Outcome, "outcome"))
		if err = cmp.Or(err, wrong); err != nil {
			return nil, err
		}
		word = d.text(name)
	}
	if q.Score != "" {
		name, wrong := d.column("column of the score", q.Score)
		if err = cmp.Or(err, wrong); err != nil {
			return nil, err
		}
		score = d.double(name)
	}
	list = append(list, [2]string{q.outcome(word, score), "outcome"})
	for i, column := range []string{q.Cost, q.Tokens, q.Turns, q.ToolCalls, q.ToolErrors, q.Duration} {
		metric := Metrics()[i]
		if add(metric, column, metric, d.double) {
			t.metrics = append(t.metrics, metric)
		}
	}
	for i, m := range q.Measures {
		if wrong := check("measure", m.Name); wrong != nil {
			return nil, wrong
		}
		add("measure "+m.Name, m.Column, fmt.Sprintf("m%d", i+1), d.double)
		t.measures = append(t.measures, m.Name)
	}
	if err != nil {
		return nil, err
	}
	t.rows = "SELECT\n" + d.as(list) + "\nFROM " + table
	if q.Time != "" {
		name, err := d.column("column of the time", q.Time)
		if err != nil {
			return nil, err
		}
		if period := q.period(name); period != "" {
			t.rows += "\nWHERE " + period
		}
	}
	return t, nil
}

// period is the condition that a point of time lies in the period; "" without one.
func (q Query) period(expr string) string {
	var both []string
	if !q.Since.IsZero() {
		both = append(both, expr+" >= "+q.Dialect.at(q.Since))
	}
	if !q.Until.IsZero() {
		both = append(both, expr+" < "+q.Dialect.at(q.Until))
	}
	return strings.Join(both, " AND ")
}
