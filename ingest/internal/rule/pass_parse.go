package rule

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// mostConditions is how many conditions a rule may have.
// It is chosen: more than a person writes, and few enough for each trial.
const mostConditions = 32

// conditionForms are the conditions there are, for hints.
const conditionForms = "the conditions are score>=NUMBER, attribute:KEY=VALUE, output~PATTERN, output=TEXT, " +
	"no-error and tool:NAME"

// quotesHint is for texts that hold what joins conditions.
const quotesHint = `a text that holds and, or, && or || stands in double quotes`

// ParsePass reads a rule, as ingest.ParsePassRule describes it. An error is an [Error].
// The grammar, without parentheses so that no precedence has to be known:
//
//	rule      = condition { "and" condition } | condition { "or" condition }
//	condition = "no-error" | "tool:" value | ( "score" | "output" | "attribute:" key ) operator value
//	value     = '"' text '"' | text up to the next and, or, or the end
func ParsePass(text string) (Pass, error) {
	if err := checkRule(text); err != nil {
		return Pass{}, err
	}
	p := passParser{rule: text, rest: text}
	r := Pass{text: text}
	for {
		// A condition, then what joins it to the next one; all joints must be the same.
		c, err := p.condition()
		if err != nil {
			return Pass{}, err
		}
		r.conditions = append(r.conditions, c)
		word, err := p.connective()
		switch {
		case err != nil:
			return Pass{}, err
		case word == "":
			return r, nil
		case len(r.conditions) == mostConditions:
			return Pass{}, p.fail("has more than %d conditions", mostConditions)
		case len(r.conditions) > 1 && (word == "or") != r.any:
			return Pass{}, p.hinted("there are no parentheses: judge by one of the two", "has and beside or")
		}
		r.any = word == "or"
	}
}

// passParser reads a rule from left to right.
// rule is the whole text, for messages; rest is what is still to be read.
type passParser struct{ rule, rest string }

// fail is an error about the rule, without a hint.
func (p *passParser) fail(problem string, arguments ...any) error {
	return p.hinted("", problem, arguments...)
}

// hinted is an error about the rule with a hint, "" for none.
func (p *passParser) hinted(hint, problem string, arguments ...any) error {
	return &Error{Rule: p.rule, Problem: fmt.Sprintf(problem, arguments...), Advice: hint}
}

// joint is what stands between two conditions, or is left over at the end.
// An and inside of a word is none: white space stands on both sides.
var joint = lazy.Regexp(`(?i)\s(and|or)(?:\s|$)`)

// connective reads and or or; "" at the end.
func (p *passParser) connective() (string, error) {
	if strings.TrimSpace(p.rest) == "" {
		return "", nil
	}
	at := joint().FindStringSubmatchIndex(p.rest)
	if at == nil || strings.TrimSpace(p.rest[:at[0]]) != "" {
		return "", p.hinted(conditionForms, "has %q after the end of a condition",
			prose.Excerpt(strings.TrimSpace(p.rest)))
	}
	word := strings.ToLower(p.rest[at[2]:at[3]])
	if p.rest = p.rest[at[1]:]; strings.TrimSpace(p.rest) == "" {
		return "", p.fail("ends after %s", word)
	}
	return word, nil
}

// condition reads one condition.
// score and output are operands only before an operator, so that a wrong word is named whole.
func (p *passParser) condition() (c condition, err error) {
	p.rest = strings.TrimSpace(p.rest)
	switch {
	case p.word("no-error"):
		return condition{subject: noError}, nil
	case p.take("tool:"):
		c.subject = aTool
		c.key, err = p.value("tool:")
		return c, err
	case p.take("tag:"), p.take("attribute:"):
		c.subject = anAttribute
		if c.key, err = p.key(); err != nil {
			return c, err
		}
		err = p.comparison(&c, "attribute:"+c.key)
	case p.operand("score"):
		err = p.comparison(&c, "score")
	case p.operand("output"):
		c.subject = theOutput
		err = p.comparison(&c, "output")
	default:
		return c, p.hinted(conditionForms+"; "+quotesHint, "has %q where a condition should stand",
			prose.Excerpt(p.untilJoint()))
	}
	return c, err
}

