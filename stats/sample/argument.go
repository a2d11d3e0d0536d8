package sample

import "github.com/tribunal-dev/tribunal/stats"

func argumentError(argument string, value any, problem string) error {
	return &stats.ArgumentError{Argument: argument, Value: value, Problem: problem}
}

// checkOpenUnit returns an error unless 0 < x < 1. NaN is refused.
func checkOpenUnit(argument string, x float64) error {
	if !(x > 0 && x < 1) {
		return argumentError(argument, x, "must lie strictly between 0 and 1")
	}
	return nil
}
