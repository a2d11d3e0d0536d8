package fleet

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tribunal-dev/tribunal/runner"
)

// names are those of subjects, streams and buckets of a run.
type names struct{ prefix, run string }

func (n names) subject(what kind) string { return n.prefix + "." + n.run + "." + string(what) }
func (n names) announcements() string    { return n.prefix + ".runs" }
func (n names) hello() string            { return n.prefix + ".hello" }
func (n names) queue(i string) string    { return n.stem() + i }
func (n names) stem() string             { return n.prefix + "_" + n.run + "_" }
func (n names) files() string            { return n.stem() + "files" }
func (n names) rates() string            { return n.prefix + "_rates" }

// errands is the subject of a queue.
func (n names) errands(queue string) string { return n.prefix + "." + n.run + ".errands." + queue }

// consumerName is that of the one consumer of a queue, which all workers share.
const consumerName = "workers"

// maxWaiting bounds how many workers wait at a queue, and how many errands are out. It is chosen.
const maxWaiting = 1 << 14

// random returns a name that no other has.
func random() string {
	var text [8]byte
	_, _ = rand.Read(text[:]) // which never fails
	return hex.EncodeToString(text[:])
}

// queue is where errands wait, as it is now: another one is made when its server was lost.
type queue struct {
	names names
	js    jetstream.JetStream
	lease time.Duration
}

// open makes a queue anew, and the store with the files of the suite, and removes what is left of earlier ones of the
// run.
func (q queue) open(ctx context.Context, b *bundle) (name string, err error) {
	if err := q.remove(ctx); err != nil {
		return "", err
	}
	name = q.names.queue(random())
	if _, err := q.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{q.names.errands(name)}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.MemoryStorage, Discard: jetstream.DiscardNew, Replicas: 1,
	}); err != nil {
		return "", err
	}
	if _, err := q.js.CreateConsumer(ctx, name, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.lease, MaxDeliver: -1,
		MaxAckPending: maxWaiting, MaxWaiting: maxWaiting,
	}); err != nil {
		return "", err
	}
	store, err := q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: q.names.files(), Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return "", err
	}
	if b != nil {
		_, err = store.Put(ctx, jetstream.ObjectMeta{Name: b.digest}, bytes.NewReader(b.data))
	}
	return name, err
}

// remove removes all queues of the run.
func (q queue) remove(ctx context.Context) error {
	list := q.js.StreamNames(ctx, jetstream.WithStreamListSubject(q.names.errands("*")))
	var old []string
	for name := range list.Name() {
		old = append(old, name)
	}
	if err := list.Err(); err != nil {
		return err
	}
	for _, name := range old {
		if err := q.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	return nil
}

// close removes all that the run has at the server.
func (q queue) close(ctx context.Context) error {
	err := q.remove(ctx)
	if gone := q.js.DeleteObjectStore(ctx, q.names.files()); !errors.Is(gone, jetstream.ErrStreamNotFound) &&
		!errors.Is(gone, jetstream.ErrBucketNotFound) {
		err = errors.Join(err, gone)
	}
	return err
}

// isThere reports whether a queue is at the server; an error says that nobody knows.
func (q queue) isThere(ctx context.Context, name string) (bool, error) {
	stream, err := q.js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = stream.Consumer(ctx, consumerName)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return false, nil
	}
	return err == nil, err
}

// maxParcelBytes bounds a report that goes through the store of files. It is chosen: an agent's output is bounded by
// its suite, and by much less.
const maxParcelBytes = 128 << 20

// send puts a report that is too long for a message into the store of files, and returns its digest.
func send(ctx context.Context, js jetstream.JetStream, n names, r *runner.Report) (digest string, err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	if len(text) > maxParcelBytes {
		return "", fmt.Errorf("it has more than %d bytes", maxParcelBytes)
	}
	sum := sha256.Sum256(text)
	digest = hex.EncodeToString(sum[:])
	store, err := js.ObjectStore(ctx, n.files())
	if err != nil {
		return "", err
	}
	_, err = store.Put(ctx, jetstream.ObjectMeta{Name: digest}, bytes.NewReader(text))
	return digest, err
}

// receive reads such a report, and removes it.
func receive(ctx context.Context, js jetstream.JetStream, n names, digest string) (*runner.Report, error) {
	text, err := fetched(ctx, js, n, digest, maxParcelBytes)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	if hex.EncodeToString(sum[:]) != digest {
		return nil, errors.New("its digest is another")
	}
	var r runner.Report
	return &r, json.Unmarshal(text, &r)
}

// fetched reads an object of the store of files.
func fetched(ctx context.Context, js jetstream.JetStream, n names, name string, most int64) ([]byte, error) {
	store, err := js.ObjectStore(ctx, n.files())
	if err != nil {
		return nil, err
	}
	object, err := store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	text, err := io.ReadAll(io.LimitReader(object, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	return text, err
}

// respond answers a request, where somebody waits for the answer.
func respond(nc *nats.Conn, m *nats.Msg, text []byte) {
	if m.Reply != "" {
		_ = nc.Publish(m.Reply, text) // who gets no answer asks again
	}
}
