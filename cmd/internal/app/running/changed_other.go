//go:build !linux && !darwin

package running

import (
	"os"
	"time"
)

// changed is when a file was last written.
func changed(info os.FileInfo) time.Time { return info.ModTime() }
