package ratchet

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Answers come in fences, raw, with prose around the code or with several blocks; what does not parse is no file.
func TestExtract(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		language     Language
		files        []string
		want         Files // nil: it cannot be read
	}{
		{"a fence", "Sure:\n```python\nx = 1\n```\nDone.", python, []string{"a.py"}, Files{"a.py": []byte("x = 1\n")}},
		{"raw", "x = 1\n", python, []string{"a.py"}, Files{"a.py": []byte("x = 1\n")}},
		{"lines of another system", "```py\r\nx = 1\r\n```\r\n", python, []string{"a.py"}, Files{"a.py": []byte("x = 1\n")}},
		{"the first that parses", "```\n$ pip install x\n```\n```python\nx = 2\n```\n", python, []string{"a.py"},
			Files{"a.py": []byte("x = 2\n")}},
		{"a fence within a longer one", "````python\nx = '''\n```\n'''\n````\n", python, []string{"a.py"},
			Files{"a.py": []byte("x = '''\n```\n'''\n")}},
		{"prose with code buried in it", "Here's the fixed version:\nx = = 1", python, []string{"a.py"}, nil},
		{"a part of a file", "```python\ndef f(:\n```", python, []string{"a.py"}, nil},
		{"nothing", "  \n", python, []string{"a.py"}, nil},
		{"Go", "```go\npackage a\n\nfunc F() {}\n```", Go, []string{"a.go"},
			Files{"a.go": []byte("package a\n\nfunc F() {}\n")}},
		{"Go that does not parse", "```go\nfunc F() {}\n```", Go, []string{"a.go"}, nil},
		{"JSON", "```json\n{\"a\": 1}\n```", JSON, []string{"a.json"}, Files{"a.json": []byte("{\"a\": 1}\n")}},
		{"JSON that is cut", `{"a": `, JSON, []string{"a.json"}, nil},
		{"two files", "```json x/a.json\n1\n```\n```json b.json\n2\n```", JSON, []string{"b.json", "x/a.json"},
			Files{"x/a.json": []byte("1\n"), "b.json": []byte("2\n")}},
		{"two files by the end of a name", "``` a.json\n1\n```", JSON, []string{"b.json", "x/a.json"},
			Files{"x/a.json": []byte("1\n")}},
		{"two files and no name", "```json\n1\n```", JSON, []string{"b.json", "x/a.json"}, nil},
		{"half of two files", "``` a.json\n1\n```\n``` b.json\n{\n```", JSON, []string{"b.json", "x/a.json"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath("python3"); err != nil && c.language == python {
				t.Skip("python3 is not installed")
			}
			config := &Config{Files: c.files, Extract: Extract{Language: c.language}}
			got, err := config.extract(t.Context(), c.answer)
			unread := new(unreadError)
			if c.want == nil && !errors.As(err, &unread) || c.want != nil && err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Tests find their part of what pytest prints, by the names that its report has.
func TestSectionsOfPytest(t *testing.T) {
	// As pytest 7.2 prints it.
	const output = `FE                                                                       [100%]
==================================== ERRORS ====================================
_______________________ ERROR at setup of TestB.test_two _______________________
no fixture
=================================== FAILURES ===================================
___________________________________ test_one ___________________________________

    def test_one():
>       assert 1 == 2
E       assert 1 == 2

tests/test_a.py:2: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_one - assert 1 == 2
`
	sections := sectionsOf(output)
	for name, want := range map[string]string{
		"tests.test_a.test_one": "assert 1 == 2", "tests.test_a.TestB.test_two": "no fixture", "tests.test_a.test_done": "",
	} {
		var found string
		for title, text := range sections {
			if isTitle(title, name) {
				found = text
			}
		}
		if want == "" && found != "" || !strings.Contains(found, want) || strings.Contains(found, "short test summary") {
			t.Errorf("%s: %q", name, found)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("```python a.py\nx\n```", "a.py")
	f.Add("~~~\n```\n~~~", "")
	f.Fuzz(func(t *testing.T, answer, name string) {
		c := &Config{Files: []string{"a.json", name}, Extract: Extract{Language: JSON}}
		if files, err := c.extract(t.Context(), answer); err == nil {
			for found := range files {
				if found != "a.json" && found != name {
					t.Errorf("%q is none of the files", found)
				}
			}
		}
	})
}
