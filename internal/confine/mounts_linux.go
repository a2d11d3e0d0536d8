package confine

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// readOnly has this process see every file system as one that is only read, but for what it may write. Landlock knows
// nothing of rights, owners and times of files: here they are held too, as far as there is a namespace of mounts, which
// one of users can have. See mount_namespaces(7), mount_setattr(2).
func readOnly(allowed []string) error {
	// What is mounted from here on is seen by nobody else.
	if err := setMounts("/", unix.MountAttr{Propagation: unix.MS_PRIVATE}); err != nil {
		return err
	}
	// Where this process is may be below what is mounted now, which it does not see before it goes there again.
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	// Each is opened once, and what was opened is mounted: a path could lead elsewhere a moment later.
	mounts := make([]int, len(allowed))
	for i, path := range allowed {
		if mounts[i], err = mountOnItself(path); err != nil {
			return err
		}
		defer unix.Close(mounts[i])
	}
	if err := setMounts("/", unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	for i, path := range allowed {
		if err := unix.MountSetattr(mounts[i], "", unix.AT_RECURSIVE|unix.AT_EMPTY_PATH,
			&unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("mount_setattr of %s: %w", path, err)
		}
	}
	return os.Chdir(here)
}

// mountOnItself makes a folder or file a mount of its own, and returns that. See open_tree(2), move_mount(2).
func mountOnItself(path string) (int, error) {
	f, err := unfollowed(path)
	if err != nil {
		return -1, err
	}
	defer unix.Close(f)
	const copied = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_EMPTY_PATH | unix.AT_RECURSIVE
	mount, err := unix.OpenTree(f, "", copied)
	if err != nil {
		return -1, &os.PathError{Op: "open_tree", Path: path, Err: err}
	}
	const byDescriptor = unix.MOVE_MOUNT_F_EMPTY_PATH | unix.MOVE_MOUNT_T_EMPTY_PATH
	if err := unix.MoveMount(mount, "", f, "", byDescriptor); err != nil {
		unix.Close(mount)
		return -1, &os.PathError{Op: "mount", Path: path, Err: err}
	}
	return mount, nil
}

// setMounts changes a mount and all below.
func setMounts(path string, attributes unix.MountAttr) error {
	if err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &attributes); err != nil {
		return fmt.Errorf("mount_setattr of %s: %w", path, err)
	}
	return nil
}
