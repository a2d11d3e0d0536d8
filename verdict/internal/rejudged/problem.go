package rejudged

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
)

// Problem says what of a saved result, or of a part of one, does not fit together, so that it could not even be shown;
// "" if nothing does not. A result says so itself, where it can be put together wrongly: it has a method Problem.
func Problem(result any) string {
	if r, is := result.(interface{ Problem() string }); is {
		return r.Problem()
	}
	return ""
}

// PartProblem is [Problem] of a part that has to be there, with its path. A part that is missing is a nil pointer.
func PartProblem(path string, part any) string {
	if reflect.ValueOf(part).IsNil() {
		return path + " is missing"
	}
	if problem := Problem(part); problem != "" {
		return path + "." + problem
	}
	return ""
}

// CountsProblem says which count of a result is none that a judge would have taken, wherever in the result it stands;
// "" if there is none. A text would show it all the same, beside figures of other trials.
func CountsProblem(result any) string { return countsProblem("", reflect.ValueOf(result)) }

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
		if problem := countsProblem(Join(path, name), v.Field(i)); problem != "" {
			return problem
		}
	}
	passes, counted := counts["passes"]
	if !counted {
		return ""
	}
	for _, name := range []string{"passes", "trials", "errors"} {
		if n := counts[name]; n < 0 || n > stats.MaxTrials {
			return fmt.Sprintf("%s is %d, which is no count of trials", Join(path, name), n)
		}
	}
	if all, known := counts["trials"]; known && passes > all {
		return fmt.Sprintf("%s is %d, of %s", Join(path, "passes"), passes, prose.Count(int(all), "trial"))
	}
	return ""
}
