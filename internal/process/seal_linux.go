package process

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Seal keeps the programs that this process starts from reading in /proc what they are not given: the
// environment that this process was started with is overwritten, and its memory is closed to all who have
// its user but no right to trace others (CAP_SYS_PTRACE, see ptrace(2)). This process keeps its variables.
// It is called once, before there are goroutines. Where /proc is not there nothing is to be read either.
func Seal() {
	// Strings of the environment are those that the kernel made: what is kept has to be copied first.
	variables := os.Environ()
	for i, variable := range variables {
		variables[i] = strings.Clone(variable)
	}
	os.Clearenv()
	for _, variable := range variables {
		// A name may begin with an equals sign, never end with it.
		if i := strings.IndexByte(variable[min(1, len(variable)):], '='); i >= 0 {
			_ = os.Setenv(variable[:i+1], variable[i+2:])
		}
	}
	overwriteEnvironment()
	const setDumpable = 4 // PR_SET_DUMPABLE; 0 also makes the files of /proc root's
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
}

// overwriteEnvironment writes zeros over what /proc/self/environ shows: from env_start to env_end, the
// fields 50 and 51 of /proc/self/stat (see proc(5)).
func overwriteEnvironment() {
	fields := statOf(os.Getpid())
	const start, end = 50 - 3, 51 - 3 // the first field here is the third
	if len(fields) <= end {
		return
	}
	from, err := strconv.ParseInt(fields[start], 10, 64)
	if err != nil || from <= 0 {
		return
	}
	to, err := strconv.ParseInt(fields[end], 10, 64)
	const most = 64 << 20 // bytes; the kernel allows less
	if err != nil || to <= from || to-from > most {
		return
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer memory.Close()
	_, _ = memory.WriteAt(make([]byte, to-from), from)
}
