package bench

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine is where a measurement of time was made.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu,omitempty"` // the model, where the system says it
	Cores int    `json:"cores"`
	Go    string `json:"go"`
}

// ThisMachine describes the machine that the program runs on.
func ThisMachine() Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version()}
	if file, err := os.Open("/proc/cpuinfo"); err == nil {
		defer file.Close()
		m.CPU = cpuModel(file)
	}
	return m
}

// cpuModel returns the model that /proc/cpuinfo names first, "" if none.
func cpuModel(r io.Reader) string {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		key, value, found := strings.Cut(lines.Text(), ":")
		if key = strings.TrimSpace(key); found && (key == "model name" || key == "Model") {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}

// String is one line, such as "linux/amd64, Intel Xeon, 2 cores, go1.26".
func (m Machine) String() string {
	parts := []string{m.OS + "/" + m.Arch}
	if m.CPU != "" {
		parts = append(parts, m.CPU)
	}
	return strings.Join(append(parts, coresOf(m.Cores), m.Go), ", ")
}

func coresOf(n int) string {
	if n == 1 {
		return "1 core"
	}
	return strconv.Itoa(n) + " cores"
}
