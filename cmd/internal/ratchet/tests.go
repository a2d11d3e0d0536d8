package ratchet

import (
	"context"
	"errors"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/repeat"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
)

// testOutcome is what an execution of the tests came to.
type testOutcome struct {
	Cases   []testCase `json:"cases"`             // in the order of the report
	Problem string     `json:"problem,omitempty"` // why there is no report; "" there is one
}

// testCase is a test in a report.
type testCase struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"`           // "P", "F" or "E"
	Message string `json:"message,omitempty"` // of the report
	Output  string `json:"output,omitempty"`  // its part of what the command printed
}

// find is the case of a name; nil where the report has none.
func (t *testOutcome) find(name string) *testCase {
	for i := range t.Cases {
		if t.Cases[i].Name == name {
			return &t.Cases[i]
		}
	}
	return nil
}

// command is the test command in a folder yet to be said.
func (t *Tests) command() (*repeat.Command, error) {
	c, err := repeat.NewCommand(t.Command)
	if err != nil {
		return nil, err
	}
	c.From, c.Stdout, c.Timeout = t.From, c.Stdout || t.Stdout, t.Timeout
	// The command is the person's own, who would run it with all of these.
	c.Allowed = process.Environment{Allow: []string{"*"}}
	return c, nil
}

// run runs the tests in a folder, or those of these names. A command that has no report that can be read, such as one
// that took too long, is the attempt's failure; one that could not be started is an error.
func (t *Tests) run(ctx context.Context, folder string, names []string) (testOutcome, error) {
	c, err := t.command()
	if err != nil {
		return testOutcome{}, err
	}
	c.Dir = folder
	execution, err := c.Execute(ctx, names)
	if ctx.Err() != nil {
		return testOutcome{}, context.Cause(ctx)
	}
	if err != nil {
		broken, ok := errors.AsType[*runner.InfrastructureError](err)
		if !ok || broken.Unbegun {
			return testOutcome{}, err
		}
		return testOutcome{Cases: []testCase{}, Problem: prose.Reason(broken.Error())}, nil
	}
	result := testOutcome{Cases: []testCase{}}
	sections := sectionsOf(string(execution.Stdout))
	for _, name := range execution.Order {
		record := execution.Trials[name]
		one := testCase{Name: name, Outcome: letter(record.Outcome)}
		if record.Outcome != trial.Pass {
			if record.Error != nil {
				one.Message = prose.CutBytes(record.Error.Message, mostSectionBytes)
			}
			one.Output = prose.CutBytes(sections[name], mostSectionBytes)
			for title, text := range sections {
				if one.Output == "" && isTitle(title, name) {
					one.Output = prose.CutBytes(text, mostSectionBytes)
				}
			}
		}
		result.Cases = append(result.Cases, one)
	}
	return result, nil
}

// mostSectionBytes bounds what a prompt has of one test. Chosen: a page.
const mostSectionBytes = 4 << 10

// letter is the sign of an outcome in a result.
func letter(o trial.Outcome) string {
	switch o {
	case trial.Pass:
		return "P"
	case trial.Fail:
		return "F"
	}
	return "E"
}

// title is a line with which pytest begins what it prints of a test that did not pass.
var title = lazy.Regexp(`(?m)^_{3,} (.+?) _{3,}$`)

// sectionEnd is a line that ends the last of them.
var sectionEnd = lazy.Regexp(`(?m)^={3,} .* ={3,}$`)

// sectionsOf are the parts of what a test command printed, by their titles.
func sectionsOf(output string) map[string]string {
	sections := map[string]string{}
	output = strings.ReplaceAll(output, "\r\n", "\n")
	found := title().FindAllStringSubmatchIndex(output, -1)
	for i, at := range found {
		end := len(output)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		text := output[at[1]:end]
		if over := sectionEnd().FindStringIndex(text); over != nil {
			text = text[:over[0]]
		}
		sections[output[at[2]:at[3]]] = strings.Trim(text, "\n")
	}
	return sections
}

// isTitle reports whether a section is that of a test, whose name in reports has its module and class before it.
func isTitle(title, name string) bool {
	for _, prefix := range []string{"ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "} {
		title = strings.TrimPrefix(title, prefix)
	}
	title = strings.ReplaceAll(strings.TrimSuffix(title, ".py"), "/", ".")
	return title == name || strings.HasSuffix(name, "."+title)
}
