package web_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/nodeserver"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// sitePage is a page to check; see testdata/browser/check.cjs.
type sitePage struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Status int    `json:"status,omitempty"` // 0 is 200
}

// A browser shows every page in both themes, on a desk and on a phone, without a word on its console, a request to
// another origin, a script of a hostile name, or scrolling sideways, and axe finds nothing. All is reached by the
// keyboard and can be read without scripts; events of a run arrive; another name of the server shows nothing.
func TestSiteInBrowser(t *testing.T) {
	tools, missing, required := nodeserver.FindBrowser()
	switch {
	case missing != "" && required:
		t.Fatal(missing)
	case missing != "":
		t.Skip(missing)
	}
	address, s, w := sampled(t)
	// What the browser says of a page that is not there is no mistake of the page: such pages are none of these.
	pages := []sitePage{{Name: "suites", Path: "/"}, {Name: "runs", Path: "/runs"},
		{Name: "runs-of-a-suite", Path: "/runs?suite=shop"},
		{Name: "compare", Path: "/compare"}, {Name: "traces", Path: "/traces"},
		{Name: "search", Path: "/traces?text=shipped&suite=shop"},
		{Name: "history", Path: "/history?suite=shop"}, {Name: "baselines", Path: "/baselines"},
		{Name: "live", Path: "/live"}}
	shop, err := s.Runs(t.Context(), store.Query{Suite: "shop"}, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	odd, err := s.Search(t.Context(), store.Search{Query: store.Query{Outcome: trial.Pass, Version: hostile[1]}, Most: 1})
	if err != nil || len(odd.Trials) == 0 {
		t.Fatal(err)
	}
	pages = append(pages, sitePage{Name: "run", Path: "/runs/" + shop[0].ID},
		sitePage{Name: "compared", Path: "/compare?baseline=" + shop[1].ID + "&candidate=" + shop[0].ID},
		sitePage{Name: "trace", Path: "/traces/" + shop[0].ID + "/0/0"},
		sitePage{Name: "hostile-trace", Path: "/traces/" + odd.Trials[0].ID.String()},
		sitePage{Name: "hostile-run", Path: "/runs/" + odd.Trials[0].ID.Run})
	text, err := json.Marshal(map[string]any{"origin": address, "pages": pages})
	if err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(plan, text, 0o666); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), tools.Node, filepath.Join("testdata", "browser", "check.cjs"),
		tools.Modules,
		tools.Program, plan)
	command.Env = append(os.Environ(), "SCREENSHOTS="+os.Getenv("TRIBUNAL_TEST_SCREENSHOTS"))
	var wrong, notes bytes.Buffer
	command.Stdout, command.Stderr = &wrong, &notes
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- command.Wait() }()
	// The run goes on meanwhile.
	for i := 4; ; i++ {
		select {
		case err := <-over:
			t.Log(notes.String())
			if err != nil || wrong.Len() > 0 {
				t.Errorf("%v\n%s", err, wrong.String())
			}
			return
		case <-time.After(400 * time.Millisecond):
			began(t, w, "refund", "refund", i)
			ended(t, w, "refund", i, trial.Pass)
		}
	}
}
