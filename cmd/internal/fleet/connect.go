package fleet

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
)

// Address is where a server is reached, or where one is to listen.
type Address struct {
	Listen string // HOST:PORT of a server in this process; "" is one that runs elsewhere
	URL    string // of that

	// CertFile and KeyFile are the certificate of this side, in PEM; "" is none. CAFile has the authorities that the other
	// side's is of; "" are those of the system for servers, and asks no certificate of workers.
	CertFile, KeyFile, CAFile string
	NKeyFile                  string // seed of the key that opens a server that runs elsewhere; "" is none
	CredsFile                 string // token (JWT) and seed of a user of a server that runs elsewhere; "" is none
	// file of the public keys of workers, a line each, of a server in this process; "" is the token
	WorkerNKeys string
}

// addressError says what is wrong with an address.
type addressError struct {
	Address string
	Problem string
	Advice  string
}

// Error is the message and the hint.
func (e *addressError) Error() string { return e.Message() + "; " + e.Hint() }

// Message says what is wrong.
func (e *addressError) Message() string { return fmt.Sprintf("%s %s", e.Address, e.Problem) }

// Hint says what helps.
func (e *addressError) Hint() string { return e.Advice }

// ExitCode is that of a question that cannot be asked.
func (e *addressError) ExitCode() int { return exit.Usage }

// ParseAddress reads what --fleet gives: HOST:PORT or :PORT where a server is to listen, or the address of one, such as
// nats://10.0.0.5:4222.
func ParseAddress(text string) (a Address, err error) {
	if strings.Contains(text, "://") {
		a.URL = text
		return a, checkURL(text)
	}
	if _, port, err := net.SplitHostPort(text); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err == nil {
			return Address{Listen: text}, nil
		}
	}
	return a, &addressError{text, "is neither [HOST]:PORT nor the address of a NATS server",
		"such as :4222 to listen, or nats://127.0.0.1:4222"}
}

// checkURL refuses what is no address of a server.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" || u.Path != "" || u.RawQuery != "" {
		shown := text
		if err == nil {
			shown = u.Redacted()
		}
		return &addressError{shown, "is no address of a NATS server",
			"such as nats://127.0.0.1:4222, or tls://nats.example:4222"}
	}
	return nil
}

// isLoopback reports whether a host is this machine alone.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// certificate loads that of this side; nil is none.
func (a Address) certificate() (*tls.Certificate, error) {
	if a.CertFile == "" && a.KeyFile == "" {
		return nil, nil
	}
	if a.CertFile == "" || a.KeyFile == "" {
		return nil, &addressError{"--tls-cert", "and --tls-key go together", "name both files"}
	}
	pair, err := tls.LoadX509KeyPair(a.CertFile, a.KeyFile)
	if err != nil {
		return nil, &addressError{a.CertFile, "is no certificate with its key: " + err.Error(), "both are files in PEM"}
	}
	return &pair, nil
}

// authorities loads those of the other side; nil are those of the system.
func (a Address) authorities() (*x509.CertPool, error) {
	if a.CAFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(a.CAFile)
	if err != nil {
		return nil, &addressError{a.CAFile, "cannot be read: " + reason(err), "it is a file of certificates in PEM"}
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, &addressError{a.CAFile, "has no certificate", "it is a file of certificates in PEM"}
	}
	return pool, nil
}

// maxPayload bounds a message of a server in this process, in bytes. A longer report goes through the store of files.
const maxPayload = 8 << 20

// maxQueueBytes bounds what a server in this process keeps in memory: files of suites, errands and long reports.
const maxQueueBytes = 2 << 30

// listen starts a server in this process, which has a key of its own where workers have some, and a folder that queues
// in memory leave empty. Without a certificate it listens on this machine alone: :4222 is 127.0.0.1:4222.
func (a Address) listen(token Token, own, folder string) (*server.Server, error) {
	host, port, err := net.SplitHostPort(a.Listen)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	pair, err := a.certificate()
	if err != nil {
		return nil, err
	}
	switch {
	case pair == nil && host == "":
		host = "127.0.0.1"
	case host == "":
		host = "0.0.0.0"
	case pair == nil && !isLoopback(host):
		return nil, &addressError{a.Listen, "is reached by other machines, and would not be encrypted",
			"give --tls-cert and --tls-key, or listen on :" + port + ", which is this machine"}
	}
	o := &server.Options{
		ServerName: "tribunal", Host: host, Port: number, NoLog: true, NoSigs: true, JetStream: true, StoreDir: folder,
		JetStreamMaxMemory: maxQueueBytes, JetStreamMaxStore: -1, MaxPayload: maxPayload, MaxPending: 128 << 20,
		WriteDeadline: 10 * time.Second,
	}
	if o.Nkeys, err = a.workerNKeys(); err != nil {
		return nil, err
	}
	if len(o.Nkeys) == 0 {
		o.Authorization = token.password()
	} else {
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: own})
	}
	if pair != nil {
		authorities, err := a.authorities()
		if err != nil {
			return nil, err
		}
		o.TLS, o.TLSTimeout = true, 5
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*pair}, MinVersion: tls.VersionTLS12,
			ClientCAs: authorities}
		if authorities != nil {
			o.TLSConfig.ClientAuth, o.TLSVerify = tls.RequireAndVerifyClientCert, true
		}
	}
	// The server itself would be long in saying so.
	tried, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, unusableServer(a.Listen, err,
			"is another run, or a NATS server, there? Then use it: nats://"+net.JoinHostPort(host, port))
	}
	if err := tried.Close(); err != nil {
		return nil, err
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, unusableServer(a.Listen, errors.New("the queue does not begin"),
			"is the port taken? Choose another one")
	}
	return s, nil
}

