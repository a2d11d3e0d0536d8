package app

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commitVariables are what build servers call the commit that they work on, GitHub's first; the others are those of
// GitLab, Bitbucket, Buildkite, CircleCI, Travis, Jenkins, Azure and Drone.
var commitVariables = []string{
	"GITHUB_SHA", "CI_COMMIT_SHA", "BITBUCKET_COMMIT", "BUILDKITE_COMMIT", "CIRCLE_SHA1", "TRAVIS_COMMIT", "GIT_COMMIT",
	"BUILD_SOURCEVERSION", "DRONE_COMMIT_SHA",
}

// Commit is the commit of git that a folder stands at: what the build server says, or else what the nearest .git above
// the folder does. It is "" where neither is there. No program is run, and nothing says whether files were changed
// since.
func Commit(folder string, env func(string) string) string {
	for _, name := range commitVariables {
		if hash := env(name); isHash(hash) {
			return hash
		}
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	if tree := treeOf(folder); tree != "" {
		return headOf(gitFolder(tree))
	}
	return ""
}

// treeOf is the root of the work tree of git that a folder, whose path is absolute, lies in; "" where it lies in none.
// As for git, a folder of GIT_CEILING_DIRECTORIES, and what is above it, is none unless the search begins there.
func treeOf(folder string) string {
	ceilings := filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES"))
	for gitFolder(folder) == "" {
		above := filepath.Dir(folder)
		if above == folder || slices.ContainsFunc(ceilings, func(c string) bool { return filepath.Clean(c) == above }) {
			return ""
		}
		folder = above
	}
	return folder
}

// gitFolder is where git keeps what it knows of a work tree; "" where that is none. In a further work tree, and in a
// submodule, .git is a file that names the folder.
func gitFolder(tree string) string {
	name := filepath.Join(tree, ".git")
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return name
	}
	at, found := strings.CutPrefix(firstLine(name), "gitdir: ")
	switch {
	case !found:
		return ""
	case filepath.IsAbs(at):
		return at
	}
	return filepath.Join(tree, at)
}

// headOf is the commit of HEAD, which names a branch or is one itself.
func headOf(git string) string {
	head := firstLine(filepath.Join(git, "HEAD"))
	branch, named := strings.CutPrefix(head, "ref: ")
	if !named {
		return hashOf(head)
	}
	if !strings.HasPrefix(branch, "refs/") || !filepath.IsLocal(branch) {
		return ""
	}
	// Work trees share the branches of the first one.
	shared := git
	if at := firstLine(filepath.Join(git, "commondir")); at != "" {
		if shared = at; !filepath.IsAbs(at) {
			shared = filepath.Join(git, at)
		}
	}
	if hash := hashOf(firstLine(filepath.Join(shared, filepath.FromSlash(branch)))); hash != "" {
		return hash
	}
	return packed(filepath.Join(shared, "packed-refs"), branch)
}

// packed is the commit of a branch in the file into which git packs many of them; "" where it is not there.
func packed(name, branch string) string {
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if hash, ref, found := strings.Cut(lines.Text(), " "); found && ref == branch {
			return hashOf(hash)
		}
	}
	return ""
}

// firstLine is that of a small file; "" where there is none.
func firstLine(name string) string {
	// Chosen: the longest path and some words.
	const most = 8192
	// Whoever puts a pipe in the place of a file is not waited for.
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimRight(line, "\r ")
}

// hashOf is a text that is a hash, else "".
func hashOf(text string) string {
	if isHash(text) {
		return text
	}
	return ""
}

// isHash reports whether a text is a hash as git writes it: SHA-1 or SHA-256 in lower case.
func isHash(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}
