package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// WorkFolder makes the folder of journals and results, which is not for a repository.
func WorkFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return problem.BadInput(fmt.Sprintf("the folder %s cannot be made: %v", folder, problem.WithoutPath(err)),
			"name the files with --journal and --output")
	}
	// A file of that name that is there is somebody's decision and stays.
	ignore := filepath.Join(folder, ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, os.ErrNotExist) {
		_ = os.WriteFile(ignore, []byte("*\n"), 0o666) // a convenience: no run fails for it
	}
	return nil
}
