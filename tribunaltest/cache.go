package tribunaltest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// notCached calls it once: what the go command notes is noted of the whole process.
var notCached = sync.OnceFunc(neverCached)

// neverCached keeps go test from answering a second run with the first one's words. The go
// command remembers a test that passed, unless it opened a file of its module that changed a
// moment ago. Such a file is one that the system makes anew whenever it is looked at, or one
// whose time lies in the future; it is named by a path that begins in the module, for only these
// are looked at. Where neither can be had, the flag -count=1 does the same.
func neverCached() {
	folder, err := os.Getwd()
	if err != nil {
		return
	}
	const anew = "/proc/self/stat"
	if _, err := os.Stat(anew); err == nil {
		touch(folder, anew)
		return
	}
	marker := filepath.Join(os.TempDir(), "tribunaltest-is-never-cached")
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		return
	}
	future := time.Now().AddDate(1, 0, 0)
	if os.Chtimes(marker, future, future) == nil {
		touch(folder, marker)
	}
}

// touch opens a file by the way through a folder. The path is not cleaned, so it still begins with the folder.
func touch(folder, file string) {
	volume := filepath.VolumeName(folder)
	depth := strings.Count(strings.Trim(filepath.ToSlash(folder[len(volume):]), "/"), "/") + 1
	way := folder + strings.Repeat("/..", depth) + strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(volume))
	if opened, err := os.Open(way); err == nil {
		opened.Close()
	}
}
