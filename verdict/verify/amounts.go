package verify

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// mostAttempts is how many attempts a trial may have whose amounts are added up. It is far more than a suite can ask
// for, and sums over all trials of a result stay finite.
const mostAttempts = 1000

// amountsProblem says which trial of a run took what no trial can; "" if none did. Everything that is summed up,
// projected or drawn of a result goes back to these.
func amountsProblem(r *runs.Result) string {
	for i := range r.Trials {
		t := &r.Trials[i]
		for _, a := range []struct {
			name  string
			value *float64
		}{{"cost_usd", t.CostUSD}, {"duration_s", t.Duration}} {
			if problem := amountProblem(a.value, mostAttempts*trial.MaxAmount); problem != "" {
				return fmt.Sprintf("trials[%d].%s %s", i, a.name, problem)
			}
		}
		for _, n := range []struct {
			name  string
			value *int64
		}{{"input_tokens", t.InputTokens}, {"output_tokens", t.OutputTokens}} {
			if n.value != nil && (*n.value < 0 || *n.value > mostAttempts*trial.MaxTokens) {
				return fmt.Sprintf("trials[%d].%s is %d, which no trial takes", i, n.name, *n.value)
			}
		}
	}
	return ""
}

// amountProblem says what is wrong with an amount; "" if nothing is.
func amountProblem(x *float64, most float64) string {
	if x == nil || *x >= 0 && *x <= most {
		return ""
	}
	return fmt.Sprintf("is %v, which no trial takes", *x)
}

// countsProblem says which count of a result is none that a judge would have taken, wherever in the result it stands;
// "" if there is none. A text would show it all the same, beside figures of other trials.
func countsProblem(path string, v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return countsProblem(path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if problem := countsProblem(fmt.Sprintf("%s[%d]", path, i), v.Index(i)); problem != "" {
				return problem
			}
		}
	case reflect.Struct:
		return fieldsProblem(path, v)
	}
	return ""
}

// fieldsProblem is countsProblem of a struct. Trials beside passes are counted ones.
func fieldsProblem(path string, v reflect.Value) string {
	counts := map[string]int64{}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if v.Field(i).Kind() == reflect.Int {
			counts[name] = v.Field(i).Int()
		}
		if problem := countsProblem(rejudged.Join(path, name), v.Field(i)); problem != "" {
			return problem
		}
	}
	passes, counted := counts["passes"]
	if !counted {
		return ""
	}
	for _, name := range []string{"passes", "trials", "errors"} {
		if n := counts[name]; n < 0 || n > stats.MaxTrials {
			return fmt.Sprintf("%s is %d, which is no count of trials", rejudged.Join(path, name), n)
		}
	}
	if all, known := counts["trials"]; known && passes > all {
		return fmt.Sprintf("%s is %d, of %s", rejudged.Join(path, "passes"), passes, prose.Count(int(all), "trial"))
	}
	return ""
}
