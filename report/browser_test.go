package report

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// chromium returns a browser that is installed, or that TRIBUNAL_TEST_BROWSER names.
func chromium(t *testing.T) string {
	t.Helper()
	if name := os.Getenv("TRIBUNAL_TEST_BROWSER"); name != "" {
		return name
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	t.Skip("no chromium is installed")
	return ""
}

func savedPage(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(pageOf(t, mixedRun(t))), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// A browser shows the page without a word on its console and without a request.
func TestPageInBrowser(t *testing.T) {
	browser, name := chromium(t), savedPage(t)
	folder := t.TempDir()
	log := filepath.Join(folder, "net.json")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+folder, "--disable-background-networking", "--no-first-run",
		"--enable-logging=stderr", "--log-net-log="+log, "--dump-dom", "file://"+name)
	var complaints strings.Builder
	command.Stderr = &complaints
	command.WaitDelay = time.Second
	dom, err := command.Output()
	if ctx.Err() != nil {
		t.Skip("this browser does not end by itself")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	for _, want := range []string{`<h2 id="paths">`, `<h2 id="trials">`, "</html>"} {
		if !strings.Contains(string(dom), want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(complaints.String(), "CONSOLE") {
		t.Error(complaints.String())
	}
	if network, err := os.ReadFile(log); err == nil && strings.Contains(string(network), `"url":"http`) && strings.Contains(string(network), `"initiator":"file`) {
		t.Error("the page made a request")
	}
}

// axe checks contrast, headings, names and landmarks, in both themes and on a phone.
// TRIBUNAL_TEST_NODE_MODULES names a folder with playwright-core and axe-core.
func TestPageIsAccessible(t *testing.T) {
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	node, err := exec.LookPath("node")
	if modules == "" || err != nil {
		t.Skip("node, playwright-core and axe-core are not installed")
	}
	script := `
const { chromium } = require(process.argv[2] + '/playwright-core');
const axe = require('fs').readFileSync(process.argv[2] + '/axe-core/axe.min.js', 'utf8');
(async () => {
  const browser = await chromium.launch({ executablePath: process.argv[3], args: ['--no-sandbox', '--disable-gpu'] });
  for (const colorScheme of ['light', 'dark']) for (const width of [1100, 390]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    const page = await context.newPage();
    page.on('console', m => console.log('console: ' + m.text()));
    page.on('request', r => r.url().startsWith('file:') || console.log('request: ' + r.url()));
    await page.goto('file://' + process.argv[4]);
    if (await page.evaluate(() => document.documentElement.scrollWidth) > width) console.log(width + ': wider than the window');
    await page.evaluate(() => document.querySelectorAll('details').forEach(d => d.open = true));
    await page.addScriptTag({ content: axe });
    for (const v of (await page.evaluate(() => axe.run())).violations) console.log(colorScheme, width, v.id, v.nodes[0].html);
  }
  await browser.close();
})();`
	file := filepath.Join(t.TempDir(), "axe.cjs")
	if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, file, modules, chromium(t), savedPage(t)).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
