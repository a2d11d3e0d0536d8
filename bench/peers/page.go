package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/bench"
)

// comparison is what was measured.
type comparison struct {
	versions []string // such as "SciPy 1.10.1"
	rounds   int
	rows     []row
}

// row is one work by both sides.
type row struct {
	name, size, peer string
	said             string // how a sentence names the peer and the work; "": it does not
	operations       int
	ours, theirs     []taken
	difference       *float64 // of the values; nil: there is none
}

// ratio is the median over the rounds of how much longer the peer took.
func (r row) ratio(of func(taken) float64) float64 {
	var list []float64
	for i := range r.ours {
		if mine := of(r.ours[i]); mine > 0 {
			list = append(list, of(r.theirs[i])/mine)
		}
	}
	return median(list)
}

func wall(t taken) float64 { return t.wall }
func cpu(t taken) float64  { return t.cpu }

// markdown is the table with where it was measured above.
func (c *comparison) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s, against %s, in %s.\n\n",
		bench.ThisMachine(), strings.Join(c.versions, ", "), counted(c.rounds, "round"))
	b.WriteString("| work | size | peer | tribunal | peer takes | ratio | CPU ratio | values differ by |\n|---|---|---|---:|---:|---:|---:|---:|\n")
	for _, r := range c.rows {
		difference := ""
		if r.difference != nil {
			difference = strconv.FormatFloat(*r.difference, 'g', 2, 64)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.name, r.size, r.peer, r.times(r.ours), r.times(r.theirs),
			digits(r.ratio(wall)), digits(r.ratio(cpu)), difference)
	}
	var said []string
	for _, r := range c.rows {
		if r.said != "" {
			said = append(said, fmt.Sprintf("%s takes %s times as long", r.said, digits(r.ratio(wall))))
		}
	}
	if len(said) > 0 {
		fmt.Fprintf(&b, "\n%s.\n", strings.Join(said, "; "))
	}
	return b.String()
}

// times are the median and the least of one operation.
func (r row) times(list []taken) string {
	var walls []float64
	for _, t := range list {
		walls = append(walls, t.wall/float64(r.operations))
	}
	return fmt.Sprintf("%s (%s)", seconds(median(walls)), seconds(slices.Min(walls)))
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	list = slices.Sorted(slices.Values(list))
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// digits writes three significant ones, of large numbers the whole part.
func digits(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "-"
	case x >= 99.95:
		return thousands(int(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func seconds(x float64) string {
	unit := "s"
	for _, smaller := range []string{"ms", "us", "ns"} {
		if x >= 0.9995 {
			break
		}
		x, unit = 1000*x, smaller
	}
	return digits(x) + " " + unit
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// writePage writes the comparison and the growth into the manual's page, and the drawing
// beside it.
func writePage(o options, program string, found *comparison) error {
	text, err := os.ReadFile(o.page)
	if err != nil {
		return err
	}
	args := []string{"bench", "speed", "--chart", filepath.Join(filepath.Dir(o.page), "speed.svg")}
	if o.short {
		args = append(args, "--short")
	}
	command := exec.Command(program, args...)
	command.Stderr = os.Stderr
	speed, err := command.Output()
	if err != nil {
		return fmt.Errorf("tribunal bench speed: %w", err)
	}
	page := string(text)
	for marker, content := range map[string]string{"peers": found.markdown(), "growth": "```text\n" + string(speed) + "```\n"} {
		if page, err = between(page, marker, content); err != nil {
			return fmt.Errorf("%s: %w", o.page, err)
		}
	}
	return os.WriteFile(o.page, []byte(page), 0o644)
}

// between replaces what stands between the markers <!-- NAME --> and <!-- end of NAME -->.
func between(page, name, content string) (string, error) {
	before, rest, opened := strings.Cut(page, "<!-- "+name+" -->\n")
	_, after, closed := strings.Cut(rest, "<!-- end of "+name+" -->\n")
	if !opened || !closed {
		return "", fmt.Errorf("no markers <!-- %s --> and <!-- end of %s -->", name, name)
	}
	return before + "<!-- " + name + " -->\n" + content + "<!-- end of " + name + " -->\n" + after, nil
}
