package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// mostPageBytes is how large a page may be.
const mostPageBytes = 80_000

// get asks for a page, and returns its status and text.
func get(t testing.TB, address string) (*http.Response, string) {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// Whoever follows links from the first page comes to every page, and none of them is broken, too large, or has anything
// of a hostile name but text.
func TestEveryLinkLeadsToAPage(t *testing.T) {
	address, _, _ := sampled(t)
	seen := map[string]bool{"/": true}
	queue := []string{"/"}
	kinds := map[string]int{}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		answer, text := get(t, address+path)
		kind := kindOf(path)
		kinds[kind]++
		if answer.StatusCode != 200 {
			t.Errorf("%s: %d %.300s", path, answer.StatusCode, text)
		}
		if strings.HasSuffix(path, ".json") {
			continue
		}
		if len(text) > mostPageBytes {
			t.Errorf("%s has %d bytes", path, len(text))
		}
		isReport := kind == "/runs/*" && strings.Contains(text, "<style>") || kind == "/history/*" || strings.Contains(path, "candidate=")
		for _, next := range checked(t, path, text, isReport) {
			// A few of each kind: there are hundreds of traces.
			if u, err := url.Parse(next); err == nil && !seen[next] && u.Path != "" && kinds[kindOf(next)] < 40 {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	for _, kind := range []string{"/", "/runs", "/runs/*", "/compare", "/traces", "/traces/*",
		"/history",
		"/history/*", "/baselines", "/live"} {
		if kinds[kind] == 0 {
			t.Errorf("no link leads to %s: %v", kind, kinds)
		}
	}
}

// kindOf is which page an address is of.
func kindOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	parts := strings.Split(u.Path, "/")
	if len(parts) > 2 && parts[1] != "live" {
		parts[2] = "*"
		if parts[1] == "traces" {
			parts = parts[:3]
		}
	}
	return strings.Join(parts, "/")
}

// checked looks at the elements of a page, and returns where its links lead.
func checked(t *testing.T, path, text string, isReport bool) (links []string) {
	t.Helper()
	known := strings.Fields("html head meta title link script style noscript body a header nav ul li fieldset legend " +
		"label input main h1 h2 h3 p " +
		"form select option button datalist div table thead tbody tr th td bdi span b section dl dt dd ol pre svg path " +
		"circle polyline g text " +
		"details summary figure figcaption rect use defs img footer desc")
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return links
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		token := z.Token()
		if !slices.Contains(known, token.Data) || token.Data == "style" && !isReport {
			t.Errorf("%s has an element %s", path, token.Data)
		}
		for _, a := range token.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style":
				t.Errorf("%s has %s", path, token)
			case token.Data == "script" && (a.Key != "src" && a.Key != "defer" || a.Key == "src" && a.Val != "/page.js"):
				t.Errorf("%s has %s", path, token)
			case a.Key == "src" && token.Data == "img" && !strings.HasPrefix(a.Val, "data:"):
				t.Errorf("%s has %s", path, token)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") && a.Val != "data:,":
				t.Errorf("%s has %s", path, token)
			case a.Key == "href" && strings.HasPrefix(a.Val, "/") && token.Data == "a":
				links = append(links, a.Val)
			}
		}
	}
}

