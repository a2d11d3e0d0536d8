package mapping

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// outcome is how the outcome of a trial is told: by a word, by a truth, or by a number and a threshold.
type outcome struct {
	source  *source
	words   map[string]string // in lower case, to pass, fail, error or skip
	other   string            // for all other words; "" refuses them
	atLeast trial.Optional[float64]
	atMost  trial.Optional[float64]
}

// skip is the outcome of what is no trial.
const skip = "skip"

// plainWords are those that are read where the mapping gives none. Numbers are truths here: 1 and 0.
var plainWords = map[string]string{
	"pass": "pass", "fail": "fail", "error": "error", "true": "pass", "false": "fail", "1": "pass", "0": "fail",
}

// outcome reads how the outcome is told.
func (d *decoder) outcome(target **outcome) func(*yaml.Node) {
	return func(n *yaml.Node) {
		o := &outcome{words: map[string]string{}}
		list := func(name, about string) key {
			return key{Name: name, About: about, Read: d.oneOrMany(func(n *yaml.Node) {
				text, ok := d.scalarText(n)
				switch before := o.words[strings.ToLower(text)]; {
				case !ok:
				case before != "":
					d.Fail(n, yamlnode.Shown(text)+" is given twice", "it stands in "+before+", too")
				default:
					o.words[strings.ToLower(text)] = name
				}
			})}
		}
		d.source(&o.source, "outcome", texts,
			list("pass", ""), list("fail", ""), list("error", ""), list(skip, "of records that are no trials"),
			key{Name: "other", Read: yamlnode.Word(&d.Decoder, &o.other, "pass", "fail", "error", skip)},
			key{Name: "at_least", About: "the least score that passes",
				Read: func(n *yaml.Node) { o.atLeast.Value, o.atLeast.Known = d.Number(n) }},
			key{Name: "at_most", Read: func(n *yaml.Node) { o.atMost.Value, o.atMost.Known = d.Number(n) }},
		)(n)
		if (o.atLeast.Known || o.atMost.Known) && (len(o.words) > 0 || o.other != "") {
			d.Fail(n, "has words and a threshold", "leave one of the two out; the words of a field are given by words")
		}
		*target = o
	}
}

// oneOrMany reads one value, or each of a list.
func (d *decoder) oneOrMany(one func(*yaml.Node)) func(*yaml.Node) {
	many := func(n *yaml.Node) { d.Items(n, one) }
	return func(n *yaml.Node) {
		switch {
		case d.Either(one, many):
		case n.Kind == yaml.ScalarNode:
			one(n)
		default:
			many(n)
		}
	}
}

// scalarText is the text of a scalar, also of a number or a truth, as records may hold either.
func (d *decoder) scalarText(n *yaml.Node) (string, bool) {
	if d.Takes(constants...) {
		return "", false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		d.Fail(n, "must be a word, not "+yamlnode.Describe(n), "")
		return "", false
	}
	return n.Value, true
}

// judge sets the outcome of a trial, and reports whether the record is one.
func (r *mappedFile) judge(t *trial.Trial, in *scope) (isTrial bool, err error) {
	o := r.mapping.outcome
	if o == nil {
		return true, nil
	}
	if o.atLeast.Known || o.atMost.Known {
		x, err := r.number(o.source, in)
		if err != nil || !x.Known {
			return true, err
		}
		t.Outcome = trial.Fail
		if (!o.atLeast.Known || x.Value >= o.atLeast.Value) && (!o.atMost.Known || x.Value <= o.atMost.Value) {
			t.Outcome = trial.Pass
		}
		return true, nil
	}
	n := r.value(o.source, in)
	if !n.Exists() {
		return true, nil
	}
	words := o.words
	if len(words) == 0 && o.other == "" {
		words = plainWords
	}
	word, known := words[strings.ToLower(strings.TrimSpace(n.Text()))]
	if x := n.Number(); !known && x.Known { // 1.0 is 1
		word, known = words[fmt.Sprint(x.Value)]
	}
	if !known {
		word = o.other
	}
	switch word {
	case "":
		return true, r.refuse(o.source, in, n, "is none of the words of the mapping",
			"outcome: {path: …, pass: […], fail: […], error: […], skip: […]} lists them; at_least is for scores")
	case skip:
		r.in.Notes.Pass("records that the mapping skips")
		return false, nil
	}
	t.Outcome, _ = trial.ParseOutcome(word)
	return true, nil
}

// refuse says what is wrong with a value.
func (r *mappedFile) refuse(s *source, in *scope, n jsonValue, problem, hint string) error {
	field := s.field
	if r.inside {
		field = fmt.Sprintf("%s of record %d", field, in.number)
	}
	text := n.Text()
	if text == "" {
		text = string(n.Raw())
	}
	if hint == "" {
		hint = "the mapping takes it from " + s.shown()
	}
	return &trial.FieldError{
		Place: r.in.Place(in.line), Field: field, Value: prose.Quote(text), Problem: problem, Advice: hint,
	}
}

// jsonValue is a value of JSON.
type jsonValue interface {
	Text() string
	Raw() trial.Raw
}
