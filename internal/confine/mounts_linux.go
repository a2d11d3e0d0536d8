package confine

import (
	"fmt"
	"os"
	"path/filepath"

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
	paths := make([]string, len(allowed))
	for i, path := range allowed {
		if !filepath.IsAbs(path) {
			path = filepath.Join(here, path)
		}
		paths[i] = path
		if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return &os.PathError{Op: "mount", Path: path, Err: err}
		}
	}
	if err := setMounts("/", unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	for _, path := range paths {
		if err := setMounts(path, unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return err
		}
	}
	return os.Chdir(here)
}

// setMounts changes a mount and all below.
func setMounts(path string, attributes unix.MountAttr) error {
	if err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &attributes); err != nil {
		return fmt.Errorf("mount_setattr of %s: %w", path, err)
	}
	return nil
}
