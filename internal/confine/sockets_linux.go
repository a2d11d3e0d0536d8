package confine

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// architectures are those whose calls of the system the filter knows. They have no call that stands for several, with
// its arguments in memory, where no filter sees them.
var architectures = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
	"loong64": unix.AUDIT_ARCH_LOONGARCH64,
}

var errArchitecture = errors.New("no filter of sockets is known for " + runtime.GOARCH)

// Where the fields of seccomp_data are, of which the lower halves of arguments come first: all architectures here are
// little-endian.
const (
	callNumber   = 0
	architecture = 4
	argument0    = 16
	argument1    = 24
)

// filterCalls keeps this thread, and all that it becomes and starts, from typing into a terminal, and with sockets from
// making those but of the Internet and of questions to the kernel, which a network namespace holds. Pairs of sockets
// reach nobody, unless they are of the kind that can be sent to any address. See seccomp(2), address_families(7).
func filterCalls(sockets bool) error {
	instructions, err := callFilter(sockets)
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(instructions))
	for i, in := range instructions {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// callFilter is the filter.
func callFilter(sockets bool) ([]bpf.RawInstruction, error) {
	own, ok := architectures[runtime.GOARCH]
	if !ok {
		return nil, errArchitecture
	}
	load := func(at uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: at, Size: 4} }
	refuse := func(errno unix.Errno) bpf.Instruction {
		return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
	}
	equal := func(value uint32, to, else_ uint8) bpf.Instruction {
		return bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: to, SkipFalse: else_}
	}
	const (
		otherCalls = 0x40000000 // of the x32 interface, on amd64
		kindOf     = 0xf        // of a socket's type, which has flags besides
	)
	filter := []bpf.Instruction{
		load(architecture),
		equal(own, 1, 0),
		refuse(unix.ENOSYS), // programs of 32 bits
		load(callNumber),
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: otherCalls, SkipTrue: 1},
		refuse(unix.ENOSYS),
		// What puts characters into a terminal, as if a person had typed them. See ioctl_tty(2).
		equal(unix.SYS_IOCTL, 0, 5),
		load(argument1),
		equal(unix.TIOCSTI, 1, 0),
		equal(unix.TIOCLINUX, 0, 1),
		refuse(unix.EPERM),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	}
	if !sockets {
		return bpf.Assemble(append(filter, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}))
	}
	return bpf.Assemble(append(filter,
		equal(unix.SYS_IO_URING_SETUP, 3, 0), // which makes sockets without this call
		equal(unix.SYS_SOCKET, 3, 0),
		equal(unix.SYS_SOCKETPAIR, 8, 0),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		refuse(unix.ENOSYS),
		// socket
		load(argument0),
		equal(unix.AF_INET, 3, 0),
		equal(unix.AF_INET6, 2, 0),
		equal(unix.AF_NETLINK, 1, 0),
		refuse(unix.EAFNOSUPPORT),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		// socketpair
		load(argument1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: kindOf},
		equal(unix.SOCK_DGRAM, 0, 1),
		refuse(unix.EPROTONOSUPPORT),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	))
}
