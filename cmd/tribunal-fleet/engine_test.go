package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
	"github.com/tribunal-dev/tribunal/cmd/internal/fleet"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// safeBuffer is a buffer that is written and read at once.
type safeBuffer struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.Write(p)
}

func (s *safeBuffer) String() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.String()
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// certified writes an authority, and a certificate of this machine and of workers.
func certified(t *testing.T) {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	inPEM := func(kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	own, authority := key(), key()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &authority.PublicKey, authority)
	write(t, "ca.pem", inPEM("CERTIFICATE", der, err))
	der, err = x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "this"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, ca, &own.PublicKey, authority)
	write(t, "cert.pem", inPEM("CERTIFICATE", der, err))
	der, err = x509.MarshalPKCS8PrivateKey(own)
	write(t, "key.pem", inPEM("PRIVATE KEY", der, err))
}

// port is one that is free.
func port(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Both commands of a fleet, with certificates of both sides, NKeys, labels and probes.
func TestFleetOfTheCommandLine(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the agent needs a shell")
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("suite", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, "suite/tribunal.yaml", `version: 1
name: s
limits: none
agent: {command: [sh, -c, "cat answer.txt"]}
test: {threshold: 0.7}
scenarios: [{name: a, trials: 10, evaluate: [contains: "yes"]}]
`)
	write(t, "suite/answer.txt", "yes\n")
	write(t, "token", "a-token-of-the-tests-alone\n")
	certified(t)
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "seed", string(seed))
	write(t, "workers", public+"\n")
	at, health := port(t), fmt.Sprint("127.0.0.1:", port(t))

	app := func(ctx context.Context, stdout, stderr io.Writer, args string) int {
		a := cli.App{Stdout: stdout, Stderr: stderr, Env: func(string) (string, bool) { return "", false }, Fleet: engine{}}
		return a.Run(ctx, strings.Fields(args))
	}
	ctx, end := context.WithCancel(context.Background())
	var worker sync.WaitGroup
	var heard safeBuffer
	defer worker.Wait()
	defer end()
	worker.Go(func() {
		app(ctx, io.Discard, &heard, fmt.Sprintf("worker tls://127.0.0.1:%d --token token --nkey seed --tls-ca ca.pem "+
			"--tls-cert cert.pem --tls-key key.pem --slots 2 --label gpu --name named --health %s", at, health))
	})
	var stdout bytes.Buffer
	var stderr safeBuffer
	code := app(context.Background(), &stdout, &stderr, fmt.Sprintf("run suite --ledger off --json --fleet 127.0.0.1:%d "+
		"--workers-token token --workers-nkeys workers --tls-cert cert.pem --tls-key key.pem --tls-ca ca.pem "+
		"--fleet-label gpu --fleet-rate 60000 --fleet-lease 10s", at))
	var result struct{ Verdict string }
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil || code != 0 || result.Verdict != "pass" {
		t.Errorf("exit code %d, %s\n%s\nand the worker says\n%s", code, stdout.String(), stderr.String(), heard.String())
	}
	for _, want := range []string{"worker named-", "for 2 at a time", "1 worker ran "} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("nothing is said of %q:\n%s", want, stderr.String())
		}
	}
	if _, err := os.Stat("suite/.tribunal/s.journal.jsonl.fleet"); !os.IsNotExist(err) {
		t.Errorf("the file of a run that has ended: %v", err)
	}
	// The server has gone with the run: the worker is well, and not ready.
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable,
		"/": http.StatusNotFound} {
		got := 0
		for range 300 {
			answer, err := http.Get("http://" + health + path)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if got = answer.StatusCode; got == want {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got != want {
			t.Errorf("%s answers %d, not %d", path, got, want)
		}
	}
}

// What the command line is told in the end.
func TestNotes(t *testing.T) {
	s := fleet.Summary{
		Workers: []fleet.WorkerTally{{Worker: "a", Trials: 100, Failures: 5},
			{Worker: "b", Trials: 80, Failures: 30, Errors: 2}},
		Relaunched: 2, Late: 1,
	}
	s.P.Known, s.P.Value = true, 1e-9
	got := notes(s)
	want := []world.FleetNote{
		{Kind: "note", Text: "2 workers ran 182 trials; 2 trials handed out again, as a worker was lost; 1 result too late " +
			"and not counted"},
		{Kind: "warning", Text: "workers fail more or less often than chance has it (chi-squared, p = 1e-09): of 80 trials " +
			"on b 30 failed; " +
			"all trials count: see to the machine"},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("it says %+v", got)
	}
}
