package keeping

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/glob"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// Agent is what identifies an agent.
type Agent struct {
	Digest   string // of what is compared
	Contents string // as [AgentDigest] has it
	Compared string // what that is, for people
	// Worktree is the digest of all files that git tracks, but for the suite's; "" where that is not known.
	Worktree string
	// Tracked reports whether a file is one of those; nil is none.
	Tracked func(file string) bool
	// Shared is the digest of what is the same of it on every machine that has the suite and the commit.
	Shared string
	Named  bool // the suite says of which files it consists
	Files  bool // there are files of its own among what is compared
}

// Seed is a seed that follows from what the agent is: another agent does not repeat the draws of an earlier one.
func (a Agent) Seed() uint64 { return seedOf(a.Digest) }

// SeedOfShards is one that all shards of a run have, whichever machines they are on.
func (a Agent) SeedOfShards(s *suite.Suite) uint64 { return seedOf(looks.Digest(a.Shared, s.Digest())) }

func seedOf(digest string) uint64 {
	const most = 1_000_000_000 // chosen: it can be read out
	h := sha256.Sum256([]byte("seed " + digest))
	x, _ := strconv.ParseUint(hex.EncodeToString(h[:8]), 16, 64)
	return 1 + x%most
}

// Identify says what an agent is known by: what the suite says of it, the files that its command names, and those of
// the key files. Where there are neither, the files that git tracks stand for it.
func Identify(ctx context.Context, a *world.World, s *suite.Suite) (Agent, error) {
	digest, shared, names, err := contents(ctx, s)
	if err != nil {
		return Agent{}, err
	}
	leave := []string{s.File}
	for _, source := range s.Sources {
		for _, file := range source.From {
			files, _ := filesOf(ctx, s.Resolve(file)) // they were read
			leave = append(leave, files...)
		}
	}
	is := Agent{Digest: digest, Contents: digest, Files: len(names) > 0}
	is.Shared = looks.Digest(shared, app.Commit(s.Dir(), a.Env.Get))
	is.Worktree, is.Tracked = app.Worktree(ctx, s.Dir(), a.Env.Get, leave)
	for _, agent := range agentsOf(s) {
		is.Named = is.Named || len(agent.Files) > 0
	}
	const most = 3
	switch {
	case is.Files:
		is.Compared = prose.Some(names, most)
	case is.Worktree != "":
		is.Digest = looks.Digest(digest, is.Worktree)
		is.Compared = "the commit and its uncommitted changes"
	default:
		is.Compared = "what the suite says of it"
	}
	// Under another judge it is another rate that is judged. What git tracks has the judges' files already.
	if judges, names := judgeFiles(s); len(names) > 0 && (is.Files || is.Worktree == "") {
		is.Digest = looks.Digest(append([]string{is.Digest}, judges...)...)
		is.Compared += "; of the judges: " + prose.Some(names, most)
	}
	return is, ctx.Err()
}

// judgeFiles are the files of their own that programs consist of which judge, with their contents, and their names.
func judgeFiles(s *suite.Suite) (files, names []string) {
	for _, argv := range s.JudgeCommands(s.Scenarios) {
		for _, word := range argv {
			if content := ProgramDigest(s.Resolve(word)); content != "" && isOwn(s, word) {
				files, names = append(files, word+" "+content), append(names, prose.Excerpt(word))
			}
		}
	}
	slices.Sort(files)
	slices.Sort(names)
	return slices.Compact(files), slices.Compact(names)
}

// isOwn reports whether a file of a command belongs to the suite: what stands elsewhere, such as an interpreter, does
// not.
func isOwn(s *suite.Suite, word string) bool { return !filepath.IsAbs(word) || within(s, word) != word }

// AgentDigest identifies an agent by what the suite says of it, and by the content of the
// files that its command and the key files name: most agents change there.
func AgentDigest(s *suite.Suite) string {
	digest, _, _, _ := contents(context.Background(), s)
	return digest
}

// CheckFiles is an error where a file or a pattern by which a suite names files of its agent matches none.
func CheckFiles(ctx context.Context, s *suite.Suite) error {
	_, _, _, err := contents(ctx, s)
	return err
}

// agentsOf are the agent and those of the variants, by their names.
func agentsOf(s *suite.Suite) map[string]suite.Agent {
	agents := map[string]suite.Agent{"": s.Agent}
	for _, v := range s.Variants {
		agents[v.Name] = v.Agent
	}
	return agents
}

// contents is the digest of what agents are made of, that without the programs of the machine, and the names of the
// files of their own among that. What a pattern of the suite does not match is an error.
func contents(ctx context.Context, s *suite.Suite) (digest, shared string, names []string, err error) {
	var parts, sharedParts []string
	for name, agent := range agentsOf(s) {
		lines := append([]string{name}, agent.Settings()...)
		machine := map[int]bool{} // lines that are of this machine alone
		for _, word := range agent.Command {
			content := ProgramDigest(s.Resolve(word))
			own := isOwn(s, word)
			if own && content != "" {
				names = append(names, prose.Excerpt(word))
			}
			machine[len(lines)] = !own
			lines = append(lines, content)
		}
		for _, pattern := range agent.Files {
			files, missing := filesOf(ctx, s.Resolve(pattern))
			if missing != nil {
				err = errors.Join(err, problem.BadInput(fmt.Sprintf("%s: agent.files: %s matches no file", s.File,
					prose.Quote(pattern)), "patterns lead from the folder of the suite; ** is any number of folders"))
			}
			for _, file := range files {
				lines = append(lines, within(s, file), digestOf(input.Open(ctx, file)))
			}
			names = append(names, prose.Excerpt(pattern))
		}
		parts = append(parts, looks.Digest(lines...))
		for i := range machine {
			if machine[i] {
				lines[i] = ""
			}
		}
		sharedParts = append(sharedParts, looks.Digest(lines...))
	}
	slices.Sort(parts)
	slices.Sort(sharedParts)
	slices.Sort(names)
	return looks.Digest(parts...), looks.Digest(sharedParts...), slices.Compact(names), err
}

// within is the path of a file from the folder of a suite, where it lies in that; else the file as it is named.
func within(s *suite.Suite, file string) string {
	folder, err := filepath.Abs(s.Dir())
	if err != nil {
		return file
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	if path, err = filepath.Rel(folder, path); err != nil || !filepath.IsLocal(path) {
		return file
	}
	return filepath.ToSlash(path)
}

// filesOf are the files of a pattern, or one file.
func filesOf(ctx context.Context, pattern string) (files []string, err error) {
	if !glob.IsPattern(pattern) {
		if info, err := input.Stat(ctx, pattern); err != nil || !info.Mode().IsRegular() {
			return nil, &trial.FileError{File: pattern, Problem: "is no file"}
		}
		return []string{pattern}, nil
	}
	return glob.Match(ctx, pattern)
}

// mostProgramBytes bounds what is read of a program: more is known by its size.
const mostProgramBytes = 64 << 20

// ProgramDigest is that of a regular file; "" of anything else.
func ProgramDigest(file string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return digestOf(os.Open(file))
}

// digestOf is the digest of a file that was opened, and its size; "" of one that was not.
func digestOf(f *os.File, err error) string {
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, mostProgramBytes)); err != nil {
		return ""
	}
	return strings.Join([]string{hex.EncodeToString(h.Sum(nil)), fmt.Sprint(info.Size())}, " ")
}
