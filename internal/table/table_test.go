package table

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func lines(t testing.TB, table Table) []string {
	t.Helper()
	if table.Ellipsis == "" {
		table.Ellipsis = "…"
	}
	got, err := table.Lines()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTextsAreLeftAsTheyAre(t *testing.T) {
	got := lines(t, Table{
		Columns: []Column{{Header: "p_value"}, {Header: "cost.per_success", Align: Right}, {Header: "snake_case.x"}},
		Rows:    [][]string{{"  indented", "1", "trailing "}, {"", "", ""}, {"a", "total", "total"}, {"a"}},
		Width:   80,
		Indent:  1,
	})
	want := []string{
		" p_value     cost.per_success  snake_case.x",
		"   indented                 1  trailing",
		"",
		" a                      total  total",
		" a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The environment is read when the process starts, so the test runs itself again.
func TestLocaleHasNoSay(t *testing.T) {
	table := Table{
		Columns: []Column{{Header: "name", Least: 6}, {Header: "━━│█●", Align: Right}, {Header: "x"}},
		Rows:    [][]string{{"日本語の名前", "━━━█━━━", "…"}, {"ascii", "·", "é"}, {"한국어", "│", "👩‍💻"}},
		Width:   40,
	}
	want := strings.Join([]string{
		"name            ━━│█●  x",
		"日本語の名前  ━━━█━━━  …",
		"ascii               ·  é",
		"한국어              │  👩‍💻",
	}, "\n")
	got := strings.Join(lines(t, table), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if os.Getenv("TABLE_LOCALE_CHILD") != "" {
		return
	}
	for _, environment := range [][]string{
		{"RUNEWIDTH_EASTASIAN=1", "LC_ALL=ko_KR.UTF-8", "TERM=dumb"},
		{"RUNEWIDTH_EASTASIAN=0", "LC_ALL=C", "TERM=xterm"},
		{"LC_ALL=zh_CN.UTF-8", "LANG=ja_JP.UTF-8", "TERM=", "TABWIDTH=3"},
	} {
		child := exec.Command(os.Args[0], "-test.run=^TestLocaleHasNoSay$", "-test.count=1")
		child.Env = append(append(os.Environ(), environment...), "TABLE_LOCALE_CHILD=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", environment, err, out)
		}
	}
}

// Unicode Technical Standard 51 has each of these emoji in two columns; tablewriter counts 4, 1 and 2 of them.
func TestEmojiOfSeveralCharactersKeepTheirColumns(t *testing.T) {
	got := lines(t, Table{
		Columns: []Column{{Header: "name"}, {Header: "mark", Align: Right}, {Header: "x"}},
		Rows:    [][]string{{"👩‍💻", "⚠️", "1"}, {"🇩🇪 x", "👩‍💻👩‍💻", "⚠️"}, {"ascii", "a", "2"}},
		Width:   40,
	})
	want := []string{
		"name   mark  x",
		"👩‍💻       ⚠️  1",
		"🇩🇪 x   👩‍💻👩‍💻  ⚠️",
		"ascii     a  2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestColumnsAreDroppedAndShortened(t *testing.T) {
	bar := func(row, width int) string { return strings.Repeat("=", width) }
	table := Table{
		Columns: []Column{
			{Header: "verdict"},
			{Header: "name", Least: 6},
			{Header: "second", Drop: 1},
			{Header: "first", Drop: 2},
			{Draw: bar, Least: 4, Most: 10},
		},
		Rows: [][]string{{"pass", "a-long-scenario-name", "22", "1"}},
	}
	for _, test := range []struct {
		width int
		want  string
	}{
		{100, "pass     a-long-scenario-name  22      1      =========="},
		{55, "pass     a-long-scenario-name  22      1      ========="},
		{49, "pass     a-long-sc…ario-name  22      1      ===="},
		{42, "pass     a-long…-name  22      1      ===="},
		{34, "pass     a-lon…-name  22      ===="},
		{24, "pass     a-lo…name  ===="},
		{20, "pass    a-l…me  ===="}, // no room for "verdict"
	} {
		table.Width = test.width
		got := lines(t, table)
		if diff := cmp.Diff(test.want, got[1]); diff != "" {
			t.Errorf("width %d: %s", test.width, diff)
		}
		for _, line := range got {
			if Width(line) > test.width {
				t.Errorf("width %d: %q has %d columns", test.width, line, Width(line))
			}
		}
	}
	table.Width = 34
	if diff := cmp.Diff([]bool{true, true, true, false, true}, table.Shown()); diff != "" {
		t.Error(diff)
	}
}

func TestPaintTakesNoRoom(t *testing.T) {
	paint := func(row int, text string) string { return "\x1b[1;31m" + text + "\x1b[0m" }
	got := lines(t, Table{
		Columns: []Column{{Header: "a", Paint: paint, Align: Right}, {Header: "b", Paint: paint}},
		Rows:    [][]string{{"long one", "x"}},
		Width:   20,
	})
	want := []string{
		"       \x1b[1;31ma\x1b[0m  \x1b[1;31mb\x1b[0m",
		"\x1b[1;31mlong one\x1b[0m  \x1b[1;31mx\x1b[0m",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoColumns(t *testing.T) {
	if got := lines(t, Table{Rows: [][]string{{"x"}}, Width: 10}); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestTableIsNeverWider(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		table := Table{Width: rapid.IntRange(20, 150).Draw(t, "width"), Indent: 2, Ellipsis: "…"}
		for i := range rapid.IntRange(1, 6).Draw(t, "columns") {
			column := Column{
				Header: rapid.StringMatching(`[a-z日 ]{0,12}`).Draw(t, "header"),
				Least:  rapid.IntRange(0, 10).Draw(t, "least"),
				Drop:   rapid.IntRange(0, min(i, 2)).Draw(t, "drop"), // the first column stays
				Align:  Align(rapid.IntRange(0, 1).Draw(t, "align")),
			}
			if rapid.Bool().Draw(t, "drawn") {
				column.Most = column.Least + 5
				column.Draw = func(_, width int) string { return strings.Repeat("=", width) }
			}
			table.Columns = append(table.Columns, column)
		}
		row := rapid.SliceOfN(rapid.StringMatching(`[a-zé日本👩 ]{0,40}`), 0, len(table.Columns))
		table.Rows = rapid.SliceOfN(row, 0, 4).Draw(t, "rows")
		got, err := table.Lines()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(got) - len(table.Rows); n != 0 && n != 1 {
			t.Fatalf("%d rows became %d lines", len(table.Rows), len(got))
		}
		for _, line := range got {
			if Width(line) > table.Width {
				t.Fatalf("%q has %d columns, not %d", line, Width(line), table.Width)
			}
		}
	})
}
