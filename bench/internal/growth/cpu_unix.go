//go:build unix

package growth

import "syscall"

// cpuSeconds are those that processors spent on this process and on the programs that it started and that ended.
func cpuSeconds() float64 {
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	sum := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) != nil {
			return 0
		}
		sum += seconds(u.Utime) + seconds(u.Stime)
	}
	return sum
}
