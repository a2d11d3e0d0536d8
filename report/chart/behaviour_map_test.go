package chart

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
)

var update = flag.Bool("update", false, "write the drawings into testdata; look at them then")

// smallMap has six trials whose places are easily checked by hand.
func smallMap() Behaviour {
	m := fingerprint.Map{Separation: []float64{0.9, -0.1, 0.4, 0.01}}
	for _, name := range []string{"output_tokens", "steps", "tool.search", "depth"} {
		m.Columns = append(m.Columns, fingerprint.Column{Name: name})
	}
	m.Axes = []fingerprint.Axis{
		{Share: 0.6, Difference: 1.5, Loadings: []float64{1, 0, 0, 0}},
		{Share: 0.3, Difference: -0.25, Loadings: []float64{0, 1, -0.5, 0.2}},
	}
	for i, at := range [][2]float64{{-2, 0}, {-1, 1}, {-1, -1}, {2, 0}, {1, 1}, {1, -1}} {
		m.Points = append(m.Points, fingerprint.Point{Scenario: "s", Candidate: i >= 3, X: at[0], Y: at[1]})
	}
	return Behaviour{Map: &m, Baseline: "main.jsonl", Candidate: "new.jsonl", Finding: "behaviour changed"}
}

func oneSide() Behaviour {
	b := smallMap()
	b.Candidate, b.Map.Separation = "", nil
	for i := range b.Map.Points {
		b.Map.Points[i].Candidate = false
	}
	return b
}

func behaviours() map[string]Behaviour {
	line := oneSide()
	line.Map.Axes = line.Map.Axes[:1]
	for i := range line.Map.Points {
		line.Map.Points[i].Y = 0
	}
	many := smallMap()
	for i := range 3 * mostMarks {
		many.Map.Points = append(many.Map.Points,
			fingerprint.Point{Candidate: i%3 == 0, X: math.Sin(float64(i)), Y: math.Cos(float64(7 * i))})
	}
	far := smallMap()
	far.Map.Points[0].X = 1e6
	still := smallMap()
	for i := range still.Map.Points {
		still.Map.Points[i].X, still.Map.Points[i].Y = 0, 0
	}
	long := smallMap()
	long.Baseline, long.Candidate = strings.Repeat("very/long/", 30), "<b>&\"\x1b[31m\u202e"
	for j := range long.Map.Columns {
		long.Map.Columns[j].Name = fmt.Sprintf("tool.%s%d\x00", strings.Repeat("name", 20), j)
	}
	alone := smallMap()
	for i := range alone.Map.Points {
		alone.Map.Points[i].Candidate = false
	}
	return map[string]Behaviour{"small": smallMap(), "one side": oneSide(), "one axis": line, "many": many, "far": far,
		"still": still, "long": long, "no candidate": alone}
}

func mapped(t testing.TB, b Behaviour) string {
	t.Helper()
	return documentOf(t, func(w io.Writer) error { return BehaviourMap(w, b) })
}