// What is asked in a way that is none is refused, and with words.
func TestWhatCannotBeAsked(t *testing.T) {
	address, s, _ := sampled(t)
	runs, err := s.Suites(t.Context(), 0, 1)
	if err != nil || len(runs) == 0 {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"/nowhere": 404, "/runs/xyz": 404, "/runs/00000000": 404, "/runs/a%2f..": 404, "/runs/%00": 404, "/runs//report": 404,
		"/runs/00000000/report": 404, "/traces/ab/0/x": 404, "/traces/ab/0/-1": 404, "/traces/ab/0/99999999999999999999": 404,
		"/traces/ab/0/0": 404, "/traces?after=x": 400, "/traces?after=ab/0/0": 404, "/traces?outcome=maybe": 400,
		"/traces?since=tomorrow": 400, "/traces?scenario=%5Ba": 400, "/traces?run=zz": 400, "/runs?page=-1": 400,
		"/runs?page=x":           400,
		"/runs?page=99999999999": 400, "/?page=2000000": 400, "/runs?baseline=nowhere": 404, "/runs?since=x": 400,
		"/runs?suite=" + strings.Repeat("a", 501): 400, "/compare?baseline=ab&candidate=ba": 404, "/runs?page=1000": 200,
		"/compare?baseline=x": 200, "/style.css": 200, "/page.js": 200, "/page.html.tmpl": 404,
		"/history?since=x": 400, "/history/report?metric=x": 400, "/history/report?suite=nowhere": 404, "/live/events/x": 404,
	} {
		answer, text := get(t, address+path)
		if answer.StatusCode != want || len(text) < 20 {
			t.Errorf("%s: %d, not %d: %.300s", path, answer.StatusCode, want, text)
		}
	}
}

// Who asks by another name, with another method, from another site or without the token is turned away, whatever is
// asked.
func TestWhoMayAsk(t *testing.T) {
	const token = "correct-horse-battery"
	folder := t.TempDir()
	file := filepath.Join(folder, "x.journal.jsonl")
	sampleJournal(t, file)
	open, _ := started(t, web.Options{Journal: file})
	closed, _ := started(t, web.Options{Journal: file, Token: token})
	for _, c := range []struct {
		name, address, method, host string
		header                      [2]string
		want                        int
	}{
		{"as it is", open, "GET", "", [2]string{}, 200},
		{"its head", open, "HEAD", "", [2]string{}, 200},
		{"localhost", open, "GET", "localhost:PORT", [2]string{}, 200},
		{"another name", open, "GET", "example.com", [2]string{}, 421},
		{"another name at the port", open, "GET", "example.com:PORT", [2]string{}, 421},
		{"a name that begins so", open, "GET", "127.0.0.1.example.com:PORT", [2]string{}, 421},
		{"another port", open, "GET", "127.0.0.1:1", [2]string{}, 421},
		{"no port", open, "GET", "127.0.0.1", [2]string{}, 421},
		{"all addresses", open, "GET", "0.0.0.0:PORT", [2]string{}, 421},
		{"POST", open, "POST", "", [2]string{}, 405},
		{"DELETE", open, "DELETE", "", [2]string{}, 405},
		{"OPTIONS", open, "OPTIONS", "", [2]string{}, 405},
		{"another origin", open, "GET", "", [2]string{"Origin", "http://example.com"}, 403},
		{"embedded elsewhere", open, "GET", "", [2]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"embedded in another port", open, "GET", "", [2]string{"Sec-Fetch-Site", "same-site"}, 403},
		{"its own script", open, "GET", "", [2]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"without the token", closed, "GET", "", [2]string{}, 401},
		{"another token", closed, "GET", "", [2]string{"Authorization", "Bearer correct-horse-batterx"}, 401},
		{"the beginning of the token", closed, "GET", "", [2]string{"Authorization", "Bearer correct-horse-batter"}, 401},
		{"an empty password", closed, "GET", "", [2]string{"Authorization", "Basic Og=="}, 401},
		{"the token", closed, "GET", "", [2]string{"Authorization", "Bearer " + token}, 200},
		{"the token as a password", closed, "GET", "", [2]string{"Authorization", "Basic YTpjb3JyZWN0LWhvcnNlLWJhdHRlcnk="},
			200},
		{"the token and another name", closed, "GET", "example.com", [2]string{"Authorization", "Bearer " + token}, 421},
	} {
		for _, path := range []string{"/", "/live", "/style.css", "/page.js", "/live/events", "/nowhere"} {
			want := c.want
			if path == "/nowhere" && want == 200 {
				want = 404
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			request, err := http.NewRequestWithContext(ctx, c.method, c.address+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.host != "" {
				request.Host = strings.Replace(c.host, "PORT", request.URL.Port(), 1)
			}
			if c.header[0] != "" {
				request.Header.Set(c.header[0], c.header[1])
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			cancel()
			if answer.StatusCode != want {
				t.Errorf("%s, %s: %d, not %d", c.name, path, answer.StatusCode, want)
			}
			for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
				"X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin"} {
				if got := answer.Header.Get(name); got != value {
					t.Errorf("%s, %s: %s is %q", c.name, path, name, got)
				}
			}
			if policy := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; ") ||
				strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
				t.Errorf("%s, %s: the policy is %q", c.name, path, policy)
			}
			if answer.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s, %s: other sites may read it", c.name, path)
			}
		}
	}
}

