package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Missing says why a program cannot be started from the folder of a file, which is called whose, such as "the suite",
// and what to do; the problem is "" where it can. A bare name is looked up in PATH.
func Missing(folder, name, whose string) (problem, advice string) {
	resolved := Path(folder, name)
	_, err := exec.LookPath(resolved)
	if err == nil {
		return "", ""
	}
	problem = fmt.Sprintf("names a program that is not there: %q", name)
	switch {
	case errors.Is(err, exec.ErrDot): // PATH has the working directory, out of which nothing is started by its name
		problem = fmt.Sprintf("names a program that only the working directory in PATH has: %q", name)
		advice = "write its path"
	case errors.Is(err, fs.ErrPermission):
		problem = fmt.Sprintf("names a program that cannot be executed: %q", name)
		advice = "make it executable, or begin with what runs it, such as python3"
	case resolved != name:
		advice = "its path is from the folder of " + whose
	default:
		problem = fmt.Sprintf("names a program that is not in PATH: %q", name)
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && !info.IsDir() {
			advice = fmt.Sprintf("the one in the folder of %s is %q", whose, "./"+name)
		} else if near, ok := prose.Nearest(name, interpreters()); ok {
			advice = fmt.Sprintf("did you mean %q?", near)
		}
	}
	if info, err := os.Stat(resolved); err == nil && info.IsDir() {
		problem, advice = fmt.Sprintf("names a folder, which cannot be executed: %q", name), ""
	}
	return problem, advice
}

// Path is the absolute path of a program with a folder in its name, which leads from a folder, and the name of any
// other, which is looked up in PATH.
func Path(folder, name string) string {
	if !strings.ContainsAny(name, `/\`) {
		return name
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(folder, filepath.FromSlash(name))
	}
	if absolute, err := filepath.Abs(name); err == nil {
		return absolute
	}
	return name
}

// interpreters are programs that agents and judges are often written for, as far as they are here.
func interpreters() (found []string) {
	for _, name := range []string{
		"python3", "python", "node", "npx", "deno", "bun", "ruby", "perl", "php", "java", "go", "uv", "sh", "bash",
		"docker", "claude", "codex", "gemini",
	} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}

// NotFound reports whether an exit code is that by which a shell or env says that there is no such program, or that it
// is not executable (POSIX.1-2017, 2.8.2).
func NotFound(exitCode int) bool { return exitCode == 126 || exitCode == 127 }