var decimal = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?`)

// The drawings are those in testdata, up to rounding. Those were looked at.
func TestBehaviourMapsAreAsTheyWere(t *testing.T) {
	for name, b := range map[string]Behaviour{"behaviour.svg": smallMap(), "behaviour_one.svg": oneSide()} {
		path := filepath.Join("testdata", name)
		got := mapped(t, b)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := string(content)
		if a, b := decimal.ReplaceAllString(want, "#"), decimal.ReplaceAllString(got, "#"); a != b {
			t.Fatalf("%s differs in more than numbers; run go test ./report/chart -update and look at it", path)
		}
		numbers := decimal.FindAllString(got, -1)
		for i, text := range decimal.FindAllString(want, -1) {
			x, _ := strconv.ParseFloat(text, 64)
			if y, _ := strconv.ParseFloat(numbers[i], 64); math.Abs(x-y) > 0.01 {
				t.Fatalf("%s: number %d is %v, was %v", path, i, y, x)
			}
		}
	}
}

// marksOf returns the middles of the marks of a colour: circles start at their right
// end, triangles at their top.
func marksOf(document, color string) (middles [][2]float64) {
	path := regexp.MustCompile(`<path d="M([-0-9.]+),([-0-9.]+)([AL])[^"]*"\s+style="fill:` + color + `;fill-opacity:0\.6`)
	for _, m := range path.FindAllStringSubmatch(document, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		if m[3] == "A" {
			x -= 2.6
		} else {
			y -= 3.25 // a triangle is drawn larger, to look as large
		}
		middles = append(middles, [2]float64{x, y})
	}
	return middles[1:] // without the one in the key
}

// A standard deviation is as long across as it is upwards, and every trial is where
// it belongs: circles on the left, triangles on the right.
func TestTrialsAreWhereTheyBelong(t *testing.T) {
	document := mapped(t, smallMap())
	circles, triangles := marksOf(document, "#0071B1"), marksOf(document, "#D45D00")
	if len(circles) != 3 || len(triangles) != 3 {
		t.Fatalf("%d circles, %d triangles", len(circles), len(triangles))
	}
	unit := (triangles[0][0] - circles[0][0]) / 4 // from -2 to 2
	middle := [2]float64{(triangles[0][0] + circles[0][0]) / 2, circles[0][1]}
	if unit < 20 {
		t.Errorf("a standard deviation is %v points long", unit)
	}
	want := [][2]float64{{-2, 0}, {-1, 1}, {-1, -1}, {2, 0}, {1, 1}, {1, -1}}
	for i, got := range append(circles, triangles...) {
		for k := range got {
			if math.Abs(got[k]-middle[k]-unit*want[i][k]) > 0.02 {
				t.Errorf("trial %d is at %v, a unit is %v and the middle %v", i, got, unit, middle)
			}
		}
	}
}

// The columns are those of the largest separation; depth separates hardly. They point
// where their loadings say, with the longest as long as the trials are far.
func TestArrowsOfColumns(t *testing.T) {
	got := arrowsOf(smallMap().Map).list
	var names, directions []string
	for _, one := range got {
		names, directions = append(names, one.name), append(directions, towards(one))
	}
	if !slices.Equal(names, []string{"output_tokens", "tool.search", "steps"}) ||
		!slices.Equal(directions, []string{"right", "down", "up"}) {
		t.Errorf("%q point %q", names, directions)
	}
	// Four of six trials are √2 from the middle, two 2: nine of ten lie within 2.
	if math.Abs(got[0].x-2) > 1e-12 || got[0].y != 0 || math.Abs(got[1].y+1) > 1e-12 {
		t.Errorf("%+v", got)
	}
	// With one side the axes choose: 0.6, 0.3, 0.075 and 0.012.
	if got := arrowsOf(oneSide().Map).list; len(got) != 3 || got[0].name != "output_tokens" || got[1].name != "steps" {
		t.Errorf("%+v", got)
	}
	crowd := smallMap()
	crowd.Map.Columns, crowd.Map.Separation, crowd.Map.Axes[0].Loadings, crowd.Map.Axes[1].Loadings = nil, nil, nil, nil
	for j := range 20 {
		crowd.Map.Columns = append(crowd.Map.Columns, fingerprint.Column{Name: strconv.Itoa(j)})
		crowd.Map.Separation = append(crowd.Map.Separation, 1)
		crowd.Map.Axes[0].Loadings = append(crowd.Map.Axes[0].Loadings, 0.2)
		crowd.Map.Axes[1].Loadings = append(crowd.Map.Axes[1].Loadings, 0.2)
	}
	if n := len(arrowsOf(crowd.Map).list); n != 6 {
		t.Errorf("%d arrows", n)
	}
}

// Names that would be written over each other are moved apart, in their order.
func TestNamesDoNotOverlap(t *testing.T) {
	tags := []nameTag{{text: "c", y: 50.5}, {text: "a", y: 50}, {text: "d", y: 99}, {text: "b", y: 50.2}}
	spread(tags, 10, 5, 95)
	for i, tag := range tags {
		if tag.text != string(rune('a'+i)) || tag.y > 95 || i > 0 && tag.y < tags[i-1].y+10-1e-9 {
			t.Errorf("%d: %+v", i, tags)
		}
	}
}

func TestBehaviourMapsSayWhatTheyShow(t *testing.T) {
	for name, b := range behaviours() {
		document := mapped(t, b)
		shown := texts(t, document) // which fails unless it is well formed
		for _, bad := range []string{"NaN", "Inf", "\x1b", "\u202e", "font-family:Liberation"} {
			if strings.Contains(document, bad) {
				t.Errorf("%s: %q in the document", name, bad)
			}
		}
		if !slices.ContainsFunc(shown, func(s string) bool { return strings.HasPrefix(s, "axis 1: 60% of the variance") }) {
			t.Errorf("%s: no axis among %q", name, shown)
		}
		if again := mapped(t, b); again != document {
			t.Errorf("%s: another drawing of the same map differs", name)
		}
	}
	shown := texts(t, mapped(t, smallMap()))
	for _, want := range []string{
		"How main.jsonl and new.jsonl behave", "behaviour changed", "output_tokens", "steps", "tool.search",
		"baseline main.jsonl: 3 trials; the large mark is their mean",
		"candidate new.jsonl: 3 trials; the large mark is their mean",
		"axis 1: 60% of the variance, the sides 1.50 standard deviations apart",
		"axis 2: 30% of the variance, the sides 0.25 standard deviations apart",
		"Each circle is a trial of the baseline main.jsonl; there are 3. Each triangle is a trial of the candidate " +
			"new.jsonl; there are 3. " +
			"Axis 1: 60% of the variance, the sides 1.50 standard deviations apart. Axis 2: 30% of the variance, the sides " +
			"0.25 standard deviations apart. " +
			"Behaviour changed. The columns that separate the sides most, and where trials with more of them lie: " +
			"output_tokens (right), tool.search (down), steps (up).",
	} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not among %q", want, shown)
		}
	}
	if n := len(marksOf(mapped(t, behaviours()["many"]), "#0071B1")); n != mostMarks {
		t.Errorf("%d marks of one side", n)
	}
}

// Every colour of a drawing has one for dark pages, and those are told apart there.
func TestDarkPagesAreReadable(t *testing.T) {
	document := mapped(t, smallMap())
	body := document[strings.Index(document, "</style>"):]
	dark := make(map[string]string)
	for _, c := range darkColours {
		dark[c[0]] = c[1]
		for _, property := range []string{"fill", "stroke"} {
			rule := fmt.Sprintf(`[style*="%s:%s"] { %s: %s !important }`, property, c[0], property, c[1])
			if !strings.Contains(document, rule) {
				t.Errorf("no rule %s", rule)
			}
		}
	}
	used := make(map[string]bool)
	for _, color := range regexp.MustCompile(`#[0-9A-F]{6}`).FindAllString(body, -1) {
		used[color] = true
		if dark[color] == "" {
			t.Errorf("%s has no colour for dark pages", color)
		}
	}
	if len(used) < 6 {
		t.Errorf("only %d colours", len(used))
	}
	for _, page := range []struct {
		ground string
		shade  func(string) string
	}{{"#FFFFFF", func(c string) string { return c }}, {dark["#FFFFFF"], func(c string) string { return dark[c] }}} {
		for color, least := range map[string]float64{"#000000": 7, "#666666": 4.5, "#0072B2": 3, "#D55E00": 3} {
			if got := contrast(page.shade(color), page.ground); got < least {
				t.Errorf("%s on %s has a contrast of %.1f, less than %v", page.shade(color), page.ground, got, least)
			}
		}
	}
}