// take takes a prefix of the rest, if it is there.
func (p *passParser) take(prefix string) (ok bool) {
	if strings.HasPrefix(p.rest, prefix) {
		p.rest, ok = p.rest[len(prefix):], true
	}
	return ok
}

// word takes a whole word.
func (p *passParser) word(word string) bool {
	rest, ok := strings.CutPrefix(p.rest, word)
	if !ok || rest != "" && strings.TrimLeft(rest, " \t\r\n") == rest {
		return false
	}
	p.rest = rest
	return true
}

// operand takes a word that an operator follows, or nothing.
// The ! is no operator, and is let through so that the message can say so.
func (p *passParser) operand(word string) bool {
	rest, ok := strings.CutPrefix(p.rest, word)
	next := strings.TrimSpace(rest)
	if !ok || next != "" && !strings.ContainsRune("<>=~!", rune(next[0])) {
		return false
	}
	p.rest = next
	return true
}

// untilJoint returns the text before the next and or or.
func (p *passParser) untilJoint() string {
	if at := joint().FindStringIndex(p.rest); at != nil {
		return p.rest[:at[0]]
	}
	return p.rest
}

// key reads the name of an attribute, up to the operator.
func (p *passParser) key() (string, error) {
	text := p.untilJoint()
	end := strings.IndexAny(text, "<>=~!")
	if end < 0 {
		return "", p.hinted("such as attribute:KEY=VALUE", "has an attribute, %q, that is compared with nothing",
			prose.Excerpt(text))
	}
	key := strings.TrimSpace(text[:end])
	p.rest = p.rest[end:]
	return key, checkKey(p.rule, key)
}

// comparison reads an operator and a value.
// What cannot be compared so is refused here, and not found out trial by trial.
func (p *passParser) comparison(c *condition, what string) (err error) {
	what = prose.Excerpt(what)
	sign := ""
	for _, o := range operators {
		if p.take(o.sign) {
			sign, c.operator = o.sign, o.operator
			break
		}
	}
	isOutput := c.subject == theOutput
	switch {
	case sign == "":
		return p.hinted("the operators are = == > >= < <= and ~", "compares %s with nothing", what)
	case isOutput && c.operator != matches && c.operator != equal:
		return p.hinted("the output is compared with output=TEXT or output~PATTERN",
			"compares the output with %s", sign)
	case c.subject == theScore && c.operator == matches:
		return p.hinted("a score is a number: score>=0.5", "compares the score with ~")
	}
	if c.text, err = p.value(what + sign); err != nil {
		return err
	}
	switch c.number = (record.Node{Value: c.text}).Number(); {
	case c.operator == matches:
		c.pattern, err = rulePattern(p.rule, c.text)
		return err
	case c.operator == equal && c.subject != theScore || c.number.Known:
		return nil
	}
	return p.fail("compares %s with %q, which is not a number", what, prose.Excerpt(c.text))
}

// value reads a value, in double quotes or up to the next joint.
// && and || are refused: they would be read as a part of the text.
func (p *passParser) value(what string) (string, error) {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if p.take(`"`) {
		return p.quoted(what)
	}
	text := p.untilJoint()
	p.rest = p.rest[len(text):]
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", p.hinted(`"" is the empty text`, "has no value after %s", what)
	case strings.Contains(text, "&&") || strings.Contains(text, "||"):
		return "", p.hinted("conditions are joined by and, or by or; "+quotesHint, "has %q as the value of %s",
			prose.Excerpt(text), what)
	}
	return text, nil
}

// quoted reads the rest of a text in double quotes; a doubled quote is one of the text.
func (p *passParser) quoted(what string) (string, error) {
	var b strings.Builder
	for {
		text, rest, closed := strings.Cut(p.rest, `"`)
		b.WriteString(text)
		switch p.rest = rest; {
		case !closed:
			return "", p.hinted(`a quote inside of quotes is doubled: ""`,
				"has a quote after %s that does not end", what)
		case !p.take(`"`):
			return b.String(), nil
		}
		b.WriteByte('"')
	}
}
