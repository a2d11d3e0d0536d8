package running

import (
	"os"
	"syscall"
	"time"
)

// changed is when a file was last written, renamed or given another time.
func changed(info os.FileInfo) time.Time {
	if s, is := info.Sys().(*syscall.Stat_t); is {
		return time.Unix(s.Ctim.Unix())
	}
	return info.ModTime()
}
