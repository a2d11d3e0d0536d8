package runner

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// secretsOf are what is removed from the trials of a suite before they are kept: the values of the variables
// that it names, as its agents and this process have them, and what looks like a key.
//
// A value that is too short to be told from other text is refused: what a suite says is secret must not be
// kept for that.
func secretsOf(s *suite.Suite, warn func(string)) (*redact.Secrets, error) {
	environments := [][]string{os.Environ()}
	agents := []suite.Agent{s.Agent}
	if s.BaselineAgent != nil {
		agents = append(agents, *s.BaselineAgent)
	}
	for _, v := range s.Variants {
		agents = append(agents, v.Agent)
	}
	for _, r := range s.Relations {
		if r.Agent != nil {
			agents = append(agents, *r.Agent)
		}
	}
	for _, a := range agents {
		var set []string
		for _, name := range slices.Sorted(maps.Keys(a.Env)) {
			set = append(set, name+"="+a.Env[name])
		}
		environments = append(environments, set)
	}
	secrets := redact.Of(s.Redacted(), environments...)
	if s.Agent.KeepKeys {
		secrets.NamedOnly()
	}
	if short := secrets.Short(); len(short) > 0 {
		return nil, &suiteError{
			Place: trial.Place{File: s.File},
			Problem: fmt.Sprintf("redact: the value of %s has fewer than %d bytes, which are found in other texts too",
				strings.Join(short, " and "), redact.MinBytes),
			Advice: "give it a longer value, or take its name out of redact",
		}
	}
	if unset := secrets.Unset(); len(unset) > 0 && warn != nil {
		warn(fmt.Sprintf("redact: %s has no value, so nothing is removed for it: is the name right?",
			strings.Join(unset, " and ")))
	}
	return secrets, nil
}

// redacted returns the attempt's end without secrets. It was judged with them: an agent that says what it
// must not has said it.
func (e attemptEnd) redacted(secrets *redact.Secrets) attemptEnd {
	if secrets == nil {
		return e
	}
	if e.attempt.Trial != nil {
		removeFrom(e.attempt.Trial, secrets)
	}
	e.attempt.Err = withoutSecrets(e.attempt.Err, secrets)
	if e.judgeErr != nil {
		if text := secrets.Text(e.judgeErr.Error()); text != e.judgeErr.Error() {
			e.judgeErr = errors.New(text)
		}
	}
	return e
}

// withoutSecrets returns the error with a message without secrets.
func withoutSecrets(err error, secrets *redact.Secrets) error {
	if err == nil {
		return nil
	}
	text := secrets.Text(err.Error())
	if text == err.Error() {
		return err
	}
	clean := &InfrastructureError{Problem: text}
	if infrastructure, ok := errors.AsType[*InfrastructureError](err); ok {
		clean.Type, clean.Unbegun, clean.After = infrastructure.Type, infrastructure.Unbegun, infrastructure.After
	}
	return clean
}

// removeFrom removes secrets from all that the agent and its judges wrote into a trial. What the runner gave
// it, such as the names of scenario and variant, stays.
func removeFrom(t *trial.Trial, secrets *redact.Secrets) {
	w := words{keysOnly: !secrets.Named()}
	w.trial(t)
	w.clean = secrets.Texts(w.all)
	// Texts of one place in the trial belong together too, such as the pieces of an answer that was streamed.
	for _, places := range w.places {
		if len(places) < 2 {
			continue
		}
		texts := make([]string, len(places))
		for i, place := range places {
			texts[i] = w.clean[place]
		}
		for i, text := range secrets.Texts(texts) {
			if text != texts[i] {
				w.set(places[i], text)
			}
		}
	}
	if slices.Equal(w.clean, w.all) {
		return
	}
	// The second way through puts in what the first one took out.
	w.at, w.writing = 0, true
	w.trial(t)
}

// words are the texts of a trial, in their order.
type words struct {
	all    []string
	clean  []string
	places map[string][]int // of the texts, by where they stand: numbers of items are no part of it

	keysOnly bool // is removed what looks like a key: places are not noted, and values in which there is none left out

	writing bool // the texts are put in, and not taken out
	at      int  // the next one
}

