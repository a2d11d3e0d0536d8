package base

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/memory"
)

func TestMaxMemoryIsASize(t *testing.T) {
	for text, want := range map[string]string{
		"32MiB": "", "3GiB": "", "64gib": "", "31MiB": "must be at least 32MiB", "0": "must be at least 1 byte",
		"2": "must be at least 32MiB", "much": "must be a size", "-1GiB": "must be a size",
		"9999999999999999999GiB": "must be less than",
	} {
		_, err := memorySize.Parse(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if n, err := memorySize.Parse("3GiB"); err != nil || n != 3<<30 || memorySize.Text(n) != "3GiB" {
		t.Errorf("3GiB is %d, %s, %v", n, memorySize.Text(n), err)
	}
	if memory.DefaultCeiling() > 2<<30 {
		t.Error("the default is larger than the help says")
	}
}
