package running

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Quarantine is a list of tests that are run and reported, and decide nothing: a name a line, and behind a tab what
// is known of it. Empty lines, and comments that begin with #, stay where they are; a backslash before the first
// letter of a name makes it one, whatever it is.
type Quarantine struct {
	file string         // "" is none
	text []string       // its lines
	at   map[string]int // line of each name
}

// mostQuarantineBytes is the longest list that is read. Chosen: some hundred thousand names.
const mostQuarantineBytes = 16 << 20

// openQuarantine reads the list that a run brings up to date. One that is not there yet is empty; whether it can be
// written is seen at once.
func openQuarantine(ctx context.Context, file string) (*Quarantine, error) {
	switch file {
	case "":
		return &Quarantine{}, nil
	case "-":
		return nil, problem.Usage("name a file, which is read and written", "--quarantine - is no file")
	}
	to, err := outfile.New("--quarantine", file)
	if err != nil {
		return nil, err
	}
	if !to.Exists {
		return &Quarantine{file: file}, nil
	}
	return ReadQuarantine(ctx, file)
}

// ReadQuarantine reads the list.
func ReadQuarantine(ctx context.Context, file string) (*Quarantine, error) {
	q := &Quarantine{file: file, at: map[string]int{}}
	text, err := input.Read(ctx, file, nil, mostQuarantineBytes, "is it a list of tests?")
	if err != nil {
		return nil, problem.BadInput(fmt.Sprintf("--quarantine %s cannot be read: %v", file, problem.WithoutPath(err)), "")
	}
	for number, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		q.text = append(q.text, strings.TrimSuffix(line, "\r"))
		name := nameOfLine(line)
		if name == "" {
			continue
		}
		if _, twice := q.at[name]; twice {
			return nil, problem.BadInput(fmt.Sprintf("%s:%d: %s is there twice", file, number+1, prose.Quote(name)),
				"remove one of the lines")
		}
		q.at[name] = number
	}
	return q, nil
}

// nameOfLine is the test that a line of a quarantine names; "" where it names none.
func nameOfLine(line string) string {
	name, _, _ := strings.Cut(line, "\t")
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "#") {
		return ""
	}
	return strings.TrimPrefix(name, `\`)
}

// lineOf is the line of a test that was run, from which [nameOfLine] has its name again. What a person wrote behind the
// name in the line that was there stays behind the figures.
func lineOf(t *runs.Test, before string) string {
	name := nameInList(t.Name)
	if strings.HasPrefix(name, "#") || strings.HasPrefix(name, `\`) {
		name = `\` + name
	}
	line := fmt.Sprintf("%s\t%d/%d", name, t.Passes, t.Trials)
	_, note, _ := strings.Cut(before, "\t")
	if note = passesOfTrials().ReplaceAllString(note, ""); note != "" {
		line += "\t" + note
	}
	return line
}

// passesOfTrials are the figures of an earlier execution in a line.
var passesOfTrials = lazy.Regexp(`^[0-9]+/[0-9]+(\t|$)`)

// nameInList is the name of a test as a quarantine has it, on one line and without blanks around it.
func nameInList(name string) string { return strings.TrimSpace(prose.Printable(name)) }

// holds reports whether a test is set aside.
func (q *Quarantine) holds(name string) bool {
	_, there := q.at[nameInList(name)]
	return there
}

// mark tells the judges which tests are set aside.
func (q *Quarantine) mark(e *runs.Evidence) {
	for i := range e.Tests {
		e.Tests[i].Quarantined = q.holds(e.Tests[i].Name)
	}
}

// flips reports whether a test passes now and then, and that is known: it failed by its own threshold, although not
// each time. What is undecided, and what became worse than its baseline, is for a person to look at.
func flips(t *runs.Test) bool {
	return t.Verdict == verdict.Fail && t.Passes > 0 && t.Fails > 0 && t.Regression == nil
}

// Follows refuses a result that sets other tests aside than the list.
func (q *Quarantine) Follows(r *runs.Result) error {
	for i := range r.Tests {
		if t := &r.Tests[i]; t.Quarantined && !q.holds(t.Name) {
			return &runner.Difference{What: fmt.Sprintf("the test %q", prose.Excerpt(t.Name)), Have: "quarantined",
				Where: q.file, Want: "not"}
		}
	}
	return nil
}

// update adds the tests that flip, and brings up to date what is known of those that are there. What was not run stays.
func (q *Quarantine) update(ctx context.Context, a *world.World, result *runs.Result) error {
	if q.file == "" {
		return nil
	}
	ran := map[string]bool{}
	var added []string
	for i := range result.Tests {
		t := &result.Tests[i]
		name := nameInList(t.Name)
		ran[name] = true
		if at, known := q.at[name]; known {
			q.text[at] = lineOf(t, q.text[at])
		} else if flips(t) {
			q.text, added = append(q.text, lineOf(t, "")), append(added, name)
		}
	}
	var missing []string
	for name := range q.at {
		if !ran[name] {
			missing = append(missing, name)
		}
	}
	slices.SortFunc(missing, func(a, b string) int { return q.at[a] - q.at[b] })
	if len(added) > 0 {
		a.Notice("note", "%s in quarantine from the next run on: %s",
			prose.Count(len(added), "test")+prose.Form(len(added), " is", " are"), prose.Some(added, 8))
	}
	if len(missing) > 0 {
		a.Notice("note", "in quarantine, and not run: %s", prose.Some(missing, 8))
	}
	to, err := outfile.New("--quarantine", q.file)
	if err != nil {
		return err
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(append(q.text, ""), "\n"))
		return err
	})
}
