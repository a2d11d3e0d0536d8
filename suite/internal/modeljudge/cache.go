package modeljudge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// cachedAnswer is an answer as a file has it.
type cachedAnswer struct {
	Model string `json:"model,omitempty"` // that answered
	Text  string `json:"text"`
}

// requestDigest is that of all that a judge is asked with: where, what, about which trial, and which time it is; "" is
// kept nowhere.
//
// The trial is in it because trials must be judged independently of each other: one answer for all trials with equal
// outputs would make the chance of the judge that of a whole run, and no error rate of a test would hold. So what is
// not asked again is the same question about the same trial, and one without a number is none.
func requestDigest(address string, body []byte, e oracle.Evidence) string {
	if !e.Trial.Index.Known {
		return ""
	}
	form, err := json.Marshal([]any{address, e.Trial.Scenario, e.Trial.Variant, e.Trial.Index.Value, e.Repeat})
	if err != nil {
		return "" // not reached: they are texts and numbers
	}
	h := sha256.New()
	h.Write(form)
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// remembered returns the answer to a request; false where there is none that can be read. What it says is checked as
// one that comes from a model.
func (j *judge) remembered(digest string) (c cachedAnswer, ok bool) {
	if j.options.CacheDir == "" || digest == "" {
		return c, false
	}
	text, err := os.ReadFile(j.cacheFile(digest))
	return c, err == nil && json.Unmarshal(text, &c) == nil
}

// remember keeps an answer, for the owner alone to read. That it cannot be kept is no error of the judging.
func (j *judge) remember(digest string, c cachedAnswer) {
	if j.options.CacheDir == "" || digest == "" {
		return
	}
	text, err := json.Marshal(c)
	if err != nil || os.MkdirAll(j.options.CacheDir, 0o700) != nil {
		return
	}
	// Whole or not at all, also where two runs keep the same.
	file, err := os.CreateTemp(j.options.CacheDir, ".new-*")
	if err != nil {
		return
	}
	_, err = file.Write(text)
	if closing := file.Close(); err != nil || closing != nil || os.Rename(file.Name(), j.cacheFile(digest)) != nil {
		_ = os.Remove(file.Name())
	}
}

// cacheFile is the file of an answer.
func (j *judge) cacheFile(digest string) string {
	return filepath.Join(j.options.CacheDir, digest+".json")
}
