package nodeserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Browser are the programs of a check in a browser.
type Browser struct {
	Node    string // the program
	Modules string // the folder that has playwright-core and axe-core
	Program string // a chromium
}

// FindBrowser finds node, the folder of modules that TRIBUNAL_TEST_NODE_MODULES names, and a chromium, which
// TRIBUNAL_TEST_BROWSER may name. Missing says what there is not; "" is nothing. Required says that it must be there,
// as TRIBUNAL_TEST_BROWSER_REQUIRED has it.
func FindBrowser() (b Browser, missing string, required bool) {
	required = os.Getenv("TRIBUNAL_TEST_BROWSER_REQUIRED") != ""
	node, err := exec.LookPath("node")
	if err != nil {
		return b, "node is not installed", required
	}
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	for _, name := range []string{"playwright-core", "axe-core"} {
		if _, err := os.Stat(filepath.Join(modules, name)); modules == "" || err != nil {
			return b, name + " is not installed; .ci/browser does it", required
		}
	}
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if name := os.Getenv("TRIBUNAL_TEST_BROWSER"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return Browser{node, modules, found}, "", required
		}
	}
	return b, "no chromium is installed: there is none of " + strings.Join(names, ", "), required
}
