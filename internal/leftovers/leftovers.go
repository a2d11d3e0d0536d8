// Package leftovers finds the goroutines and processes that tests leave behind.
//
//	func TestMain(m *testing.M) { os.Exit(leftovers.After(m.Run)) }
package leftovers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// patience is how long what was told to end may take.
const patience = 5 * time.Second

// After runs the tests, and returns their exit code: not 0 either where goroutines or
// child processes are left after them, which are then named on standard error.
func After(tests func() int) int {
	before := runtime.NumGoroutine()
	code := tests()
	if code != 0 {
		return code
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		goroutines, children := runtime.NumGoroutine(), Children(os.Getpid())
		// os/signal keeps one goroutine for good once it was used.
		if goroutines <= before+1 && len(children) == 0 {
			return 0
		}
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			fmt.Fprintf(os.Stderr, "%d goroutines and children %v are left\n%s\n", goroutines, children,
				stacks[:runtime.Stack(stacks, true)])
			return 1
		}
	}
}

// Children returns the numbers of the processes, also zombies, whose parent it is.
// Where there is no /proc it finds none.
func Children(pid int) (children []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if _, parent := state(child); parent == pid {
			children = append(children, child)
		}
	}
	return children
}

// Gone reports whether no process has the number, or only a dead one.
func Gone(pid int) bool {
	letter, _ := state(pid)
	return letter == "" || letter == "Z" || letter == "X"
}

// state returns the state letter of a process and its parent; "" where it is gone.
func state(pid int) (letter string, parent int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}
