package modeljudge

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/model"
)

const key = "swordfish-judge-7"

// says is a server of OpenAI's form whose model answers with the text. It counts, and keeps the last request.
type server struct {
	url   string
	asked atomic.Int32
	last  atomic.Pointer[string]
}

func serve(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := string(body)
		s.last.Store(&text)
		s.asked.Add(1)
		handler(w, r)
	}))
	t.Cleanup(listener.Close)
	s.url = listener.URL
	return s
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		quoted, _ := json.Marshal(text)
		_, _ = io.WriteString(w, `{"model":"judge-1","choices":[{"message":{"content":`+string(quoted)+`}}],
			"usage":{"prompt_tokens":200,"completion_tokens":20}}`)
	}
}

func status(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

func made(t *testing.T, o Options) oracle.Evaluator {
	t.Helper()
	j, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func of(s *server) Options {
	return Options{
		Model: model.Settings{
			Provider: model.OpenAI, Name: "m", URL: s.url, Key: key, Timeout: 300 * time.Millisecond, MaxBytes: 5000,
			Backoff: time.Microsecond,
		},
		Prompt: "Is it polite?", Price: &model.Price{Input: 1, Output: 10},
	}
}

func record(output string) *trial.Trial {
	return &trial.Trial{
		Scenario: "a", Index: trial.Some(0), Input: trial.RawString("Hi"), Output: trial.RawString(output),
	}
}

func TestLevelsDecide(t *testing.T) {
	for _, c := range []struct {
		options Options
		level   string
		want    trial.Outcome
		score   float64
	}{
		{Options{}, "pass", trial.Pass, 1},
		{Options{}, "fail", trial.Fail, 0},
		{Options{Levels: Spaced("bad", "fair", "good")}, "fair", trial.Pass, 0.5},
		{Options{Levels: Spaced("bad", "fair", "good"), Threshold: 0.6}, "fair", trial.Fail, 0.5},
		{Options{Levels: []Level{{"rude", 0.1}, {"curt", 0.4}, {"warm", 0.9}}}, "curt", trial.Fail, 0.4},
	} {
		s := serve(t, says(`{"reason": "because \u001b[31m", "level": "`+c.level+`"}`))
		o := of(s)
		o.Levels, o.Threshold = c.options.Levels, c.options.Threshold
		r := made(t, o).Evaluate(t.Context(), oracle.Evidence{Trial: record("x")})
		if r.Outcome != c.want || !r.Score.Known || r.Score.Value != c.score || r.Evaluator != "model" {
			t.Errorf("%s: %+v", c.level, r)
		}
		if !strings.HasPrefix(r.Text, c.level+": because ") || strings.Contains(r.Text, "\x1b") {
			t.Errorf("%q", r.Text)
		}
		// 200 tokens in at 1 and 20 out at 10 US dollars a million.
		if u := r.Usage; u == nil || u.Model != "judge-1" || u.CostUSD.Value < 0.000399 || u.CostUSD.Value > 0.000401 {
			t.Errorf("%+v", u)
		}
	}
}

// silent never answers.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// Whatever goes wrong is an error of the judging, and never a pass; and the key is in no message.
func TestNoAnswerIsAnError(t *testing.T) {
	down := httptest.NewServer(nil)
	down.Close()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"prose":          {says("It passes: pass."), `the judge's answer is not JSON: "It passes: pass."`},
		"a fence":        {says("```json\n{\"reason\":\"\",\"level\":\"pass\"}\n```"), "is not JSON"},
		"nothing":        {says(""), "is not JSON"},
		"two objects":    {says(`{"reason":"","level":"fail"}{"reason":"","level":"pass"}`), "is not JSON"},
		"another level":  {says(`{"reason":"","level":"excellent"}`), "cannot be used: at /level"},
		"no reason":      {says(`{"level":"pass"}`), "cannot be used: missing property 'reason'"},
		"more":           {says(`{"reason":"","level":"fail","pass":true}`), "additional properties 'pass'"},
		"a number":       {says(`{"reason":"","level":1}`), "cannot be used: at /level"},
		"true":           {says(`true`), "cannot be used: got boolean, want object"},
		"garbage":        {status(200, "pass"), "gave no answer: the model's reply cannot be read"},
		"an error":       {status(200, `{"error":{"message":"no key `+key+`"}}`), "gave no answer"},
		"denied":         {status(401, `{"error":{"message":"wrong key `+key+`"}}`), "401 Unauthorized: wrong key [red"},
		"broken":         {status(500, ""), "500 Internal Server Error"},
		"busy":           {status(429, ""), "429 Too Many Requests"},
		"cut":            {status(200, `{"choices":[`), "cannot be read"},
		"too much":       {status(200, strings.Repeat(" ", 9000)), "more than max_output_bytes"},
		"slow":           {silent, "not answer within 300ms"},
		"no such server": {nil, "the model cannot be reached"},
		"refused": {status(200, `{"choices":[{"message":{"content":null,
			"refusal":"{\"reason\":\"\",\"level\":\"pass\"}"}}]}`),
			"the judge refused"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.handler)
			o := of(s)
			o.CacheDir = t.TempDir()
			if c.handler == nil {
				o.Model.URL = down.URL
			}
			r := made(t, o).Evaluate(t.Context(), oracle.Evidence{Trial: record("x")})
			if r.Outcome != trial.Error || r.Score.Known || !strings.Contains(r.Text, c.want) {
				t.Errorf("%+v", r)
			}
			if strings.Contains(r.Text, key) {
				t.Error(r.Text)
			}
			if kept, _ := os.ReadDir(o.CacheDir); len(kept) > 0 {
				t.Error("an answer that says nothing is kept")
			}
			// Of several, too: nothing that went wrong makes a majority.
			several, err := oracle.Repeat(made(t, o), 3, oracle.Majority, 0)
			if err != nil {
				t.Fatal(err)
			}
			if name != "slow" {
				if r := several.Evaluate(t.Context(), oracle.Evidence{Trial: record("x")}); r.Outcome != trial.Error {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// What is not there cannot be judged, and nobody is asked.
func TestWhatCannotBeShown(t *testing.T) {
	s := serve(t, says(`{"reason":"","level":"pass"}`))
	j := made(t, of(s))
	for _, e := range []oracle.Evidence{{}, {Trial: &trial.Trial{}}, {Trial: record("x"), Truncated: true}} {
		if r := j.Evaluate(t.Context(), e); r.Outcome != trial.Error {
			t.Errorf("%+v", r)
		}
	}
	late := of(s)
	late.Late = func(m model.Settings) (model.Settings, error) { return m, errors.New("no key") }
	if r := made(t, late).Evaluate(t.Context(), oracle.Evidence{Trial: record("x")}); r.Outcome != trial.Error {
		t.Errorf("%+v", r)
	}
	if s.asked.Load() != 0 {
		t.Error("the judge was asked")
	}
}

// An answer is kept by all that was asked, and is read again; one that was changed is asked for anew.
func TestCache(t *testing.T) {
	s := serve(t, says(`{"reason":"it says `+key+`","level":"pass"}`))
	o := of(s)
	o.CacheDir = filepath.Join(t.TempDir(), "new", "judges")
	o.Redact = func(text string) string { return strings.ReplaceAll(text, key, "[redacted]") }
	ask := func(o Options, e oracle.Evidence) oracle.Result { return made(t, o).Evaluate(t.Context(), e) }
	first := ask(o, oracle.Evidence{Trial: record("x")})
	again := ask(o, oracle.Evidence{Trial: record("x")})
	if s.asked.Load() != 1 || again.Outcome != first.Outcome || !again.Usage.FromCache || again.Usage.CostUSD.Known {
		t.Errorf("%d times, %+v", s.asked.Load(), again)
	}
	files, _ := filepath.Glob(filepath.Join(o.CacheDir, "*"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	text, _ := os.ReadFile(files[0])
	if info, _ := os.Stat(files[0]); strings.Contains(string(text), key) || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%s %s", info.Mode(), text)
	}
	// Another output, criterion, model, trial, or time that it is asked is another request. What has no number is always
	// one.
	other, named := o, o
	second, another, none := record("x"), record("x"), record("x")
	second.Index, another.Variant, none.Index = trial.Some(1), "small", trial.Optional[int]{}
	for _, e := range []*trial.Trial{second, another, none, none} {
		ask(o, oracle.Evidence{Trial: e})
	}
	other.Prompt, named.Model.Name = "Is it short?", "n"
	ask(o, oracle.Evidence{Trial: record("y")})
	ask(o, oracle.Evidence{Trial: record("x"), Repeat: 1})
	ask(other, oracle.Evidence{Trial: record("x")})
	ask(named, oracle.Evidence{Trial: record("x")})
	if s.asked.Load() != 9 {
		t.Errorf("asked %d times", s.asked.Load())
	}
	for _, forged := range []string{"{", `{"text":"pass"}`, `{"text":"{\"level\":\"best\",\"reason\":\"\"}"}`} {
		if err := os.WriteFile(files[0], []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		before := s.asked.Load()
		if r := ask(o, oracle.Evidence{Trial: record("x")}); r.Outcome != trial.Pass || s.asked.Load() != before+1 {
			t.Errorf("%s: %+v", forged, r)
		}
	}
}

// Each of several answers has a seed of its own, and each is a part.
func TestSeveralAnswers(t *testing.T) {
	var seeds []float64
	var s *server
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Seed float64 }
		_ = json.Unmarshal([]byte(*s.last.Load()), &body)
		seeds = append(seeds, body.Seed)
		level := "pass"
		if len(seeds) == 2 {
			level = "fail"
		}
		says(`{"reason":"","level":"`+level+`"}`)(w, r)
	})
	o := of(s)
	o.Seed, o.CacheDir = trial.Some(int64(41)), t.TempDir()
	j := made(t, o)
	several, err := oracle.Repeat(j, 3, oracle.Majority, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := several.Evaluate(t.Context(), oracle.Evidence{Trial: record("x")})
	if r.Outcome != trial.Pass || len(r.Parts) != 3 || len(seeds) != 3 || seeds[0] != 41 || seeds[2] != 43 {
		t.Errorf("%v %+v", seeds, r)
	}
	if r.Parts[1].Outcome != trial.Fail || r.Parts[1].Judge != oracle.DigestOf(j) || r.Parts[1].Usage == nil {
		t.Errorf("%+v", r.Parts[1])
	}
}

// The digest is of what judges, and not of how it is reached.
func TestDigest(t *testing.T) {
	base := Options{Model: model.Settings{Provider: model.OpenAI, Name: "m"}, Prompt: "p"}
	digest := func(change func(*Options)) string {
		o := base
		change(&o)
		return oracle.DigestOf(made(t, o))
	}
	first := digest(func(*Options) {})
	for name, change := range map[string]func(*Options){
		"key":     func(o *Options) { o.Model.Key = key },
		"timeout": func(o *Options) { o.Model.Timeout, o.Model.Retries = time.Hour, 9 },
		"cache":   func(o *Options) { o.CacheDir = "x" },
		"price":   func(o *Options) { o.Price = &model.Price{} },
		"default": func(o *Options) { o.Levels, o.Threshold, o.Show = DefaultLevels(), 0.5, []Part{Input, Output} },
	} {
		if digest(change) != first {
			t.Errorf("%s makes another judge", name)
		}
	}
	seen := map[string]string{first: "none"}
	for name, change := range map[string]func(*Options){
		"provider":    func(o *Options) { o.Model.Provider = model.Anthropic },
		"name":        func(o *Options) { o.Model.Name = "n" },
		"url":         func(o *Options) { o.Model.URL = "http://localhost" },
		"prompt":      func(o *Options) { o.Prompt = "q" },
		"levels":      func(o *Options) { o.Levels = Spaced("a", "b") },
		"show":        func(o *Options) { o.Show = []Part{Output} },
		"threshold":   func(o *Options) { o.Threshold = 0.7 },
		"temperature": func(o *Options) { o.Model.Temperature = trial.Some(0.0) },
		"tokens":      func(o *Options) { o.Model.MaxTokens = 9 },
		"seed":        func(o *Options) { o.Seed = trial.Some(int64(0)) },
	} {
		d := digest(change)
		if before, known := seen[d]; known {
			t.Errorf("%s makes no other judge than %s", name, before)
		}
		seen[d] = name
	}
}

func TestBadOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"names no model":        func(o *Options) { o.Model.Name = "" },
		"prompt is empty":       func(o *Options) { o.Prompt = " \n" },
		"threshold 2":           func(o *Options) { o.Threshold = 2 },
		"must be from 2":        func(o *Options) { o.Levels = Spaced("a") },
		"a is given twice":      func(o *Options) { o.Levels = Spaced("a", "a") },
		"on one line":           func(o *Options) { o.Levels = Spaced("a", "b\nc") },
		"a score from 0 to 1":   func(o *Options) { o.Levels = []Level{{"a", 0}, {"b", 2}} },
		"all have the same":     func(o *Options) { o.Levels = []Level{{"a", 1}, {"b", 1}} },
		"levels must be from 2": func(o *Options) { o.Levels = []Level{} },
	} {
		o := Options{Model: model.Settings{Provider: model.OpenAI, Name: "m"}, Prompt: "p"}
		change(&o)
		_, err := New(o)
		if refused, ok := errors.AsType[*oracle.OptionError](err); !ok || !strings.Contains(refused.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func evidence(output string) oracle.Evidence { return oracle.Evidence{Trial: record(output)} }
