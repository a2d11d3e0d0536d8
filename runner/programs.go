package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// mostArgumentBytes bounds the files that are hashed because an argument names them: scripts are small, and data
// are none.
const mostArgumentBytes = 64 << 20

// programsOf are the programs that a run of scenarios starts, each once: those of the agents and of the evaluators,
// and the files that their arguments name, such as scripts. A file that cannot be read is left out.
func programsOf(s *suite.Suite, scenarios []suite.Scenario) (list []journal.Program) {
	add := func(dir string, argv []string) {
		for i, word := range argv {
			path := word
			switch found, err := exec.LookPath(word); {
			case i == 0 && err == nil && filepath.Base(word) == word:
				path = found
			case !filepath.IsAbs(word):
				path = filepath.Join(dir, word)
			}
			known := func(p journal.Program) bool { return p.File == word }
			if sum, ok := hashOf(path, i > 0); ok && !slices.ContainsFunc(list, known) {
				list = append(list, journal.Program{File: word, SHA256: sum})
			}
		}
	}
	agents := []suite.Agent{s.Agent}
	if s.BaselineAgent != nil {
		agents = append(agents, *s.BaselineAgent)
	}
	for _, v := range s.Variants {
		agents = append(agents, v.Agent)
	}
	for _, a := range agents {
		dir := s.Dir()
		if a.WorkingDir != "" {
			dir = s.Resolve(a.WorkingDir)
		}
		// The program is looked for from the suite's folder, and its arguments from where it runs.
		if len(a.Command) > 0 {
			add(s.Dir(), a.Command[:1])
			add(dir, a.Command)
		}
		for _, p := range a.Config.Parts() {
			if p.File.Asked() {
				add(s.Dir(), []string{"", p.File.File})
			}
		}
	}
	for _, argv := range s.JudgeCommands(scenarios) {
		add(s.Dir(), argv)
	}
	return append(list, borrowed(s)...)
}

// borrowed are the variables that come from elsewhere than the suite, by the beginnings of the digests of their
// values: enough to see that one changed, and too little to find it by trying.
func borrowed(s *suite.Suite) (list []journal.Program) {
	const digits = 8
	values := s.Borrowed()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		sum := sha256.Sum256([]byte(values[name]))
		list = append(list, journal.Program{File: "${" + name + "}", SHA256: hex.EncodeToString(sum[:])[:digits]})
	}
	return list
}

// hashOf returns the SHA-256 of a regular file in hexadecimal; false of what is none, and of a large one that only an
// argument names.
func hashOf(path string, argument bool) (sum string, ok bool) {
	information, err := os.Stat(path)
	if err != nil || !information.Mode().IsRegular() || argument && information.Size() > mostArgumentBytes {
		return "", false
	}
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", false
	}
	return hex.EncodeToString(h.Sum(nil)), true
}

// changedPrograms names the files that are others now than when the run of a journal began. A journal of an earlier
// version names none.
func changedPrograms(then, now []journal.Program) (files []string) {
	for _, p := range then {
		if !slices.Contains(now, p) {
			files = append(files, p.File)
		}
	}
	for _, p := range now { // a variable that was not set
		known := func(q journal.Program) bool { return q.File == p.File }
		if len(then) > 0 && strings.HasPrefix(p.File, "${") && !slices.ContainsFunc(then, known) {
			files = append(files, p.File)
		}
	}
	return files
}

// ChangedSince names what the agents and judges of a suite are made of and is another now than when the run of a
// journal began: files, and variables such as ${MODEL}. The error is that of [suite.Suite.Expanded].
func ChangedSince(h journal.Header, s *suite.Suite) ([]string, error) {
	expanded, err := s.Expanded(s.Scenarios)
	if err != nil {
		return nil, err
	}
	return changedPrograms(h.Programs, programsOf(expanded, s.Scenarios)), nil
}
