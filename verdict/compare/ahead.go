package compare

// background are the long computations that no step of judge changes anything for: they run beside the first steps, on
// a processor that would have nothing to do. Each is the same as if it were computed when it is asked for.
type background struct {
	metrics promise[comparedMetrics]
	differ  promise[differingChanges]
}

// compareAhead begins with them, after the tests of all trials, and one comes after the other: so the memory of two is
// not taken at once.
func (c *comparer) compareAhead(*Result) {
	c.ahead = background{newPromise[comparedMetrics](), newPromise[differingChanges]()}
	go func() {
		c.ahead.metrics.keep(c.compareMetrics())
		differ := differingChanges{}
		if c.testsDifferences() {
			differ = c.heterogeneity()
		}
		c.ahead.differ.keep(differ)
	}()
}

// wait waits until nothing runs any longer, if it was begun: the recordings may be closed then.
func (a *background) wait() {
	if a.differ.made != nil {
		a.differ.of() // the last
	}
}

// promise is a value that is computed elsewhere.
type promise[T any] struct{ made chan T }

func newPromise[T any]() promise[T] { return promise[T]{make(chan T, 1)} }

// keep gives the value, once.
func (p promise[T]) keep(value T) { p.made <- value }

// of waits for the value.
func (p promise[T]) of() T {
	value := <-p.made
	p.made <- value // for who asks next
	return value
}
