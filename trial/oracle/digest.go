package oracle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ExternalJudge is an evaluator that asks a judge outside of this program, such as a model.
type ExternalJudge interface {
	Evaluator
	// Digest identifies the judge: what was found out about one holds for no other. It is "sha256:" and 64 hexadecimal
	// digits, the same wherever the judge is asked.
	Digest() string
}

// DigestOf identifies the judge that an evaluator asks; "" for one that asks none itself, such as a combination.
func DigestOf(e Evaluator) string {
	if judging, ok := e.(ExternalJudge); ok {
		return judging.Digest()
	}
	return ""
}

// Judges are those of the evaluators that ask a judge, and those in combinations of them, in their order.
func Judges(evaluators ...Evaluator) (list []Evaluator) {
	for _, e := range evaluators {
		if DigestOf(e) != "" {
			list = append(list, e)
		} else if c, ok := e.(combinedEvaluator); ok {
			list = append(list, Judges(c.parts...)...)
		}
	}
	return list
}

// programJudge is an evaluator that asks a program.
type programJudge struct {
	evaluator
	digest func() string
	files  func() []string // nil: none
}

// Digest identifies the program.
func (j programJudge) Digest() string { return j.digest() }

// JudgeFiles are the programs and scripts that evaluators have judge, those in combinations of them included, by their
// paths: nothing that is judged may write them.
func JudgeFiles(evaluators ...Evaluator) (files []string) {
	for _, e := range evaluators {
		if c, ok := e.(combinedEvaluator); ok {
			files = append(files, JudgeFiles(c.parts...)...)
		} else if judge, ok := e.(programJudge); ok && judge.files != nil {
			files = append(files, judge.files()...)
		}
	}
	return files
}

// JudgeDigest is the digest of what makes a judge itself, written as JSON: names of fields are a part of it.
func JudgeDigest(form any) string {
	text, err := json.Marshal(form)
	if err != nil {
		return "" // not reached: they are texts and finite numbers
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// mostFileBytes bounds the files that are hashed because an argument names them: scripts are small, and data are none.
const mostFileBytes = 64 << 20

// commandDigest is that of a program that judges: its arguments and variables, the threshold, and the content of what
// these name.
func commandDigest(argv []string, o CommandOptions) string {
	named, env, started := argv, o.Env, argv
	if o.Named != nil {
		named, env = o.Named()
	}
	if o.Expand != nil {
		started, _ = o.Expand(argv, o.Env)
	}
	return JudgeDigest(struct {
		Kind      string
		Command   []string
		Env       map[string]string
		Threshold float64
		Files     []string
		Confine   bool `json:",omitempty"`
	}{"command", named, env, o.Threshold, filesOf(started, o.Dir), o.Confine})
}

// filesOf are the hashes of the files that a command line names, "" for what is no file. A program that is found in
// PATH is hashed where no argument is a file alone: an interpreter is another file on every machine, and what it runs
// is the judge.
func filesOf(argv []string, dir string) []string {
	sums := make([]string, len(argv))
	any := false
	for i, word := range argv[1:] {
		if !filepath.IsAbs(word) {
			word = filepath.Join(dir, word)
		}
		sums[i+1] = fileDigest(word, mostFileBytes)
		any = any || sums[i+1] != ""
	}
	program, inPath := argv[0], !strings.ContainsAny(argv[0], `/\`)
	switch {
	case inPath && any:
		return sums
	case inPath:
		found, _ := exec.LookPath(program)
		program = cmp.Or(found, program)
	case !filepath.IsAbs(program):
		program = filepath.Join(dir, program)
	}
	sums[0] = fileDigest(program, 0)
	return sums
}

// fileDigest is the SHA-256 of a regular file, "" of what is none, cannot be read, or has more bytes than most; 0 is
// any number of them.
func fileDigest(path string, most int64) string {
	information, err := os.Stat(path)
	if err != nil || !information.Mode().IsRegular() || most > 0 && information.Size() > most {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
