package mcpserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/docs"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// section is a part of a page of the manual, with its heading.
type section struct{ title, text string }

// sections are the parts of a page between headings of the second and third level.
func sections(page string) (list []section) {
	for line := range strings.Lines(page) {
		if title := strings.TrimLeft(line, "#"); strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "### ") {
			list = append(list, section{title: strings.TrimSpace(title)})
		}
		if len(list) > 0 {
			list[len(list)-1].text += line
		}
	}
	return list
}

// slug is the name of a section in an address.
func (s section) slug() string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s.title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

// manualText is what the manual says of a code, or of a method.
func manualText(asked string, code bool) (string, error) {
	text, err := "", error(nil)
	if code {
		text, err = codeText(asked)
	} else {
		text, err = methodText(asked)
	}
	return cutLines(text, mostTextBytes), err
}

// codeText is the paragraph of a code on the page of sentences, and the heading above it.
func codeText(code string) (string, error) {
	var near []string
	for _, part := range sections(docs.Sentences) {
		_, rest, found := strings.Cut(part.text, "\n`"+code+"`\n")
		if found {
			rest, _, _ = strings.Cut(rest, "\n`")
			return fmt.Sprintf("%s: %s\n%s", part.title, code, strings.TrimSpace(rest)), nil
		}
		for line := range strings.Lines(part.text) {
			if name := strings.TrimSpace(line); strings.HasPrefix(name, "`") {
				near = append(near, strings.Trim(name, "`"))
			}
		}
	}
	return "", fmt.Errorf("there is no code %s%s", prose.Quote(code), orNothing(prose.DidYouMean(code, near)))
}

func orNothing(hint string) string {
	if hint == "" {
		return ""
	}
	return ": " + hint
}

// methodText is the section of the page of methods whose heading has the words.
func methodText(words string) (string, error) {
	var titles []string
	all := sections(docs.Methods)
	for _, part := range all {
		if strings.EqualFold(part.title, strings.TrimSpace(words)) || part.slug() == words {
			return part.text, nil
		}
		titles = append(titles, part.title)
	}
	at := slices.IndexFunc(all, func(part section) bool {
		return strings.Contains(strings.ToLower(part.title), strings.ToLower(words))
	})
	if at < 0 {
		return "", errors.New("there is no such method; there are: " + strings.Join(titles, "; "))
	}
	return all[at].text, nil
}

// cutLines cuts a text at a line, and says how many are left out.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	size, kept := 60, 0
	for _, line := range lines {
		if size += len(line) + 1; size > most {
			break
		}
		kept++
	}
	return strings.Join(lines[:kept], "\n") + fmt.Sprintf("\n... and %s more", prose.Count(len(lines)-kept, "line"))
}
