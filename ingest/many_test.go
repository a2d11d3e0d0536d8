package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Logs whose records are matched with each other are read in a time that grows as they do: what
// looks at all the open ones for each would take minutes here.
func TestManyOpenRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a large file")
	}
	many := thorough.Draws(20_000, 100_000)
	var unanswered, answeredLast, sessions, openRuns, endedFirst strings.Builder
	for i := range many {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`+"\n", i)
		unanswered.WriteString(call)
		answeredLast.WriteString(call)
		fmt.Fprintf(&sessions, `{"session_id":"s%d","msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}}`+"\n", i)
		begin := fmt.Sprintf(`{"event":"on_chain_start","run_id":"r%d","parent_ids":[],"name":"n","data":{}}`+"\n", i)
		openRuns.WriteString(begin)
		endedFirst.WriteString(begin)
	}
	for i := range many {
		fmt.Fprintf(&answeredLast, `{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`+"\n", many-1-i)
		fmt.Fprintf(&endedFirst, `{"event":"on_chain_end","run_id":"r%d","parent_ids":[],"name":"n","data":{}}`+"\n", i)
	}
	columns := thorough.Draws(10_000, 30_000)
	var header, row strings.Builder
	header.WriteString("scenario,outcome")
	row.WriteString("a,pass")
	for i := range columns {
		fmt.Fprintf(&header, ",c%d", i)
		row.WriteString(",1")
	}
	for _, c := range []struct {
		name, text    string
		trials, steps int // of all trials; steps are tags in a table
	}{
		{"mcp, no answer", unanswered.String(), 1, many},
		{"mcp, the last call is answered first", answeredLast.String(), 1, many},
		{"mcp, sessions", sessions.String(), many, many},
		{"langchain, no end", openRuns.String(), many, 0},
		{"langchain, the first one ends first", endedFirst.String(), many, 0},
		{"csv", header.String() + "\n" + row.String() + "\n" + row.String() + "\n", 2, 2 * columns},
	} {
		o := Options{}
		o.Unjudged = true
		trials, steps := 0, 0
		for x, err := range NewStream(strings.NewReader(c.text), o).Trials(context.Background()) {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				break
			}
			trials++
			steps += len(x.Steps)
			if c.name == "csv" {
				steps += len(x.Tags)
			}
		}
		if trials != c.trials || steps != c.steps {
			t.Errorf("%s: %d trials, %d steps; want %d and %d", c.name, trials, steps, c.trials, c.steps)
		}
	}
}

// Field names of a file are no part of a terminal's input.
func TestNamesOfFieldsAreEscaped(t *testing.T) {
	_, err := Detect([]byte("{\"Time\":\"\",\"Acti\\n\\u001b[2J\":\"\",\"Package\":\"\"}"))
	if err == nil || strings.ContainsAny(err.Error(), "\n\x1b") || !strings.Contains(err.Error(), `Acti\n\x1b[2J`) {
		t.Errorf("%q", err)
	}
}

// Two columns whose names differ in case alone are one name.
func TestColumnsOfOneName(t *testing.T) {
	for _, header := range []string{"team,Team", "Team,team", "Team,Team"} {
		text := "scenario,outcome," + header + "\na,pass,x,y\n"
		for _, err := range NewStream(strings.NewReader(text), Options{}).Trials(context.Background()) {
			if err == nil || !strings.Contains(err.Error(), "column team is given twice") {
				t.Errorf("%s: %v", header, err)
			}
		}
	}
}
