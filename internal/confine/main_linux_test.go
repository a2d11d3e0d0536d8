package confine

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The test binary is also what is confined, and the program that does what it should not: the variable says so.
const roleVariable = "CONFINE_TEST_ROLE"

func TestMain(m *testing.M) {
	Main()
	switch os.Getenv(roleVariable) {
	case "misbehave":
		os.Exit(misbehave(os.Args[1:]))
	case "lacking":
		os.Exit(lacking(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// misbehave does each deed, and tells which of them could be done.
func misbehave(deeds []string) int {
	for _, deed := range deeds {
		kind, path, _ := strings.Cut(deed, ":")
		err := fmt.Errorf("no such deed")
		if do, ok := deedsByName[kind]; ok {
			err = do(path)
		}
		if err != nil {
			fmt.Printf("%s: %v\n", kind, err)
			continue
		}
		fmt.Printf("%s done\n", kind)
	}
	return 0
}

// deedsByName are what a program may try. Where two paths are needed there is a comma between them.
var deedsByName = map[string]func(string) error{
	"write":    func(p string) error { return os.WriteFile(p, []byte("written"), 0o600) },
	"append":   func(p string) error { return appendTo(p) },
	"truncate": func(p string) error { return os.Truncate(p, 0) },
	"remove":   os.Remove,
	"mkdir":    func(p string) error { return os.Mkdir(p, 0o700) },
	"symlink":  func(p string) error { return os.Symlink("/etc/passwd", p) },
	"fifo":     func(p string) error { return syscall.Mkfifo(p, 0o600) },
	"device":   func(p string) error { return syscall.Mknod(p, syscall.S_IFBLK|0o600, 7<<8) },
	"rename":   func(p string) error { return os.Rename(parts(p)) },
	"link":     func(p string) error { return os.Link(parts(p)) },
	"through": func(p string) error { // a symbolic link that the program makes
		target, link := parts(p)
		if err := os.Symlink(target, link); err != nil {
			return err
		}
		return os.WriteFile(link, []byte("written"), 0o600)
	},
	"up": func(p string) error { // from within, by ..
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(here, p)
		if err != nil {
			return err
		}
		return os.WriteFile(relative, []byte("written"), 0o600)
	},
	"handle": func(p string) error { // past all names
		h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, p, 0)
		if err != nil {
			return err
		}
		root, err := unix.Open("/", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		f, err := unix.OpenByHandleAt(root, h, unix.O_WRONLY)
		if err != nil {
			return err
		}
		_, err = unix.Write(f, []byte("written"))
		return err
	},
	"chmod":   func(p string) error { return os.Chmod(p, 0o600) },
	"chown":   func(p string) error { return os.Chown(p, os.Getuid(), os.Getgid()) },
	"touch":   func(p string) error { return os.Chtimes(p, time.Unix(1, 0), time.Unix(1, 0)) },
	"label":   func(p string) error { return unix.Setxattr(p, "user.confine", []byte("x"), 0) },
	"remount": func(p string) error { return unix.Mount("", p, "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"unmount": func(p string) error { return unix.Unmount(p, unix.MNT_DETACH) },
	"mount":   func(p string) error { return unix.Mount(filepath.Dir(p), p, "", unix.MS_BIND, "") },
	"connect": func(address string) error {
		c, err := net.DialTimeout("tcp", address, 3*time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Write([]byte("secrets"))
		return err
	},
	"send": func(address string) error { // sent to nobody it succeeds too
		c, err := net.Dial("udp", address)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Write([]byte("secrets"))
		return err
	},
	"ask": func(address string) error { // and have the answer
		c, err := net.DialTimeout("tcp", address, 3*time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		answer, err := io.ReadAll(c)
		if err == nil && string(answer) != "the wire" {
			err = fmt.Errorf("it said %q", answer)
		}
		return err
	},
	"unix": func(path string) error {
		c, err := net.Dial("unix", path)
		if err != nil {
			return err
		}
		return c.Close()
	},
	"abstract": func(path string) error {
		c, err := net.Dial("unix", "@"+path)
		if err != nil {
			return err
		}
		return c.Close()
	},
	"datagram": func(path string) error { // by a pair, which no filter can keep from existing as such
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("secrets"), 0, &unix.SockaddrUnix{Name: path})
	},
	"pair": func(string) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	},
	"vsock": func(string) error {
		_, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		return err
	},
	"ring": func(string) error {
		var parameters [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&parameters[0])), 0)
		if errno != 0 {
			return errno
		}
		return nil
	},
	"type": func(string) error { // a harmless letter, into the terminal that is its standard input
		letter := byte('x')
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&letter)))
		if errno != 0 {
			return errno
		}
		return nil
	},
	"paste": func(string) error { // what is selected on a console
		paste := byte(3)
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCLINUX, uintptr(unsafe.Pointer(&paste)))
		if errno != 0 {
			return errno
		}
		return nil
	},
	"size": func(string) error { // which anybody may ask of a terminal
		_, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ)
		return err
	},
	"terminal": func(string) error { return appendTo("/dev/tty") },
	"memory": func(key string) error { // of System V, that is there
		n, _ := strconv.Atoi(key)
		_, err := unix.SysvShmGet(n, 0, 0)
		return err
	},
	"queue": func(key string) error {
		n, _ := strconv.Atoi(key)
		if _, _, errno := unix.Syscall(unix.SYS_MSGGET, uintptr(n), 0, 0); errno != 0 {
			return errno
		}
		return nil
	},
	"signal": func(string) error { return syscall.Kill(os.Getppid(), 0) },
	"local": func(string) error { // a server of its own
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return err
		}
		return c.Close()
	},
	"read": func(p string) error {
		_, err := os.ReadFile(p)
		return err
	},
}

func parts(text string) (first, second string) {
	first, second, _ = strings.Cut(text, ",")
	return first, second
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("written")
	return err
}
