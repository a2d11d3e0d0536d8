package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/report"
)

// The secret in a header of an agent at an address stands in no file of a run, be it in the answer, in a
// failure or in an error, and in no format of its reports.
func TestSecretsOfHeadersAreInNoReport(t *testing.T) {
	const secret = "swordfish-4711"
	t.Setenv("SHOP_TOKEN", secret)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := r.Header.Get("Authorization")
		if !strings.Contains(said, secret) {
			t.Errorf("the header is %q", said)
		}
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprintf(w, "you sent %s", said)
	}))
	defer server.Close()
	for _, path := range []string{"/bad", "/broken"} {
		t.Chdir(t.TempDir())
		writeFile(t, "tribunal.yaml", "version: 1\nname: s\nlimits: none\nagent:\n  http: {url: \""+server.URL+path+
			"\", headers: {Authorization: \"Bearer ${SHOP_TOKEN}\"}}\n  infrastructure: []\n"+
			"test: {threshold: 0.5, delta: 0.4}\nscenarios: [{name: one, input: 1, evaluate: [{contains: never}]}]\n")
		arguments := []string{"run", "--journal", "journal"}
		for _, f := range report.Formats() {
			arguments = append(arguments, "--report", fmt.Sprintf("%s=report.%s", f, f))
		}
		code, stdout, stderr := tribunal(context.Background(), App{Env: os.LookupEnv}, arguments...)
		if code != ExitFail || strings.Contains(stdout+stderr, secret) {
			t.Fatalf("%s: exit code %d\n%s%s", path, code, stdout, stderr)
		}
		files := 0
		err := filepath.WalkDir(".", func(name string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			files++
			text, err := os.ReadFile(name)
			if strings.Contains(string(text), secret) {
				t.Errorf("%s: the secret is in %s", path, name)
			}
			return err
		})
		if err != nil || files < 2+len(report.Formats()) {
			t.Errorf("%s: %d files, %v", path, files, err)
		}
	}
}