// workerNKeys are the public keys of a file.
func (a Address) workerNKeys() (users []*server.NkeyUser, err error) {
	if a.WorkerNKeys == "" {
		return nil, nil
	}
	text, err := os.ReadFile(a.WorkerNKeys)
	if err != nil {
		return nil, &addressError{a.WorkerNKeys, "cannot be read: " + reason(err), "it has a public key a line"}
	}
	for line := range strings.FieldsSeq(string(text)) {
		if !nkeys.IsValidPublicUserKey(line) {
			return nil, &addressError{a.WorkerNKeys, "has a line that is no public key of a user",
				"one begins with U; see nk -gen user"}
		}
		users = append(users, &server.NkeyUser{Nkey: line})
	}
	if len(users) == 0 {
		return nil, &addressError{a.WorkerNKeys, "has no key", "it has a public key a line"}
	}
	return users, nil
}

// dial connects to a server, for ever: what is lost is connected again.
func (a Address) dial(token Token, name string, more ...nats.Option) (*nats.Conn, error) {
	options := append([]nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.IgnoreDiscoveredServers(), nats.ReconnectBufSize(-1),
		nats.CustomReconnectDelay(func(attempts int) time.Duration {
			return min(2*time.Second, time.Duration(attempts)*100*time.Millisecond)
		}),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second),
	}, more...)
	u, err := url.Parse(a.URL)
	if err != nil {
		return nil, err
	}
	secure, err := a.secured(u)
	if err != nil {
		return nil, err
	}
	if secure != nil {
		options = append(options, nats.Secure(secure))
	}
	switch {
	case a.NKeyFile != "" && a.CredsFile != "":
		return nil, &addressError{"--nkey", "and --creds exclude each other", "the file of --creds has a seed of its own"}
	case a.CredsFile != "":
		if err := checkCreds(a.CredsFile); err != nil {
			return nil, err
		}
		options = append(options, nats.UserCredentials(a.CredsFile))
	case a.NKeyFile != "":
		key, err := nats.NkeyOptionFromSeed(a.NKeyFile)
		if err != nil {
			return nil, &addressError{a.NKeyFile, "has no seed of an NKey: " + err.Error(),
				"one begins with SU; see nk -gen user"}
		}
		options = append(options, key)
	case u.User == nil:
		options = append(options, nats.Token(token.password()))
	}
	return nats.Connect(a.URL, options...)
}

// checkCreds refuses a file without a token and a seed, which would only be found out when the server asks for them.
func checkCreds(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return &addressError{file, "cannot be read: " + reason(err),
			"it is a file of credentials, as nsc and NATS's clouds write them"}
	}
	token, err := nkeys.ParseDecoratedJWT(text)
	if err == nil {
		_, err = jwt.DecodeUserClaims(token)
	}
	if err == nil {
		_, err = nkeys.ParseDecoratedUserNKey(text)
	}
	if err != nil {
		return &addressError{file, "has no credentials of a user: " + err.Error(),
			"it has a JWT and a seed, as nsc generate creds writes them"}
	}
	return nil
}

// secured says how a server is reached that is not this machine, or that says tls itself; nil is without encryption.
func (a Address) secured(u *url.URL) (*tls.Config, error) {
	authorities, err := a.authorities()
	if err != nil {
		return nil, err
	}
	pair, err := a.certificate()
	if err != nil {
		return nil, err
	}
	if u.Scheme != "tls" && authorities == nil {
		if !isLoopback(u.Hostname()) {
			return nil, &addressError{u.Redacted(), "is another machine, and the way there would not be encrypted",
				"write tls:// in place of nats://, or name its authority with --tls-ca"}
		}
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authorities, ServerName: u.Hostname()}
	if pair != nil {
		config.Certificates = []tls.Certificate{*pair}
	}
	return config, nil
}

// unreachable says that a server cannot be reached, or turned us away.
func unreachable(address string, err error) error {
	advice := "is the coordinator, or a NATS server, running there?"
	if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) {
		advice = "is the token that of the coordinator?"
	}
	if u, parsed := url.Parse(address); parsed == nil {
		address = u.Redacted()
	}
	return unusableServer(address, err, advice)
}

// unusableServer says that a server cannot be used, and what it, or the network, said.
func unusableServer(address string, err error, advice string) error {
	return &fault.Error{Problem: fmt.Sprintf("%s: %v", address, err), Advice: advice, Code: exit.Unavailable, Err: err}
}