// event is one of a stream of events.
type event struct{ name, data string }

// events hands out the events of a run in progress.
func events(t *testing.T, address string) <-chan event {
	t.Helper()
	answer, err := http.Get(address + "/live/events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("%d %s", answer.StatusCode, kind)
	}
	to := make(chan event, 100)
	go func() {
		defer close(to)
		var e event
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.name = value
			case "data":
				e.data += value + "\n"
			case "":
				to <- e
				e = event{}
			}
		}
	}()
	return to
}

// next returns the next event of which something is said.
func next(t *testing.T, from <-chan event, name, says string) event {
	t.Helper()
	over := time.After(30 * time.Second)
	for {
		select {
		case e, open := <-from:
			if !open {
				t.Fatalf("the events end before one says %q", says)
			}
			if e.name == name && strings.Contains(e.data, says) {
				return e
			}
			if e.name != "state" && e.name != "over" {
				t.Fatalf("an event %q", e.name)
			}
		case <-over:
			t.Fatalf("no event says %q", says)
		}
	}
}

// Who follows a run hears of every trial, of the end, and of a journal that takes the place of it.
func TestEventsOfARun(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "night.journal.jsonl")
	planned := make(chan struct{})
	address, end := started(t, web.Options{Journal: file, Planned: planned})
	heard := events(t, address)
	next(t, heard, "state", "the tests are being designed")
	close(planned)
	next(t, heard, "state", "no journal")
	w := sampleJournal(t, file+".whole") // what is shown is all of it
	if err := os.Rename(file+".whole", file); err != nil {
		t.Fatal(err)
	}
	e := next(t, heard, "state", "<b><bdi>refund</bdi></b> 2 of 4 passed, 1 failed and 1 ended in an error, $1.00")
	// 18 trials of 10 s, two at once
	for _, says := range []string{"1 of 4 tests decided", "1 failed", "$1.25", "at most 20 trials",
		"an estimated 1m30s or more left",
		"2 passed, 1 failed, 1 error", "&lt;/title&gt;", `<path class="q-p"`, "Last failure: <bdi>no key</bdi>",
		"Last failure: <bdi>contains: no &lt;b&gt;look up&lt;/b&gt;</bdi>"} {
		if !strings.Contains(e.data, says) {
			t.Errorf("%q is not in %s", says, e.data)
		}
	}
	began(t, w, "refund", "refund", 4)
	next(t, heard, "state", "1 running, at most 20 trials")
	ended(t, w, "refund", 4, trial.Pass)
	next(t, heard, "state", "<b><bdi>refund</bdi></b> 3 of 5 passed, 1 failed and 1 ended in an error, $1.25")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file, file+".previous"); err != nil {
		t.Fatal(err)
	}
	again, err := journal.Create(file, journal.Header{Suite: "sha256:4dd8", Seed: 1, Version: "1.0",
		Tests: []journal.Test{{Name: "another", Design: "sha256:f07d", Scenarios: []string{"a"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	began(t, again, "another", "a", 0)
	// The agent tells neither its cost nor its tokens.
	if err := again.End(journal.End{Scenario: "a", Spent: journal.Spend{Attempts: 1, CostUnknown: 1, TokensUnknown: 1}},
		&trial.Trial{Scenario: "a", Index: trial.Some(0), Outcome: trial.Pass}); err != nil || again.Sync() != nil {
		t.Fatal(err)
	}
	if e := next(t, heard, "state", "another</bdi></b> 1 of 1 passed "); strings.Contains(e.data, "refund") ||
		strings.Count(e.data, "<dd>not recorded</dd>") != 2 {
		t.Errorf("the run before is told of, or what is not known: %s", e.data)
	}
	again.Decide(journal.Decision{Test: "another", Design: "sha256:f07d", Outcome: "pass", Trials: 1})
	if err := again.Sync(); err != nil {
		t.Fatal(err)
	}
	next(t, heard, "state", "All tests are decided")
	go end()
	next(t, heard, "over", "All tests are decided")
}

// Half of a line is waited for, and a line that nobody wrote so is told of.
func TestJournalsThatAreDamaged(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "night.journal.jsonl")
	w := sampleJournal(t, file)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	address, _ := started(t, web.Options{Journal: file})
	write := func(text []byte) string {
		t.Helper()
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		answer, shown := get(t, address+"/live")
		if answer.StatusCode != 200 {
			t.Fatalf("%d %s", answer.StatusCode, shown)
		}
		return shown
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for cut := range lines[4] {
		if shown := write([]byte(strings.Join(lines[:4], "") + lines[4][:cut])); !strings.Contains(shown, "trials ended") {
			t.Fatalf("cut after %d bytes: %s", cut, shown)
		}
		if cut > 20 {
			break
		}
	}
	for text, says := range map[string]string{
		"":                                     "0 of 0 tests decided",
		"junk\n":                               "line 1: is not a journal",
		string(whole) + "{\"x\":1}\n":          fmt.Sprintf("line %d: is not a journal", len(lines)),
		`{"finished":{"scenario":"a"}}` + "\n": "line 1: ends a trial that never began",
	} {
		if shown := write([]byte(text)); !strings.Contains(shown, says) {
			t.Errorf("%.40q: %q is not in %s", text, says, shown)
		}
	}
	if shown := write(whole); !strings.Contains(shown, "1 of 4 tests decided") {
		t.Errorf("what is whole again: %s", shown)
	}
}

// Pages say what the store holds.
func TestPagesSayWhatTheStoreHolds(t *testing.T) {
	address, kept, _ := sampled(t)
	shop, err := kept.Runs(t.Context(), store.Query{Suite: "shop"}, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string][]string{
		"/": {"shop is undecided", "All 35 runs", "Run in progress", "Latest runs", "2026-02-24 12:00 UTC",
			`<span class="note">36 days ago</span>`},
		"/runs?suite=shop": {"20 of 30 passed", "Older", "/runs?page=1&amp;suite=shop",
			`0000 <span class="note">branch</span> <bdi>main</bdi></td>`},
		"/compare?baseline=" + shop[1].ID + "&candidate=" + shop[0].ID: {
			"Candidate, 2026-03-30 12:00 UTC, verdict, inconclusive, 20 of 30 passed (66.7%), commit 0000",
			"run " + shop[0].ID[:12] + " of v1 against run " + shop[1].ID[:12] + " of v1"},
		"/runs?suite=shop&page=1":    {"Newer", "/runs?page=0&amp;suite=shop"},
		"/history?suite=shop":        {"Pass rate over time", "History of shop", "Where it changed"},
		"/history/report?suite=shop": {"tribunal store history", "This suite"},
		"/baselines": {"main", "revision 2", "by <bdi>ada</bdi>", "older than it may be",
			"earlier revisions"},
		"/traces?text=shipped&suite=shop":                 {"cancel-order", "shipped", "Continue with older ones", "<th scope=\"col\">why</th>"},
		"/traces?scenario=refund&outcome=fail&suite=shop": {"refund</bdi>#9", "There are no more"},
	} {
		_, text := get(t, address+path)
		for _, want := range says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", path, want, text)
			}
		}
	}
}
