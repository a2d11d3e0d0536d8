//go:build unix

package wire_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/built"
)

// BenchmarkRunOnTheWire runs the example ticket-routing, whose agent asks a model four times here before it answers,
// with and without the wire, one after the other. The model is a server of this machine that answers after a while,
// which no other does so soon. ratio is the median over the pairs, and low and high are its 95 % interval by order
// statistics.
func BenchmarkRunOnTheWire(b *testing.B) {
	program, folder := built.Tribunal(b), b.TempDir()
	for name, source := range map[string]string{"agent": "../examples/ticket-routing/agent", "asks": "./testdata/asks"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(folder, name), source).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	contract, err := os.ReadFile("../examples/ticket-routing/contract.yaml")
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile("../examples/ticket-routing/tribunal.yaml")
	if err != nil {
		b.Fatal(err)
	}
	command := fmt.Sprintf("command: [%q, %q]", filepath.Join(folder, "asks"), filepath.Join(folder, "agent"))
	suite := strings.Replace(string(text), `command: ["go", "run", "./agent"]`, command, 1)
	if suite == string(text) {
		b.Fatal("the example has another command")
	}
	for _, latency := range []time.Duration{0, 20 * time.Millisecond, 200 * time.Millisecond} {
		b.Run("model="+latency.String(), func(b *testing.B) {
			model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				time.Sleep(latency)
				_, _ = io.WriteString(w, `{"model":"gpt-5-mini","choices":[{"index":0,"message":{"role":"assistant","content":"On its way."},`+
					`"finish_reason":"stop"}],"usage":{"prompt_tokens":1200,"completion_tokens":5}}`)
			}))
			defer model.Close()
			with := suite + fmt.Sprintf("wire: {upstream: {openai: %q}}\n", model.URL+"/v1")
			without := strings.Replace(suite, "env: {REGION: eu}", fmt.Sprintf("env: {REGION: eu, OPENAI_BASE_URL: %q}",
				model.URL+"/v1"), 1)
			run := func(text string) float64 {
				dir := b.TempDir()
				for name, text := range map[string][]byte{"tribunal.yaml": []byte(text), "contract.yaml": contract} {
					if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
						b.Fatal(err)
					}
				}
				began := time.Now()
				if out, err := exec.Command(program, "run", dir, "--record", "20").CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				return time.Since(began).Seconds()
			}
			var ratios, plain []float64
			for i := 0; b.Loop(); i++ {
				var on, off float64
				if i%2 == 0 { // what comes second has no advantage
					on, off = run(with), run(without)
				} else {
					off, on = run(without), run(with)
				}
				ratios, plain = append(ratios, on/off), append(plain, off)
			}
			slices.Sort(plain)
			slices.Sort(ratios)
			n := len(ratios)
			// Half of the pairs lie below the median, within 1.96 standard deviations of a binomial.
			beyond := max(int(float64(n)/2-0.98*math.Sqrt(float64(n))), 0)
			b.ReportMetric(plain[n/2]*1000, "ms/run-without")
			b.ReportMetric(ratios[n/2], "ratio")
			b.ReportMetric(ratios[beyond], "ratio-low")
			b.ReportMetric(ratios[n-1-beyond], "ratio-high")
		})
	}
}
