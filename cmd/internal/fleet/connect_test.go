package fleet

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]Address{
		":4222": {Listen: ":4222"}, "10.0.0.1:80": {Listen: "10.0.0.1:80"},
		"nats://h:1": {URL: "nats://h:1"}, "tls://h": {URL: "tls://h"}, "nats://u:p@h:1": {URL: "nats://u:p@h:1"},
	} {
		if got, err := ParseAddress(text); err != nil || got != want {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "4222", ":port", "h", "http://h", "nats://", "nats://h/path", ":99999",
		"nats://u:secret@"} {
		if _, err := ParseAddress(text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Beyond this machine nothing is sent that is not encrypted.
func TestNothingPlainBeyondThisMachine(t *testing.T) {
	for _, url := range []string{"nats://192.0.2.1:4222", "nats://nats.example:4222", "nats://[2001:db8::1]:4222"} {
		if _, err := (Address{URL: url}).dial(testToken, "test"); err == nil ||
			!strings.Contains(err.Error(), "would not be encrypted") {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, listen := range []string{"0.0.0.0:0", "192.0.2.1:0", "[::]:0", "host.example:0"} {
		if s, err := (Address{Listen: listen}).listen(testToken, "", t.TempDir()); err == nil ||
			!strings.Contains(err.Error(), "would not be encrypted") {
			t.Errorf("%s: %v", listen, err)
			if s != nil {
				s.Shutdown()
			}
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := (Address{Listen: taken.Addr().String()}).listen(testToken, "", t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "is another run") {
		t.Errorf("a port that is taken: %v", err)
	}
	if _, err := (Address{Listen: ":0", CertFile: "c.pem"}).listen(testToken, "", t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "go together") {
		t.Errorf("half a certificate: %v", err)
	}
}

// A message is of its kind, its run and its token alone, and is not changed on its way.
func TestSeal(t *testing.T) {
	s := newSeal(testToken)
	m := s.close(claimKind, "r", claim{"a", "w"})
	var c claim
	if err := s.open(claimKind, "r", m, &c); err != nil || c != (claim{"a", "w"}) {
		t.Errorf("it reads %+v, %v", c, err)
	}
	changed := append([]byte(nil), m...)
	changed[len(changed)-3] ^= 1
	for name, err := range map[string]error{
		"another kind": s.open(beatKind, "r", m, &c), "another run": s.open(claimKind, "q", m, &c),
		"another token": newSeal("another token than that").open(claimKind, "r", m, &c),
		"changed":       s.open(claimKind, "r", changed, &c), "cut off": s.open(claimKind, "r", m[:10], &c),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if testToken.password() == string(testToken) || newSeal(testToken).key == nil {
		t.Error("the token is sent")
	}
}

func TestRunFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.fleet")
	f, err := openRunFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	f.stopped("a")
	if err := f.close(false); err != nil {
		t.Fatal(err)
	}
	again, err := openRunFile(path, true)
	if err != nil || again.run != f.run || !again.wasStopped("a") || again.wasStopped("b") {
		t.Fatalf("resumed it is %+v, %v", again, err)
	}
	if err := again.close(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("after the end: %v", err)
	}
	// A new run has another name, and so has one whose file is gone.
	for _, resume := range []bool{false, true} {
		other, err := openRunFile(path, resume)
		if err != nil || other.run == f.run || !isName(other.run) {
			t.Errorf("a new one is %+v, %v", other, err)
		}
		other.close(true)
	}
}
