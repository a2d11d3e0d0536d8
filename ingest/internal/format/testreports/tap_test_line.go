package testreports

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// The directives of a test, after a number sign that is not escaped; Vitest and others write
// the time it took in the same way.
var (
	tapSkip = lazy.Regexp(`(?i)^skip\S*([ \t]|$)`)
	tapTodo = lazy.Regexp(`(?i)^todo\b`)
	// What Vitest calls a file of tests that could not be read.
	tapScript = lazy.Regexp(`^\S+\.[cm]?[jt]sx?$`)
	tapTime   = lazy.Regexp(`^time=(\d+(?:\.\d+)?)ms\b`)
	// node --test writes these, and escapes each number sign of a name (lib/internal/test_runner/reporter/tap.js).
	tapExpected = lazy.Regexp(`^EXPECTED FAILURE\b`)
	tapLate     = lazy.Regexp(`^timeout after \d+s$`) // of Bats
	tapFlaky    = lazy.Regexp(`^FLAKY (\d{1,4}) re-tr`)
	// A directive is a word in capitals after a space. Others write names such as "issue #5" as they are.
	tapDirective = lazy.Regexp(`^[ \t]+[A-Z]{2,}\b`)
)

// tapReport reads what stands after the number of a test: its name and directives. braced is
// whether its subtests follow in a brace.
func tapReport(text string) (r *report, braced bool) {
	r = &report{}
	if braced = tapBrace().MatchString(text); braced {
		text = tapBrace().ReplaceAllString(text, "")
	}
	name, directives := cutDirectives(text)
	for _, part := range directives {
		directive := strings.TrimSpace(part)
		switch m := tapTime().FindStringSubmatch(directive); {
		case m != nil:
			r.seconds = record.Node{Value: m[1]}.Millis()
		case tapSkip().MatchString(directive):
			r.omission = record.SkippedTest
		case tapTodo().MatchString(directive):
			r.omission = todoTest
		case tapExpected().MatchString(directive):
			r.expected = true
		case tapFlaky().MatchString(directive):
			r.again = record.WholeNumber(tapFlaky().FindStringSubmatch(directive)[1]).Value
		case tapLate().MatchString(directive), tapDirective().MatchString(part): // of a writer that is not known
		default:
			name += "#" + part
		}
	}
	name = strings.TrimSpace(name)
	if rest, found := strings.CutPrefix(name, "-"); found && (rest == "" || rest[0] == ' ') {
		name = rest
	}
	r.name = unescaped(strings.TrimSpace(name))
	return r, braced
}

// cutDirectives cuts a text at the number signs that follow a space and are not escaped.
func cutDirectives(text string) (name string, directives []string) {
	start := 0
	var parts []string
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++ // what follows is escaped
		case text[i] == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t'):
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	parts = append(parts, text[start:])
	return parts[0], parts[1:]
}

// unescaped is a text without the backslashes that TAP 14 writes before number signs and
// backslashes.
func unescaped(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\#`, `#`).Replace(text)
}

// nodeAround reports whether the failure of a test is one of its parent or a hook, in the words of node.
func nodeAround(kind string) bool {
	switch kind {
	case "hookFailed", "cancelledByParent", "parentAlreadyFinished", "testAborted":
		return true
	}
	return false
}

// batsFile is what Bats calls what surrounds the tests of a file, or of all files.
var batsFile = lazy.Regexp(`^(?:setup|teardown)_(?:file|suite) failed$`)

// avaHook is what AVA 7.0 calls a hook that failed, within the file.
var avaHook = lazy.Regexp(`(?:^| › )(?:before|after)(?:Each)?(?:\.always)? hook(?: for .+)?$`)

// fail sets why a test failed, in the words of node where it has them: a test whose surroundings
// failed is an error.
func (t *report) fail(kind, message string) {
	switch {
	case t.omission != "" || t.outcome == trial.Pass:
		return
	case t.outcome == trial.Error: // of a test that failed by itself
		if message != "" {
			t.cause = broken(t.cause.Type, message)
		}
		return
	}
	switch {
	case nodeAround(kind):
		t.outcome, t.cause = trial.Error, broken(kind, message)
	case kind == "testTimeoutFailure":
		t.cause = failure("timeout", message)
	case batsFile().MatchString(t.name):
		t.outcome, t.cause = trial.Error, broken(t.name, message)
	case mochaHook().MatchString(t.name), avaHook().MatchString(t.name):
		t.outcome, t.cause = trial.Error, broken("hook", message)
	case kind == "" && tapScript().MatchString(t.name):
		t.outcome, t.cause = trial.Error, broken("file", message)
	default:
		t.cause = failure("", message)
	}
}
