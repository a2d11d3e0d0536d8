package html

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/scale"
)

// The path of outcomes PPFFEP: right 2, up 2 to the right, and once more where errors
// are taken for failures.
func TestWalk(t *testing.T) {
	if got := walk("PPFFEP", "F"); got != "M0 0h2l2 2h2" {
		t.Error(got)
	}
	if got := walk("PPFFEP", "FE?"); got != "M0 0h2l3 3h1" {
		t.Error(got)
	}
}

// A mark near the end of the scale has its name, and the ends have theirs.
func TestMarksNearTheEndsAreNamed(t *testing.T) {
	bar := string(intervalChart(document.Span{Low: .84, High: .95, Mark: .9}, scale.Scale{Low: .6, High: 1}))
	for _, name := range []string{">90%</text>", ">60%</text>", ">100%</text>"} {
		if !strings.Contains(bar, name) {
			t.Errorf("%q is not in %s", name, bar)
		}
	}
	// The name of what is required stands in place of the end's that it would run into, and not of another mark.
	bar = string(intervalChart(document.Span{Low: .4, High: .95, Mark: .9, Lower: .8}, scale.Scale{Low: 0, High: 1}))
	for name, want := range map[string]bool{">0%<": true, ">80%<": false, ">90%<": true, ">100%<": false} {
		if strings.Contains(bar, name) != want {
			t.Errorf("%s: %v in %s", name, !want, bar)
		}
	}
}

// Colours of text have a contrast of 4.5 to 1 with both grounds, in both themes
// (WCAG 2.2, success criterion 1.4.3), by its formula of relative luminance.
func TestContrast(t *testing.T) {
	colours := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`).FindAllStringSubmatch(pageStyle, -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	for _, text := range []string{"text", "muted", "link", "pass", "fail", "inconclusive"} {
		for _, ground := range []string{"ground", "raised"} {
			for theme := range 2 {
				if c := contrast(t, colours[text][theme], colours[ground][theme]); c < 4.5 {
					t.Errorf("%s on %s, theme %d: %.2f", text, ground, theme, c)
				}
			}
		}
	}
	for _, area := range []string{"pass-area", "fail-area"} {
		for theme := range 2 {
			for _, mark := range []string{"text", "link"} {
				if c := contrast(t, colours[mark][theme], colours[area][theme]); c < 3 {
					t.Errorf("%s on %s, theme %d: %.2f", mark, area, theme, c)
				}
			}
		}
	}
	if c := contrast(t, "#000000", "#ffffff"); math.Abs(c-21) > 1e-9 {
		t.Errorf("black on white is %v", c)
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(hex string) float64 {
		if len(hex) != 7 {
			t.Fatalf("%q is no colour", hex)
		}
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			c := float64(n) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}
