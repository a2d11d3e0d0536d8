package warehouse

import (
	"fmt"
	"strings"
)

// What the rows of spans and observations have in common: columns trace_id, kind ('llm', 'tool', 'step' or
// 'none'), tool, failed (1 or 0), input_tokens, output_tokens, more_tokens (of the total that neither counts) and
// cost_usd.

// spanMetrics are the columns of a trace that its spans tell.
func (d Dialect) spanMetrics(tools []string) (list [][2]string, measures []string) {
	n := d.quoted
	count := func(condition string) string { return d.double("SUM(CASE WHEN " + condition + " THEN 1 ELSE 0 END)") }
	step := n("kind") + " <> 'none'"
	sum := func(column string) string { return "SUM(CASE WHEN " + step + " THEN " + n(column) + " END)" }
	list = [][2]string{
		{sum("cost_usd"), "cost_usd"},
		{sum("input_tokens") + " + " + sum("output_tokens") + " + COALESCE(" + sum("more_tokens") + ", 0)", "tokens"},
		{count(n("kind") + " = 'llm'"), "turns"},
		{count(n("kind") + " = 'tool'"), "tool_calls"},
		{count(n("kind") + " = 'tool' AND " + n("failed") + " = 1"), "tool_errors"},
		{count(step), "m1"},
		{sum("output_tokens"), "m2"},
		{d.double("MAX(CASE WHEN " + step + " AND " + n("failed") + " = 1 THEN 1 ELSE 0 END)"), "m3"},
	}
	measures = []string{"steps", "output_tokens", "any_error"}
	for _, tool := range tools {
		measures = append(measures, "tool."+tool)
		list = append(list, [2]string{count(n("kind") + " = 'tool' AND " + n("tool") + " = " + d.literal(tool)),
			fmt.Sprintf("m%d", len(measures))})
	}
	return list, measures
}

// checkTools refuses names that no query holds.
func checkTools(tools []string) error {
	for _, tool := range tools {
		if err := check("tool", tool); err != nil {
			return err
		}
	}
	return nil
}

// firstOf is the first of several texts that is not empty.
func firstOf(list ...string) string {
	for i := range list {
		list[i] = "NULLIF(" + list[i] + ", '')"
	}
	if len(list) == 1 {
		return list[0]
	}
	return "COALESCE(" + strings.Join(list, ", ") + ")"
}

// scenarioKeys are those under which users tell which task a trace is of.
func scenarioKeys() []string {
	return []string{"scenario", "scenario_id", "task_id", "test_case_id", "test_name", "sample_id", "dataset_item_id"}
}