// set changes a text, and leaves those that were taken out as they are.
func (w *words) set(at int, text string) {
	if &w.clean[0] == &w.all[0] { // nothing was removed before
		w.clean = slices.Clone(w.all)
	}
	w.clean[at] = text
}

// text takes a text out, or puts the one in its place in.
func (w *words) text(place, text string) string {
	if w.writing {
		w.at++
		return w.clean[w.at-1]
	}
	if !w.keysOnly {
		if w.places == nil {
			w.places = map[string][]int{}
		}
		w.places[place] = append(w.places[place], len(w.all))
	}
	w.all = append(w.all, text)
	return text
}

// trial visits every text of a trial.
func (w *words) trial(t *trial.Trial) {
	t.Model = w.text("model", t.Model)
	if t.Error != nil {
		t.Error.Type = w.text("error.type", t.Error.Type)
		t.Error.Message = w.text("error.message", t.Error.Message)
		w.members("error", t.Error.Extra)
	}
	t.Input, t.Output = w.raw("input", t.Input), w.raw("output", t.Output)
	w.members("tags", t.Tags)
	w.members("", t.Extra)
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Action = trial.Action(w.text("steps.action", string(s.Action)))
		s.Tool = w.text("steps.tool", s.Tool)
		s.Arguments, s.Output = w.raw("steps.arguments", s.Arguments), w.raw("steps.output", s.Output)
		s.Error = w.text("steps.error", s.Error)
		s.Model = w.text("steps.model", s.Model)
		w.members("steps", s.Extra)
	}
}

// members visits the names and the values of members. A name that would be another one's after it is a
// number besides, as names in an object differ.
func (w *words) members(place string, members []trial.Member) {
	seen := map[string]bool{}
	for i := range members {
		name := w.text(place+".names", members[i].Name)
		for n := 2; seen[name] && name != members[i].Name; n++ {
			name = w.stem(name) + " " + strconv.Itoa(n)
		}
		seen[name] = true
		members[i].Name = name
		members[i].Value = w.raw(place+"."+name, members[i].Value)
	}
}

// stem is a name without the number that sets it apart.
func (w *words) stem(name string) string {
	if i := strings.LastIndexByte(name, ' '); i > 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			return name[:i]
		}
	}
	return name
}

// raw visits the texts of a JSON value: strings, names of members, and numbers, of which one with a secret in
// it becomes a string. A value that cannot be read is one text.
func (w *words) raw(place string, value trial.Raw) trial.Raw {
	if len(value) == 0 || w.keysOnly && !redact.InJSON(value) {
		return value
	}
	loose := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	if !jsontext.Value(value).IsValid(loose...) {
		return trial.Raw(w.text(place, string(value)))
	}
	var b bytes.Buffer
	decoder := jsontext.NewDecoder(bytes.NewReader(value), loose...)
	encoder := jsontext.NewEncoder(&b, loose...)
	changed := false
	for {
		token, err := decoder.ReadToken()
		if err != nil { // the end
			break
		}
		if kind := token.Kind(); kind == '"' || kind == '0' {
			text := token.String()
			clean := w.text(place+pointer(decoder), text)
			if changed = changed || clean != text; clean != text {
				token = jsontext.String(clean)
			}
		}
		if !w.writing {
			continue
		}
		if err := encoder.WriteToken(token); err != nil {
			return trial.RawString("[redacted]") // not reached: the decoder took it
		}
	}
	if !changed {
		return value
	}
	return trial.Raw(bytes.TrimSpace(b.Bytes()))
}

// pointer is where the decoder stands in a value, without the numbers of items. The name of a member stands
// elsewhere than its value.
func pointer(decoder *jsontext.Decoder) string {
	var names []string
	for name := range decoder.StackPointer().Tokens() {
		if _, err := strconv.Atoi(name); err != nil {
			names = append(names, name)
		}
	}
	at := "/" + strings.Join(names, "/")
	if kind, length := decoder.StackIndex(decoder.StackDepth()); kind == '{' && length%2 == 1 {
		at += "/names"
	}
	return at
}
