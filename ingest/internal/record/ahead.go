package record

import "io"

// aheadTimes is how many times values are read ahead. It is chosen.
const aheadTimes = 4

// aheadBatch is values that one goroutine prepares.
type aheadBatch[T any] struct {
	values []T
	err    error         // that follows them
	done   chan struct{} // gets an element once they are prepared
}

// Ahead reads values in a goroutine, prepares them in others, and uses them in their order. It ends with the first
// error of a function in that order; io.EOF of next is none. What waits in next when use fails ends when that returns.
// A value that next gets has what an earlier one left in it, whose memory it may take. So many are handed over at once
// that this costs nothing.
func Ahead[T any](atOnce int, next, prepare, use func(*T) error) error {
	full, empty, stop := make(chan *aheadBatch[T], aheadTimes), make(chan *aheadBatch[T], aheadTimes), make(chan struct{})
	defer close(stop)
	for range aheadTimes {
		empty <- &aheadBatch[T]{values: make([]T, 0, atOnce), done: make(chan struct{}, 1)}
	}
	go func() {
		for {
			select {
			case <-stop:
				return
			case b := <-empty:
				b.fill(next)
				ends := b.err != nil // what prepares it may set another
				go b.prepare(prepare)
				full <- b
				if ends {
					return
				}
			}
		}
	}()
	for {
		b := <-full
		<-b.done
		for i := range b.values {
			if err := use(&b.values[i]); err != nil {
				return err
			}
		}
		switch b.err {
		case nil:
			empty <- b
		case io.EOF:
			return nil
		default:
			return b.err
		}
	}
}

// fill reads as many values as there is room for.
func (b *aheadBatch[T]) fill(next func(*T) error) {
	b.values = b.values[:cap(b.values)]
	for i := range b.values {
		if b.err = next(&b.values[i]); b.err != nil {
			b.values = b.values[:i]
			return
		}
	}
}

// prepare prepares the values up to the first that cannot be.
func (b *aheadBatch[T]) prepare(prepare func(*T) error) {
	for i := range b.values {
		if err := prepare(&b.values[i]); err != nil {
			b.values, b.err = b.values[:i], err
			break
		}
	}
	b.done <- struct{}{}
}
