package architecture

import (
	"slices"
	"strings"
)

// Folders are those at the top that have packages, from the ground up. The floors are finer: this is what a newcomer
// sees of them.
var Folders = []string{
	"internal", "docs", "stats", "trial", "coverage", "fingerprint", "wire", "sprt", "suite", "ingest", "verdict",
	"runner", "report", "tribunaltest", "cmd", "bench", "examples",
}

// FolderOf is the place of a package's top folder among the folders, and -1 for none of them. The package is named by
// its folder, such as "verdict/runs".
func FolderOf(folder string) int {
	top, _, _ := strings.Cut(folder, "/")
	return slices.Index(Folders, top)
}

// IsPublic reports whether a library user can import the package in a folder for what it offers: not what is below a
// folder internal, nor pages, commands, the benchmark and examples.
func IsPublic(folder string) bool {
	parts := strings.Split(folder, "/")
	return !slices.Contains([]string{"docs", "cmd", "bench", "examples"}, parts[0]) &&
		!slices.Contains(parts, "internal") && !slices.Contains(parts, "testdata")
}
