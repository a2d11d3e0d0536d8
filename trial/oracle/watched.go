package oracle

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// watchedFiles are the files of a judge as they were when it was first looked at. One that is another afterwards was
// put there by somebody, who may be the one that is judged.
type watchedFiles struct {
	once sync.Once
	sums map[string]string // by path
}

// changed is a file that is another than it was, is gone, or is new; "" is none.
func (w *watchedFiles) changed(argv []string, dir string) string {
	now := sumsOf(argv, dir)
	w.once.Do(func() { w.sums = now })
	all := maps.Clone(now)
	maps.Copy(all, w.sums)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if now[path] != w.sums[path] {
			return path
		}
	}
	return ""
}

// sumsOf are the hashes of a judge's files, by their paths.
func sumsOf(argv []string, dir string) map[string]string {
	sums := map[string]string{}
	for _, path := range judgeFiles(argv, dir) {
		sums[path] = fileDigest(path, 0)
	}
	return sums
}

// judgeFiles are the files that a command line has judge: its program, where that is named by a path, the script that
// an interpreter is given, and the modules that a script finds beside it. What else it reads is not known.
func judgeFiles(argv []string, dir string) (files []string) {
	add := func(path string) {
		if len(files) < mostJudgeFiles && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	script := ""
	if strings.ContainsAny(argv[0], `/\\`) {
		script = within(dir, argv[0])
		add(script)
	} else {
		for i, word := range argv[1:] {
			path := within(dir, word)
			if strings.HasPrefix(word, "-") || !regular(path) {
				continue
			}
			add(path)
			// The value of an option, such as --import hooks.mjs, is no script, but read before it.
			if script = path; !takesFile(argv[i]) {
				break
			}
		}
	}
	if script == "" {
		return files
	}
	for at := 0; at < len(files); at++ { // which grows
		for _, path := range modules(files[at]) {
			add(path)
		}
	}
	return files
}

// mostJudgeFiles bounds the files of a judge.
const mostJudgeFiles = 2000

// takesFile reports whether an option is followed by a file that is read before the script.
func takesFile(option string) bool {
	return slices.Contains([]string{"--import", "--require", "-r", "--loader", "--experimental-loader"}, option)
}

// modules are the files that a script takes in from beside it. Python looks there first for whatever is imported, be it
// the module of a module, so every one that is there is meant; other languages name a path.
func modules(script string) (files []string) {
	const mostScript = 4 << 20
	folder := filepath.Dir(script)
	information, err := os.Stat(script)
	if err != nil || !information.Mode().IsRegular() || information.Size() > mostScript {
		return nil
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return nil
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	isPython := bytes.HasPrefix(first, []byte("#!")) && bytes.Contains(first, []byte("python"))
	if filepath.Ext(script) == ".py" || isPython {
		for _, pattern := range []string{"*.py", "*.so", "*/__init__.py"} {
			found, _ := filepath.Glob(filepath.Join(literal(folder), pattern))
			files = append(files, found...)
		}
		for _, line := range pythonImport().FindAllSubmatch(text, -1) {
			for name := range strings.FieldsFuncSeq(string(line[1])+string(line[2]), func(c rune) bool {
				return c == ',' || c == ' '
			}) {
				first, _, _ := strings.Cut(name, ".")
				files = append(files, pythonFiles(filepath.Join(folder, first))...)
			}
		}
		return files
	}
	for _, line := range takenIn().FindAllSubmatch(text, -1) {
		path := filepath.Join(folder, string(line[1]))
		for _, ending := range []string{"", ".js", ".mjs", ".cjs", ".ts", ".rb", "/index.js", "/index.ts"} {
			if regular(path + ending) {
				files = append(files, path+ending)
			}
		}
	}
	return files
}

var (
	// A package that a script of Python imports, which may be a folder without __init__.py.
	pythonImport = lazy.Regexp(`(?m)^\s*(?:import\s+([\w., ]+)|from\s+([\w.]+))`)
	// A file beside a script that it takes in, as JavaScript, Ruby and shells write it.
	takenIn = lazy.Regexp(`(?m)(?:import|from|require|require_relative|source|^\s*\.)[\s(]+["']?(\.{0,2}/?[\w./-]+)`)
)

// pythonFiles are the modules in the folder of a package.
func pythonFiles(folder string) (files []string) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || len(files) >= mostJudgeFiles {
			return fs.SkipAll
		}
		if filepath.Ext(path) == ".py" && entry.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// literal is a path for a pattern of files that stands for itself.
func literal(path string) string {
	if os.PathSeparator == '\\' {
		return path
	}
	return globbing().ReplaceAllString(path, `\$0`)
}

var globbing = lazy.Regexp(`[*?\[\\]`)

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func regular(path string) bool {
	information, err := os.Stat(path)
	return err == nil && information.Mode().IsRegular()
}
