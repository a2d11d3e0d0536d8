//go:build linux || darwin || freebsd

package running

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// changed is when a file was last written, renamed or given another time.
func changed(name string, info os.FileInfo) time.Time {
	var s unix.Stat_t
	if unix.Lstat(name, &s) != nil {
		return info.ModTime()
	}
	return time.Unix(s.Ctim.Unix())
}
