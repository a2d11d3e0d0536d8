package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// KeyAbove finds a program above this one, such as the shell that started it, that was started with the value in its
// environment, where every program of the same user can read it. "" is none. Programs that this process starts are the
// same user's unless they are confined.
func KeyAbove(value string) (name string) {
	const parent = 4 - 3 // ppid, see proc(5); the first field of statOf is the third
	for pid := os.Getppid(); pid > 0; {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(environment, []byte("="+value+"\x00")) {
			name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
			return fmt.Sprintf("%s (process %d)", bytes.TrimSpace(name), pid)
		}
		fields := statOf(pid)
		if len(fields) <= parent {
			return ""
		}
		if pid, err = strconv.Atoi(fields[parent]); err != nil {
			return ""
		}
	}
	return ""
}
