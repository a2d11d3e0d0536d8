package fleet

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tribunal-dev/tribunal/runner"
)

// A provider bounds how much it is asked by all machines together. How fast attempts may begin is kept in a bucket at
// the server, which all workers and all runs share that ask for the same label: the time from which on the next may
// begin, which each of them moves on by compare and set (the generic cell rate algorithm, with room for a second's
// worth at once).

// rateTries bounds how often the bucket is tried before a worker waits: others were quicker each time.
const rateTries = 50

// rateKey is that of a label in the bucket.
func rateKey(label string) string {
	if label == "" {
		return "attempts"
	}
	return "attempts." + label
}

// pace waits until an attempt may begin.
func (s *servedRun) pace(ctx context.Context, a announcement) error {
	if a.Rate <= 0 {
		return nil
	}
	each := time.Duration(float64(time.Minute) / a.Rate)
	burst := max(each, time.Second)
	for {
		wait, err := s.moveOn(ctx, a.Label, func(next, now time.Time) (time.Time, time.Duration) {
			next = laterOf(next, now)
			if ahead := next.Add(each).Sub(now); ahead > burst {
				return next, ahead - burst
			}
			return next.Add(each), 0
		})
		if err != nil && ctx.Err() == nil { // the server is gone, or others are quicker
			wait = 100 * time.Millisecond
		} else if err == nil && wait == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// penalise lets all workers wait as a provider asked one of them to.
func (s *servedRun) penalise(ctx context.Context, a announcement, r runner.Report) {
	if a.Rate <= 0 || r.Failure == nil || !r.Failure.Unbegun || r.Failure.After <= 0 {
		return
	}
	_, _ = s.moveOn(ctx, a.Label, func(next, now time.Time) (time.Time, time.Duration) {
		return laterOf(next, now.Add(r.Failure.After)), 0
	})
}

// moveOn changes the time in the bucket, unless a wait is needed first.
func (s *servedRun) moveOn(
	ctx context.Context, label string, move func(next, now time.Time) (time.Time, time.Duration),
) (wait time.Duration, err error) {
	bucket, err := s.worker.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: s.names.rates(), Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return 0, err
	}
	for range rateTries {
		var before time.Time
		var revision uint64
		entry, err := bucket.Get(ctx, rateKey(label))
		switch {
		case err == nil:
			nanoseconds, _ := strconv.ParseInt(string(entry.Value()), 10, 64)
			before, revision = time.Unix(0, nanoseconds), entry.Revision()
		case !errors.Is(err, jetstream.ErrKeyNotFound):
			return 0, err
		}
		next, wait := move(before, time.Now())
		if wait > 0 {
			return wait, nil
		}
		if _, err = bucket.Update(ctx, rateKey(label), strconv.AppendInt(nil, next.UnixNano(), 10), revision); err == nil {
			return 0, nil
		}
	}
	return 0, errors.New("the bucket changes all the time")
}

// laterOf is the later of two times.
func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
