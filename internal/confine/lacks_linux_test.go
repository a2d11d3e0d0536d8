package confine

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// lacking tells what rules lack where the kernel refuses calls: those of Landlock as one without it does, and
// namespaces of users as Docker's profile does. It then tries to run a program all the same.
func lacking(calls []string) int {
	runtime.LockOSThread()
	load := func(at uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: at, Size: 4} }
	program := []bpf.Instruction{load(callNumber)}
	refuse := func(call uint32, errno syscall.Errno) {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1},
			bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)})
	}
	for _, call := range calls {
		switch call {
		case "landlock":
			refuse(unix.SYS_LANDLOCK_CREATE_RULESET, syscall.ENOSYS)
		case "restrict":
			refuse(unix.SYS_LANDLOCK_RESTRICT_SELF, syscall.E2BIG)
		case "seccomp":
			refuse(unix.SYS_SECCOMP, syscall.EPERM)
		case "namespaces":
			refuse(unix.SYS_CLONE3, syscall.ENOSYS)
			program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE, SkipTrue: 3}, load(argument0),
				bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: syscall.CLONE_NEWUSER, SkipTrue: 1},
				bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(syscall.EPERM)}, load(callNumber))
		}
	}
	program = append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
	raw, err := bpf.Assemble(program)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0,
		uintptr(unsafe.Pointer(&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}))); errno != 0 {
		fmt.Println(errno)
		return 1
	}
	rules := Rules{Write: []string{"."}, Network: Wire, Serve: func(net.Listener) {}}
	for _, l := range rules.Lacks() {
		fmt.Println("lacks", l)
	}
	// Held to be held all the same, it does not begin; held to what can be, it does.
	for _, r := range []Rules{rules, rules.Without(rules.Lacks())} {
		os.Remove("begun")
		err := r.start(exec.Command("sh", "-c", "echo > begun; echo > ../escaped"))
		_, begun := os.Stat("begun")
		_, escaped := os.Stat("../escaped")
		os.Remove("../escaped")
		fmt.Printf("%v: began %t, escaped %t, error %v\n", r.empty(), begun == nil, escaped == nil, err)
	}
	return 0
}

// start runs a program to its end.
func (r Rules) start(cmd *exec.Cmd) error {
	held, err := r.Hold(cmd)
	if err != nil {
		return err
	}
	defer held.Close()
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	if err := held.Begun(context.Background()); err != nil {
		_ = cmd.Process.Kill()
		return err
	}
	return nil
}

func TestLacks(t *testing.T) {
	needs := Rules{Network: None}
	needs.needs(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		refused string
		want    []string
	}{
		{"", []string{"false: began true, escaped false, error <nil>", "false: began true, escaped false, error <nil>"}},
		{"landlock", []string{
			"lacks writes: the kernel has no Landlock, or it is not enabled: function not implemented; Linux 6.2 and later " +
				"have what is needed",
			"false: began false, escaped false, error it cannot be confined: what it writes: landlock_create_ruleset: " +
				"function not implemented",
			"false: began true, escaped true, error <nil>",
		}},
		{"namespaces", []string{
			"lacks network: namespaces of its own: fork/exec /proc/self/exe: operation not permitted (namespaces of users may " +
				"be " +
				"kept from it by a container, or by kernel.apparmor_restrict_unprivileged_userns)",
			"false: began false, escaped false, error fork/exec /proc/self/exe: operation not permitted",
			"false: began true, escaped false, error <nil>",
		}},
		{"namespaces landlock", []string{
			"lacks writes: the kernel has no Landlock, or it is not enabled: function not implemented; Linux 6.2 and later " +
				"have what is needed",
			"lacks network: namespaces of its own: fork/exec /proc/self/exe: operation not permitted (namespaces of users may " +
				"be " +
				"kept from it by a container, or by kernel.apparmor_restrict_unprivileged_userns)",
			"false: began false, escaped false, error fork/exec /proc/self/exe: operation not permitted",
			"true: began true, escaped true, error <nil>",
		}},
		{"restrict", []string{
			"lacks writes: landlock_restrict_self: argument list too long",
			"false: began false, escaped false, error it cannot be confined: what it writes: landlock_restrict_self: argument " +
				"list too long",
			"false: began true, escaped true, error <nil>",
		}},
		{"seccomp", []string{
			"lacks network: sockets: seccomp: operation not permitted (namespaces of users may be kept from it by a " +
				"container, or by " +
				"kernel.apparmor_restrict_unprivileged_userns)",
			"false: began false, escaped false, error it cannot be confined: sockets: seccomp: operation not permitted",
			"false: began true, escaped false, error <nil>",
		}},
	} {
		t.Run(c.refused, func(t *testing.T) {
			cmd := exec.Command(self, append([]string{"lacking"}, strings.Fields(c.refused)...)...)
			cmd.Dir = t.TempDir() + "/work"
			if err := os.Mkdir(cmd.Dir, 0o755); err != nil {
				t.Fatal(err)
			}
			cmd.Env = append(os.Environ(), roleVariable+"=lacking", "GORACE=atexit_sleep_ms=0")
			printed, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, printed)
			}
			if got := strings.Split(strings.TrimSpace(string(printed)), "\n"); !slices.Equal(got, c.want) {
				t.Errorf("%s\nwant\n%s", printed, strings.Join(c.want, "\n"))
			}
		})
	}
}
