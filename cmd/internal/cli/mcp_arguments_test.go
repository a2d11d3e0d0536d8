package cli

import (
	"context"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/mcpserver"
)

// An agent that guesses the names of arguments is told those that there are.
func TestToolsNameTheirArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	a := ask(t, mcpserver.Options{}, nil)
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"verdict", map[string]any{"trials": 20, "passes": 18, "threshold": 0.9},
			`"passes" is no argument, "trials" is no argument, recording is missing: verdict takes recording, threshold, ` +
				`and if need be each, growing, variant`},
		{"plan", map[string]any{"alpha": 0.1}, `"alpha" is no argument: plan takes baseline, delta, price, threshold`},
	} {
		if r, err := a.tool(context.Background(), c.tool, c.arguments); err != nil || !r.failed || r.text != c.want {
			t.Errorf("%s: %v, failed %v, %s, want %s", c.tool, err, r.failed, r.text, c.want)
		}
	}
}
