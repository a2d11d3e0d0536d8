package lazy

import "testing"

func TestRegexp(t *testing.T) {
	digits, broken := Regexp(`^\d+$`), Regexp(`(`)
	first := digits()
	if !first.MatchString("12") || first.MatchString("1a") || digits() != first {
		t.Error("the expression is another, or another at each call")
	}
	defer func() {
		if recover() == nil {
			t.Error("a broken expression is compiled")
		}
	}()
	broken()
}
