package running

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// commitCompared names what git says of files that an agent may consist of.
const commitCompared = "the commit and its uncommitted changes"

// withCommit adds what git says of files that an agent may consist of to the programs of a journal, which has no other
// word for it.
func withCommit(programs []journal.Program, agent keeping.Agent) []journal.Program {
	if agent.Worktree == "" || agent.Named {
		return programs
	}
	return append(slices.Clip(programs), journal.Program{File: commitCompared, SHA256: agent.Worktree})
}

// changedSince names what the agents and judges of a suite are made of and is another now than when the run of a
// journal began. Journals of earlier versions do not say what git did.
func changedSince(h journal.Header, s *suite.Suite, agent keeping.Agent) ([]string, error) {
	isCommit := func(p journal.Program) bool { return p.File == commitCompared }
	i := slices.IndexFunc(h.Programs, isCommit)
	if i < 0 {
		return runner.ChangedSince(h, s)
	}
	commit := h.Programs[i]
	h.Programs = slices.DeleteFunc(slices.Clone(h.Programs), isCommit)
	changed, err := runner.ChangedSince(h, s)
	if err == nil && !slices.Contains(withCommit(nil, agent), commit) {
		changed = append(changed, commitCompared)
	}
	return changed, err
}

// tellOfOthers says which files of the suite's own changed since the run of a journal that is decided over without new
// trials. Programs and variables of the machine may be others where the run was made elsewhere.
func (f *gateRun) tellOfOthers(a *world.World, s *suite.Suite, file string) {
	header, err := journal.HeaderOf(file)
	if err != nil || s == nil {
		return
	}
	changed, err := runner.ChangedSince(header, s)
	changed = slices.DeleteFunc(changed, func(name string) bool {
		_, missing := os.Stat(s.Resolve(name))
		return filepath.IsAbs(name) || missing != nil
	})
	if err == nil && len(changed) > 0 {
		a.Notice("warning", "%s changed since the run: the decision is about agent and judges as they were",
			prose.Some(changed, 3))
	}
}

// compareAgent compares the agent of a run that goes on with what it was in the sessions before, as a gate does before
// it takes a run that has ended. The function that it returns is called when all of the session is written: what is
// newer is a change.
func (f *run) compareAgent(
	a *world.World, s *suite.Suite, agent keeping.Agent, o *runner.Options,
) (written func()) {
	if a.Guest != nil || f.away != nil || f.Kind != "run" && !f.gated {
		return func() {}
	}
	o.Programs = withCommit(o.Programs, agent)
	settled := func() { settle(o.Journal) }
	if !o.Resume {
		return settled
	}
	info, err := os.Stat(o.Journal)
	if err != nil {
		return settled // it is told where it is opened
	}
	header, err := journal.HeaderOf(o.Journal)
	if err != nil {
		return settled
	}
	changed, err := changedSince(header, s, agent)
	switch {
	case err != nil || len(changed) > 0: // which the runner finds
	case agent.Digest != "" && header.Agent != "" && agent.Digest != header.Agent:
		o.Newer = []string{agent.Compared}
	case !agent.Named:
		newer, err := newerFile(s.Dir(), info.ModTime(), agent.Tracked, append(f.toWrite(a, s), info))
		if err != nil {
			newer = "the suite's folder" // what of it is not known
		}
		if newer != "" {
			o.Newer = []string{newer}
			// The next session finds it again.
			return func() { _ = os.Chtimes(o.Journal, info.ModTime(), info.ModTime()) }
		}
	}
	return settled
}

// settle makes saved files newer than what else their command wrote, such as reports: that is no change of the agent.
// The time is that of the file system, whose clock may be behind: by another, a file that is moved at once seems older.
func settle(files ...string) {
	for _, file := range files {
		now := time.Now()
		_ = os.Chtimes(file, now, now) // where it cannot, the next gate runs again
		if info, err := os.Stat(file); err == nil {
			now = changed(file, info)
			_ = os.Chtimes(file, now, now)
		}
	}
}

// toWrite are the files that this command writes, as far as they are there, and that of the suite, whose settings are
// compared.
func (f *run) toWrite(a *world.World, s *suite.Suite) (list []os.FileInfo) {
	for _, stream := range []any{a.Stdout, a.Stderr} {
		if file, is := stream.(*os.File); is {
			if info, err := file.Stat(); err == nil {
				list = append(list, info)
			}
		}
	}
	for _, path := range append(f.Result.Reports.Paths(), f.Result.Output, s.File) {
		if info, err := os.Stat(path); err == nil {
			list = append(list, info)
		}
	}
	return list
}

// mostLookedAt is how many files are looked at. It is chosen: where there are more, the agent may have changed.
const mostLookedAt = 20_000

var errMany = errors.New("too many files")

// ownFolders are those of a folder that are no part of an agent.
var ownFolders = []string{".git", ".hg", ".svn", app.WorkFolder}

// mostApart is how long after a file was added its folder may say so. It is chosen: the clocks of file systems tick.
const mostApart = 100 * time.Millisecond

// newerFile returns a file of a folder, or of one that a link in it leads to, that is newer than a time, "" if none is
// but those that git tracks, which are compared by that, and those to be written. One that was moved to its place is as
// new as that. A folder where a file was removed is newer, too: it is returned where no file is.
func newerFile(
	dir string, than time.Time, tracked func(string) bool, written []os.FileInfo,
) (newer string, err error) {
	seen := 0
	folders := map[string]time.Time{} // that are newer
	var walk func(dir string) error
	walk = func(dir string) error {
		return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			seen++
			if e.IsDir() && name != dir && slices.Contains(ownFolders, e.Name()) {
				return fs.SkipDir
			}
			info, err := e.Info()
			if err != nil || seen > mostLookedAt {
				return errors.Join(errMany, err)
			}
			at, folder := changed(name, info), filepath.Dir(name)
			isWritten := func(w os.FileInfo) bool { return os.SameFile(w, info) }
			switch isNewer := at.After(than); {
			case isNewer && e.IsDir():
				folders[name] = at
			case isNewer && slices.ContainsFunc(written, isWritten):
				if at.Sub(folders[folder]).Abs() < mostApart {
					delete(folders, folder) // it was added
				}
			case isNewer && tracked != nil && tracked(name):
				for ; len(folder) >= len(dir); folder = filepath.Dir(folder) { // git may have added it
					if delete(folders, folder); folder == dir {
						break
					}
				}
			case isNewer:
				newer = name
				return fs.SkipAll
			}
			if e.Type()&fs.ModeSymlink != 0 {
				target, err := filepath.EvalSymlinks(name)
				if err != nil {
					return nil // it leads nowhere
				}
				if err := walk(target); err != nil || newer == "" {
					return err
				}
				return fs.SkipAll
			}
			return nil
		})
	}
	err = walk(dir)
	if newer == "" && len(folders) > 0 {
		if newer = "the folder " + slices.Min(slices.Collect(maps.Keys(folders))); folders[dir] != (time.Time{}) {
			newer = "the suite's folder"
		}
	}
	return newer, err
}
