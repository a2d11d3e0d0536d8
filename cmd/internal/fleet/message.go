package fleet

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tribunal-dev/tribunal/runner"
)

// Token is what a coordinator and its workers share, as package door reads it. It is not sent.
type Token string

// reason is the cause of an error of the file system, without the path.
func reason(err error) string {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// derived is a key for one purpose.
func (t Token) derived(purpose string) []byte {
	mac := hmac.New(sha256.New, []byte(t))
	mac.Write([]byte("tribunal fleet 1: " + purpose))
	return mac.Sum(nil)
}

// password opens the server of a coordinator. Who learns it cannot sign.
func (t Token) password() string { return hex.EncodeToString(t.derived("server")) }

// seal signs messages, and opens those that are signed.
type seal struct{ key []byte }

// newSeal is that of a token.
func newSeal(t Token) seal { return seal{t.derived("messages")} }

// kind is what a message is. It is part of what is signed.
type kind string

// The kinds of messages.
const (
	announcementKind kind = "announcement"
	errandKind       kind = "errand"
	claimKind        kind = "claim"
	leaseKind        kind = "lease"
	beatKind         kind = "beat"
	resultKind       kind = "result"
	receiptKind      kind = "receipt"
	stopKind         kind = "stop"
	noteKind         kind = "note"
)

// errSignature says that a message is not of who has the token.
var errSignature = errors.New("it is not signed with the token")

// mac signs a text of a kind, of a run.
func (s seal) mac(k kind, run string, text []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	fmt.Fprintf(mac, "%s\x00%s\x00", k, run)
	mac.Write(text)
	return mac.Sum(nil)
}

// close returns a message: the signature, and the value as JSON.
func (s seal) close(k kind, run string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil { // of our own types, whose raw parts were JSON before
		text = []byte("null")
	}
	return append(s.mac(k, run, text), text...)
}

// open reads a message.
func (s seal) open(k kind, run string, message []byte, into any) error {
	if len(message) < sha256.Size || !hmac.Equal(message[:sha256.Size], s.mac(k, run, message[sha256.Size:])) {
		return errSignature
	}
	return json.Unmarshal(message[sha256.Size:], into)
}

// announcement is what a coordinator says of its run, again and again.
type announcement struct {
	Version int    `json:"version"` // of the protocol
	Run     string `json:"run"`     // stays the same when the run is resumed
	Session string `json:"session"` // of the coordinator
	Queue   string `json:"queue"`   // the stream; another one after the server was lost
	Sent    int64  `json:"sent"`    // Unix time in nanoseconds, which grows within a session
	Ended   bool   `json:"ended,omitempty"`

	Lease   time.Duration `json:"lease_ns"`
	Label   string        `json:"label,omitempty"` // that workers must have; "" is any worker
	Bundle  string        `json:"bundle"`          // digest of the suite's files
	Suite   string        `json:"suite"`           // the file of the suite among them
	Profile string        `json:"profile,omitempty"`
	Digest  string        `json:"digest"` // of the suite
	Prices  []byte        `json:"prices,omitempty"`
	Judges  bool          `json:"judges,omitempty"` // workers judge
	Price   float64       `json:"price,omitempty"`  // of a trial
	Rate    float64       `json:"rate,omitempty"`   // attempts a minute, over all workers; 0 is not bounded
}

// protocolVersion is that of all messages.
const protocolVersion = 1

// claim asks for the lease of an errand.
type claim struct {
	ID     string `json:"id"`
	Worker string `json:"worker"`
}

// lease answers a claim.
type lease struct {
	Granted bool          `json:"granted,omitempty"`
	Epoch   int64         `json:"epoch,omitempty"`
	Done    bool          `json:"done,omitempty"`    // nobody needs it any more
	Wait    time.Duration `json:"wait_ns,omitempty"` // somebody else has it until then
}

// heldErrand is an errand that a worker has.
type heldErrand struct {
	ID    string `json:"id"`
	Epoch int64  `json:"epoch"`
}

// beat renews the leases of a worker, and says that it is there.
type beat struct {
	Worker string       `json:"worker"`
	Slots  int          `json:"slots"` // 0 says that it leaves
	Held   []heldErrand `json:"held,omitempty"`
	Freed  []heldErrand `json:"freed,omitempty"` // given back without a result, as the worker ends
}

// result is what came of an errand.
type result struct {
	heldErrand
	Worker string         `json:"worker"`
	Report *runner.Report `json:"report,omitempty"`
	// Parcel is the digest of the report where it was too long for a message, and is in the store of files.
	Parcel string `json:"parcel,omitempty"`
}

// receipt answers a result.
type receipt struct {
	Kept bool `json:"kept,omitempty"` // the journal has it
	Late bool `json:"late,omitempty"` // the lease was over
}

// note is what a worker tells a person at the coordinator.
type note struct {
	Worker  string `json:"worker"`
	Text    string `json:"text"`
	Refused bool   `json:"refused,omitempty"` // the worker takes no errand of this run
}
