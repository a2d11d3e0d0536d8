package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// issuer is a key that signs tokens of those below it.
type issuer struct {
	t    *testing.T
	pair nkeys.KeyPair
}

func newIssuer(t *testing.T, prefix nkeys.PrefixByte) issuer {
	t.Helper()
	pair, err := nkeys.CreatePair(prefix)
	if err != nil {
		t.Fatal(err)
	}
	return issuer{t, pair}
}

func (i issuer) public() string {
	key, err := i.pair.PublicKey()
	if err != nil {
		i.t.Fatal(err)
	}
	return key
}

// sign is the token of claims.
func (i issuer) sign(claims jwt.Claims) string {
	i.t.Helper()
	token, err := claims.Encode(i.pair)
	if err != nil {
		i.t.Fatal(err)
	}
	return token
}

// credentials is a file of a new user of an account.
func (i issuer) credentials() string {
	i.t.Helper()
	user := newIssuer(i.t, nkeys.PrefixByteUser)
	seed, err := user.pair.Seed()
	if err != nil {
		i.t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(i.sign(jwt.NewUserClaims(user.public())), seed)
	if err != nil {
		i.t.Fatal(err)
	}
	return i.file(text)
}

func (i issuer) file(text []byte) string {
	i.t.Helper()
	name := filepath.Join(i.t.TempDir(), "user.creds")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		i.t.Fatal(err)
	}
	return name
}

// A server whose users are those of an operator's accounts, as clouds of NATS run them, is opened by credentials: by
// both sides, and by nobody with a token alone or with those of another operator.
func TestCredentials(t *testing.T) {
	t.Parallel()
	operator := newIssuer(t, nkeys.PrefixByteOperator)
	account, system := newIssuer(t, nkeys.PrefixByteAccount), newIssuer(t, nkeys.PrefixByteAccount)
	claims := jwt.NewAccountClaims(account.public())
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: 1 << 28, Streams: -1, Consumer: -1}
	known := &server.MemAccResolver{}
	for public, token := range map[string]string{
		account.public(): operator.sign(claims), system.public(): operator.sign(jwt.NewAccountClaims(system.public())),
	} {
		if err := known.Store(public, token); err != nil {
			t.Fatal(err)
		}
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
		TrustedKeys: []string{operator.public()}, AccountResolver: known, SystemAccount: system.public(),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not begin")
	}

	address := Address{URL: s.ClientURL(), CredsFile: account.credentials()}
	f := newFleet(t, writeSuite(t, suiteText(6, "")), Options{Address: address})
	f.work(WorkerOptions{Name: "credited", Address: Address{URL: s.ClientURL(), CredsFile: account.credentials()}})
	if got := f.run(); got.Errors != 0 || len(got.Trials) != 6 {
		t.Errorf("found %+v", got)
	}
	stranger := newIssuer(t, nkeys.PrefixByteAccount)
	for who, a := range map[string]Address{
		"the token alone":    {URL: s.ClientURL()},
		"another operator's": {URL: s.ClientURL(), CredsFile: stranger.credentials()},
	} {
		if nc, err := a.dial(testToken, "stranger"); err == nil {
			nc.Close()
			t.Errorf("%s: let in", who)
		}
	}
}

// Files that are no credentials are refused before the server is asked, and their text is not repeated.
func TestNoCredentials(t *testing.T) {
	user := newIssuer(t, nkeys.PrefixByteUser)
	seed, err := user.pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	for problem, a := range map[string]Address{
		"no credentials of a user": {CredsFile: user.file([]byte("secret"))},
		"no such file":             {CredsFile: filepath.Join(t.TempDir(), "missing")},
		"exclude each other":       {CredsFile: user.file(seed), NKeyFile: user.file(seed)},
	} {
		a.URL = "nats://127.0.0.1:1"
		if _, err := a.dial(testToken, "test"); err == nil || !strings.Contains(err.Error(), problem) ||
			strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), string(seed)) {
			t.Errorf("%s: %v", problem, err)
		}
	}
	if err := checkCreds(user.file(seed)); err == nil || strings.Contains(err.Error(), string(seed)) {
		t.Errorf("a seed without a token: %v", err)
	}
}
