package confine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// able says that this program can stand for others when it is started again; see [Main].
var able atomic.Bool

// errUnable is of programs that use this one as a library.
var errUnable = errors.New("this program starts no confined ones: the command tribunal does")

// patience is how long a program may take until it is confined. It takes some milliseconds; this is for machines
// that do nothing else for seconds.
const patience = time.Minute

// HeldProgram is a program that is to be confined. nil is one that is not.
type HeldProgram struct {
	path      string // of the program
	serve     func(net.Listener)
	mine      *net.UnixConn
	theirs    *os.File
	listener  net.Listener
	confined  bool
	listening bool
	wire      bool
}

// Hold changes a command that has not been started, so that the program is confined. It keeps its place, directory
// and variables. The caller calls [HeldProgram.Begun] when it was started, and [HeldProgram.Close] in any case.
func (r Rules) Hold(cmd *exec.Cmd) (*HeldProgram, error) {
	if r.empty() {
		return nil, nil
	}
	if !able.Load() {
		return nil, &Error{"the program", errUnable}
	}
	if cmd.Err != nil { // it was not found
		return nil, cmd.Err
	}
	return r.hold(cmd, cmd.Path, cmd.Args)
}

// hold has this program started in place of another.
func (r Rules) hold(cmd *exec.Cmd, path string, args []string) (*HeldProgram, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, &Error{"a connection to it", err}
	}
	h := &HeldProgram{path: path, serve: r.Serve, theirs: os.NewFile(uintptr(ends[1]), name), wire: r.Network == Wire}
	mine := os.NewFile(uintptr(ends[0]), name)
	conn, err := net.FileConn(mine) // a copy
	mine.Close()
	if err != nil {
		h.theirs.Close()
		return nil, &Error{"a connection to it", err}
	}
	h.mine = conn.(*net.UnixConn)
	if r.Network == "" {
		r.Network = None
	}
	cmd.Path = "/proc/self/exe" // of the process that is forked: this program, be it replaced meanwhile
	cmd.Args = append([]string{name, string(text(order{
		Write: r.Write, WritesAnywhere: r.WritesAnywhere, Network: r.Network, Port: r.Port,
		UID: os.Geteuid(), GID: os.Getegid(), Path: path,
	}))}, args...)
	cmd.ExtraFiles = append([]*os.File{h.theirs}, cmd.ExtraFiles...)
	if r.Network != Host {
		namespaces(cmd)
	}
	return h, nil
}

// namespaces has a command start in namespaces of its own. The user is the same there, and root is who it is: it
// can have all its users written down, as any other user can have itself alone, which it does by itself; this process
// may not even look at it where its own memory is closed.
func namespaces(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	a := cmd.SysProcAttr
	// Shared memory and queues of System V have no files: a namespace keeps those of others away.
	a.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC
	if os.Geteuid() == 0 {
		a.UidMappings, a.GidMappings = identity("/proc/self/uid_map"), identity("/proc/self/gid_map")
		a.GidMappingsEnableSetgroups = true
	}
	// Without a number that is known a program loses these when it is executed.
	a.AmbientCaps = append(a.AmbientCaps, unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN,
		unix.CAP_SYS_ADMIN)
}

// identity maps every number that is known to this process to itself. See user_namespaces(7).
func identity(file string) (list []syscall.SysProcIDMap) {
	known, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(known)) {
		fields := strings.Fields(line)
		const inside, outside, size = 0, 1, 2
		if len(fields) != size+1 {
			continue
		}
		from, err1 := strconv.ParseInt(fields[inside], 10, strconv.IntSize)
		n, err2 := strconv.ParseInt(fields[size], 10, strconv.IntSize) // the largest of what fits, on 32 bits
		if err1 == nil && (err2 == nil || errors.Is(err2, strconv.ErrRange)) {
			list = append(list, syscall.SysProcIDMap{ContainerID: int(from), HostID: int(from), Size: int(n)})
		}
	}
	return list
}

// Begun waits until the program is confined and has begun. On an error it has not, and who started it ends it: an
// [Error] where it could not be confined, and else what kept it from being executed.
func (h *HeldProgram) Begun(ctx context.Context) error {
	if h == nil {
		return nil
	}
	h.theirs.Close() // so that the connection ends with the program's end of it
	h.theirs = nil
	defer h.mine.Close()
	_ = h.mine.SetReadDeadline(time.Now().Add(patience))
	defer context.AfterFunc(ctx, func() { _ = h.mine.SetReadDeadline(time.Now()) })()
	for {
		s, file, err := h.hear()
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		switch {
		case errors.Is(err, errEnd) && h.confined && h.listening == h.wire:
			return nil
		case errors.Is(err, errEnd):
			return &Error{"the program", errors.New("it ended before it was")}
		case err != nil:
			return &Error{"the program", err}
		}
		switch s.Word {
		case listening:
			err = h.listen(file)
		case confined:
			h.confined = true
		case failed:
			err = &Error{s.Step, s.error()}
		case unstarted:
			err = &os.PathError{Op: "fork/exec", Path: h.path, Err: s.error()}
		}
		if err != nil {
			return err
		}
	}
}

var errEnd = errors.New("the connection has ended")

// hear returns what is said next, and the file that comes with it.
func (h *HeldProgram) hear() (s message, file *os.File, err error) {
	const most = 64 << 10
	message, beside := make([]byte, most), make([]byte, unix.CmsgSpace(4))
	n, more, _, _, err := h.mine.ReadMsgUnix(message, beside)
	switch {
	case errors.Is(err, io.EOF), err == nil && n == 0:
		return s, nil, errEnd
	case err != nil:
		return s, nil, err
	}
	if err := json.Unmarshal(message[:n], &s); err != nil {
		return s, nil, fmt.Errorf("it said what is not understood: %w", err)
	}
	control, err := unix.ParseSocketControlMessage(beside[:more])
	if err != nil || len(control) == 0 {
		return s, nil, err
	}
	files, err := unix.ParseUnixRights(&control[0])
	if err != nil || len(files) == 0 {
		return s, nil, err
	}
	return s, os.NewFile(uintptr(files[0]), "the wire"), nil
}

// listen has the listener answered that comes from the program's network.
func (h *HeldProgram) listen(file *os.File) error {
	if file == nil {
		return &Error{"the network", errors.New("no listener came")}
	}
	l, err := net.FileListener(file) // a copy
	file.Close()
	if err != nil {
		return &Error{"the network", err}
	}
	h.listener, h.listening = l, true
	if h.serve != nil {
		h.serve(l)
	}
	return nil
}

// Close ends what is answered.
func (h *HeldProgram) Close() {
	if h == nil {
		return
	}
	if h.theirs != nil { // it was never started
		h.theirs.Close()
		h.mine.Close()
	}
	if h.listener != nil {
		h.listener.Close()
	}
	h.listener, h.theirs = nil, nil
}
