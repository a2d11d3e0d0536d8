package memory

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
)

// largestDefault is the ceiling where nobody says one: what a small machine of a CI service has to spare.
const largestDefault = 2 << 30

// Least is the smallest ceiling that makes sense: the program itself takes most of it.
const Least = 32 << 20

// DefaultCeiling returns 2 GiB, or half of the memory of the machine or of the control group that the
// process is in, whichever is less, in bytes. Where the system does not say it is 2 GiB.
func DefaultCeiling() int64 {
	have := int64(math.MaxInt64)
	for _, limit := range []int64{
		machine("/proc/meminfo"), number("/sys/fs/cgroup/memory.max"), number("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
	} {
		if limit > 0 {
			have = min(have, limit)
		}
	}
	return max(min(largestDefault, have/2), Least)
}

// machine returns the memory that a file such as /proc/meminfo of Linux tells, 0 where it tells none.
func machine(name string) int64 {
	file, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == "MemTotal:" {
			kibibytes, _ := strconv.ParseInt(fields[1], 10, 53)
			return kibibytes << 10
		}
	}
	return 0
}

// number returns what a file with a number holds, 0 where it holds none, such as the word max.
func number(name string) int64 {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