// contrast is that of the Web Content Accessibility Guidelines 2.
func contrast(a, b string) float64 {
	luminance := func(color string) (sum float64) {
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			x, _ := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
			c := float64(x) / 255
			if c <= 0.04045 {
				sum += weight * c / 12.92
			} else {
				sum += weight * math.Pow((c+0.055)/1.055, 2.4)
			}
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func TestBehaviourMapsThatCannotBeDrawn(t *testing.T) {
	if err := BehaviourMap(io.Discard, Behaviour{}); !errors.Is(err, errNoMap) {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*fingerprint.Map){
		"no axes":           func(m *fingerprint.Map) { m.Axes = nil },
		"no trials":         func(m *fingerprint.Map) { m.Points = nil },
		"a loading less":    func(m *fingerprint.Map) { m.Axes[1].Loadings = m.Axes[1].Loadings[1:] },
		"a separation less": func(m *fingerprint.Map) { m.Separation = m.Separation[1:] },
		"NaN":               func(m *fingerprint.Map) { m.Points[2].Y = math.NaN() },
		"infinite":          func(m *fingerprint.Map) { m.Axes[0].Loadings[0] = math.Inf(1) },
		"share NaN":         func(m *fingerprint.Map) { m.Axes[0].Share = math.NaN() },
	} {
		b := smallMap()
		spoil(b.Map)
		if err := BehaviourMap(io.Discard, b); !errors.Is(err, errNoMap) {
			t.Errorf("%s: %v", name, err)
		}
	}
	full := errors.New("disk full")
	if err := BehaviourMap(failingWriter{full}, smallMap()); !errors.Is(err, full) {
		t.Error(err)
	}
}
