package heap

import "testing"

// What is held is seen, and what was held before is not.
func TestGrowth(t *testing.T) {
	var held []byte
	if got := Growth(func() { held = make([]byte, 64<<20) }); got < 64<<20 || got > 80<<20 {
		t.Errorf("of 64 MiB %d bytes are seen", got)
	}
	if got := Growth(func() { held[0] = 1 }); got > 16<<20 {
		t.Errorf("of nothing %d bytes are seen", got)
	}
	if held[0] != 1 {
		t.Error("what is held is lost")
	}
}
