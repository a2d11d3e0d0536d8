package confine

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What changes a file, and a folder. Devices can be made nowhere: one could be that of the disk.
const (
	onFiles   = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	onFolders = onFiles | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	everyWrite = onFolders | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// needed is the version of Landlock's interface that this needs: before 3, which is Linux 6.2, files could be cut
// short anywhere. From 6 on a program cannot send signals to those that are not confined with it.
const (
	needed      = 3
	withSignals = 6
)

// devices are written to without anything being changed.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
}

// writeOnly keeps this thread, and all that it becomes and starts, from writing elsewhere. See landlock(7). The calls
// are made here, as the threads that go-landlock sets besides end when the program is executed, and what it sets them
// by is C where there is a compiler for that.
func writeOnly(allowed []string) error {
	rules, err := newRuleset()
	if err != nil {
		return err
	}
	defer unix.Close(rules)
	for _, device := range devices() {
		if err := allow(rules, device, onFiles); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	for _, path := range allowed {
		if err := allow(rules, path, onFolders); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

// newRuleset makes rules that allow nothing yet, and concern writes and signals alone.
func newRuleset() (int, error) {
	attributes := unix.LandlockRulesetAttr{Handled_access_fs: everyWrite}
	if version, err := landlockVersion(); err == nil && version >= withSignals {
		attributes.Scoped = unix.LANDLOCK_SCOPE_SIGNAL
	}
	// Fields that a kernel does not know may be there as long as they say nothing.
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)),
		unsafe.Sizeof(attributes), 0)
	if errno != 0 {
		return 0, fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	return int(rules), nil
}

// unfollowed opens a path that has no symbolic link in it: a program that may write where a link could be put would
// else choose where the next one writes. See openat2(2).
func unfollowed(path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	f, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if err == unix.ELOOP {
		err = fmt.Errorf("it was put behind a symbolic link: %w", err)
	}
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}

// allow allows something of a file, or of a folder and all below. A file has not all that a folder has.
func allow(rules int, path string, access uint64) error {
	f, err := unfollowed(path)
	if err != nil {
		return err
	}
	defer unix.Close(f)
	var is unix.Stat_t
	if err := unix.Fstat(f, &is); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if is.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= onFiles
	}
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(f)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&beneath)), 0, 0, 0); errno != 0 {
		return &os.PathError{Op: "landlock_add_rule", Path: path, Err: errno}
	}
	return nil
}

// landlockVersion is that of the kernel's interface.
func landlockVersion() (int, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(version), nil
}

// lackOfWrites says why writes cannot be held; "" where they can.
func lackOfWrites() string {
	switch version, err := landlockVersion(); {
	case err != nil:
		return fmt.Sprintf("the kernel has no Landlock, or it is not enabled: %v; Linux 6.2 and later have what is needed",
			err)
	case version < needed:
		return fmt.Sprintf("the kernel's Landlock is of version %d, and %d is needed, which Linux 6.2 and later have",
			version, needed)
	}
	return ""
}
