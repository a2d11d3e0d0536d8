package bench

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCells(t *testing.T) {
	for _, c := range []struct{ got, want Cell }{
		{Number(1.25, 1), Cell{"1.2", "1.25"}},
		{Number(1e-9, 2), Cell{"0.00", "1e-09"}},
		{Number(math.NaN(), 2), Cell{"-", ""}},
		{Number(math.Inf(-1), 2), Cell{"-", ""}},
		{Count(7), Cell{"7", "7"}},
		{Percent(.0375, 1), Cell{"3.8%", "0.0375"}},
		{Percent(0, 1), Cell{"0.0%", "0"}},
		{Percent(1e-6, 2), Cell{"<0.01%", "1e-06"}},
		{Percent(-1, 0), Cell{"-100%", "-1"}},
		{Percent(math.NaN(), 1), Unknown()},
		{Word("a"), Cell{"a", "a"}},
	} {
		if c.got != c.want {
			t.Errorf("%+v, not %+v", c.got, c.want)
		}
	}
}

func small() Table {
	return Table{Title: "A table", Columns: []Column{
		{Name: "who", Header: "who", Words: true}, {Name: "share", Header: "share"}, {Name: "n", Header: "trials",
			Drop: 1},
	}, Rows: [][]Cell{
		{Word("=1+1"), Percent(.5, 0), Count(-3)}, {Word("a, \"b\""), Unknown()},
	}}
}

func TestPageAsText(t *testing.T) {
	p := Page{Title: "A title.", Tables: []Table{small()}, Notes: []string{"A note that is too long for one line."}}
	var out bytes.Buffer
	if err := p.WriteText(&out, 26); err != nil {
		t.Fatal(err)
	}
	const want = "A title.\n\nA table\n  who     share  trials\n  =1+1      50%      -3\n  a, \"b\"      -\n\n" +
		"A note that is too long\nfor one line.\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	// Without room a column is left out.
	out.Reset()
	if err := p.WriteText(&out, 18); err != nil || bytes.Contains(out.Bytes(), []byte("trials")) {
		t.Errorf("%s %v", out.String(), err)
	}
}

func TestTableAsCSV(t *testing.T) {
	var out bytes.Buffer
	if err := small().WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	const want = "who,share,n\n'=1+1,0.5,-3\n\"a, \"\"b\"\"\",,\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// fullWriter is a writer that has no room.
type fullWriter struct{}

var errFull = errors.New("disk full")

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

func TestTableWriteErrors(t *testing.T) {
	if err := (Page{Title: "A"}).WriteText(fullWriter{}, 80); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := small().WriteCSV(fullWriter{}); !errors.Is(err, errFull) {
		t.Error(err)
	}
}
