package lazy

import "testing"

func TestRegexp(t *testing.T) {
	digits, broken := Regexp(`^\d+$`), Regexp(`(`)
	if !digits().MatchString("12") || digits().MatchString("1a") || digits() != digits() {
		t.Error("the expression is another, or another at each call")
	}
	defer func() {
		if recover() == nil {
			t.Error("a broken expression is compiled")
		}
	}()
	broken()
}
