package relation

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// at is a place in inputs.
func at(t testing.TB, text string) Place {
	t.Helper()
	p, err := ParsePlace(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// applied is the input that a transformation makes.
func applied(t testing.TB, transform Transform, input string, seed uint64) string {
	t.Helper()
	other, err := transform.Apply(t.Context(), trial.Raw(input), seed)
	if err != nil {
		t.Fatal(err)
	}
	return string(other)
}

func TestPlaces(t *testing.T) {
	for _, text := range []string{"input", "input.documents", "input.a.b[3].c", `input["a.b"]`, "input[0]"} {
		if got := at(t, text).String(); got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	}
	for _, text := range []string{"", "documents", "inputs.a", "input.", "input..a", "input[x]"} {
		if _, err := ParsePlace(text); err == nil {
			t.Errorf("%q is a place", text)
		}
	}
}

// What is not changed stays as it is written, byte by byte.
func TestTransformationsByHand(t *testing.T) {
	const input = `{"q": "Où?", "documents": [ {"id":1} ,"two",  3.0 ], "max_words": 10}`
	for _, c := range []struct {
		name      string
		transform Transform
		want      string
	}{
		{"reverse", Reverse(at(t, "input.documents")),
			`{"q": "Où?", "documents": [ 3.0 ,"two",  {"id":1} ], "max_words": 10}`},
		{"set", Set(Setting{at(t, "input.max_words"), trial.Raw("5")}, Setting{at(t, "input.documents[1]"), trial.Raw(`[]`)}),
			`{"q": "Où?", "documents": [ {"id":1} ,[],  3.0 ], "max_words": 5}`},
		{"set all", Set(Setting{Place{}, trial.Raw("7")}), `7`},
	} {
		if diff := cmp.Diff(c.want, applied(t, c.transform, input, 1)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestInputsThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		transform   Transform
		input, want string
	}{
		{Shuffle(at(t, "input.documents")), `{"docs": [1, 2]}`, "input.documents is not there"},
		{Shuffle(at(t, "input.documents")), `null`, "input.documents is not there"},
		{Shuffle(at(t, "input")), `"a text"`, "input is not a list of different items, so it has no other order"},
		{Shuffle(at(t, "input")), `[1, 1,1]`, "input is not a list of different items, so it has no other order"},
		{Shuffle(at(t, "input")), `[]`, "input is not a list of different items, so it has no other order"},
		{Reverse(at(t, "input")), `[1, 2, 1]`, "input reads the same backwards"},
		{AddNoise(at(t, "input.q"), 0, Typos), `{"q": 7}`, "input.q is not a text"},
		{AddNoise(at(t, "input"), 0, Typos), `"a 12 bc 3.5"`, "input has no word for noise to change"},
		{Set(Setting{at(t, "input.a"), trial.Raw("1")}), `{}`, "input.a is not there"},
	} {
		_, err := c.transform.Apply(t.Context(), trial.Raw(c.input), 1)
		refused, ok := errors.AsType[*inputError](err)
		if !ok || refused.Error() != c.want {
			t.Errorf("%s: %v; want %q", c.input, err, c.want)
		}
	}
}

// A shuffled list has the same items in another order, and over many seeds each of the 5 other orders of three items
// comes as often: 200 times in 1,000, and within 5 standard deviations of 12.6.
func TestShufflesAreDrawnAlike(t *testing.T) {
	shuffle := Shuffle(at(t, "input"))
	seen := map[string]int{}
	for seed := range uint64(1000) {
		seen[applied(t, shuffle, `[1,2,3]`, seed)]++
	}
	if len(seen) != 5 || seen["[1,2,3]"] > 0 {
		t.Fatalf("orders: %v", seen)
	}
	for order, times := range seen {
		if times < 137 || times > 263 {
			t.Errorf("%s comes %d times", order, times)
		}
	}
}

func TestShufflesKeepTheItems(t *testing.T) {
	thorough.Check(t, func(r *rapid.T) {
		items := rapid.SliceOfNDistinct(rapid.String(), 2, 9, rapid.ID).Draw(r, "items")
		text, _ := json.Marshal(map[string]any{"before": 1, "docs": items})
		seed := rapid.Uint64().Draw(r, "seed")
		transform := Shuffle(at(t, "input.docs"))
		other := applied(t, transform, string(text), seed)
		var got struct {
			Before int
			Docs   []string
		}
		if err := json.Unmarshal([]byte(other), &got); err != nil || got.Before != 1 {
			r.Fatalf("%s: %v", other, err)
		}
		var want []string // as JSON has them
		encoded, _ := json.Marshal(items)
		_ = json.Unmarshal(encoded, &want)
		if slices.Equal(want, got.Docs) {
			r.Fatalf("the order is the same: %q", got.Docs)
		}
		slices.Sort(want)
		slices.Sort(got.Docs)
		if !slices.Equal(want, got.Docs) {
			r.Fatalf("%q; want %q", got.Docs, want)
		}
		if again := applied(t, transform, string(text), seed); again != other {
			r.Fatalf("the same seed gives %s, and then %s", other, again)
		}
	})
}

// Noise changes what it says it does, a little, and no digit or sign.
func TestNoiseIsLittle(t *testing.T) {
	const most = 0.03
	thorough.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`([a-zA-Z]{1,9}|[0-9]{1,3}|[.,!?-])( ([a-zA-Z]{1,9}|[0-9]{1,3}|[.,!?-])){5,60}`).Draw(r,
			"text")
		text = "Words " + text
		seed := rapid.Uint64().Draw(r, "seed")
		input := string(trial.RawString(text))
		noisy := func(kind NoiseKind) string {
			return trial.Raw(applied(t, AddNoise(Place{}, 0, kind), input, seed)).Text()
		}
		apart := func(other string) float64 {
			return math.Round(textsApart(text, other) * float64(max(len(text), len(other))))
		}
		marks := func(text string) string {
			return strings.Map(func(c rune) rune {
				if unicode.IsLetter(c) || unicode.IsSpace(c) {
					return -1
				}
				return c
			}, text)
		}
		letters := len(text) - len(marks(text)) - strings.Count(text, " ")
		typos := noisy(Typos)
		// A swap is two edits.
		if edits := apart(typos); edits < 1 || edits > 2*max(1, most*float64(letters)) || marks(typos) != marks(text) {
			r.Errorf("%v edits of %d letters: %q", edits, letters, typos)
		}
		if len(strings.Fields(typos)) != len(strings.Fields(text)) {
			r.Errorf("words were joined or parted: %q", typos)
		}
		cased := noisy(Case)
		if cased == text || !strings.EqualFold(cased, text) || apart(cased) > max(1, most*float64(letters)) {
			r.Errorf("%q", cased)
		}
		spaced := noisy(whitespace)
		if spaced == text || strings.Join(strings.Fields(spaced), " ") != strings.Join(strings.Fields(text), " ") {
			r.Errorf("%q", spaced)
		}
	})
}

// All kinds together are what each of them is; the share of changed letters follows the rate.
func TestNoiseFollowsItsRate(t *testing.T) {
	text := strings.Repeat("considerable ", 100) // 1,000 letters inside of words
	input := string(trial.RawString(text))
	changed := map[float64]int{}
	for _, rate := range []float64{0.01, 0.1} {
		other := trial.Raw(applied(t, AddNoise(Place{}, rate, Case), input, 3)).Text()
		for i := range text {
			if text[i] != other[i] {
				changed[rate]++
			}
		}
	}
	// Of 1,200 letters 12 and 120 at most; 5 standard deviations below the mean are 0 and 68.
	if a, b := changed[0.01], changed[0.1]; a < 1 || a > 12 || b < 68 || b > 120 {
		t.Errorf("%v letters changed", changed)
	}
}

func TestParaphrase(t *testing.T) {
	program := func(script string) process.Command {
		return process.Command{Argv: []string{"sh", "-c", script}}
	}
	transform := Paraphrase(at(t, "input.q"), program(`printf '%s: ' "$TRIBUNAL_SEED"; cat; echo`))
	if got, want := applied(t, transform, `{"q": "Was it \"paid\"?", "n": 1}`, 42),
		`{"q": "42: Was it \"paid\"?", "n": 1}`; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	for script, want := range map[string]string{
		"exit 3":                   "exit code 3",
		"echo no key >&2; exit 1":  `"no key"`,
		"cat >/dev/null; echo ' '": "printed nothing",
	} {
		_, err := Paraphrase(Place{}, program(script)).Apply(t.Context(), trial.Raw(`"a"`), 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
	if _, err := Paraphrase(Place{}, process.Command{Argv: []string{"./not there"}}).Apply(t.Context(), trial.Raw(`"a"`),
		1); err == nil {
		t.Error("a program that is not there paraphrases")
	}
}

func TestFollowUps(t *testing.T) {
	text := at(t, "input.text")
	idempotence := Relation{Kind: Idempotence, Feed: &text, Holds: Equal()}
	got, err := idempotence.FollowUp(t.Context(), trial.Raw(`{"text": "a  b", "n": 1}`), trial.Raw(`"a b"`), 1)
	if err != nil || string(got) != `{"text": "a b", "n": 1}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := idempotence.FollowUp(t.Context(), trial.Raw(`{"text": "a"}`), nil, 1); err == nil {
		t.Error("nothing is fed into the input")
	}
	substitution := Relation{Kind: Substitution, Holds: Equal()}
	if got, err := substitution.FollowUp(t.Context(), trial.Raw(`"x"`), nil, 1); err != nil || string(got) != `"x"` {
		t.Errorf("%s, %v", got, err)
	}
	for _, c := range []struct {
		relation Relation
		want     bool
	}{
		{idempotence, false}, {substitution, false}, {Relation{Kind: Pipeline, Feed: &text}, true},
		{Relation{Kind: Format}, true}, {Relation{Kind: Format, Transform: Shuffle(text)}, false},
		{Relation{Kind: Constraint}, true}, {Relation{Kind: Noise, Transform: AddNoise(text, 0, Case)}, false},
	} {
		if got := c.relation.Alone(); got != c.want {
			t.Errorf("%s is tested alone: %v", c.relation.Kind, got)
		}
	}
}

func TestFits(t *testing.T) {
	text := at(t, "input.text")
	for _, c := range []struct {
		relation Relation
		input    string
		fits     bool
	}{
		{Relation{Transform: Shuffle(text), Holds: Equal()}, `{"text": [1, 2]}`, true},
		{Relation{Transform: Shuffle(text), Holds: Equal()}, `{"text": [1]}`, false},
		{Relation{Transform: Paraphrase(text, process.Command{Argv: []string{"./not there"}}), Holds: Equal()},
			`{"text": "a"}`, true},
		{Relation{Transform: Paraphrase(text, process.Command{}), Holds: Equal()}, `{"text": 1}`, false},
		{Relation{Feed: &text, Holds: Equal()}, `{"text": null}`, true},
		{Relation{Feed: &text, Holds: Equal()}, `"text"`, false},
		{Relation{Holds: AtMost(Words, text)}, `{"text": 3}`, true},
		{Relation{Holds: AtMost(Words, text)}, `{"text": "x"}`, false},
		{Relation{Holds: AtMost(Words, text)}, `{}`, false},
		{Relation{Holds: Equal()}, `null`, true},
	} {
		if err := c.relation.Fits(trial.Raw(c.input)); (err == nil) != c.fits {
			t.Errorf("%s: %v", c.input, err)
		}
	}
}

// Nine relations in four families, under the names of the paper.
func TestKinds(t *testing.T) {
	families := map[Family]int{}
	names := map[string]bool{}
	for _, k := range Kinds() {
		about := k.About()
		families[about.Family]++
		names[about.Paper] = true
		if about.Claim == "" || about.Kind != k {
			t.Errorf("%+v", about)
		}
	}
	want := map[Family]int{permutation: 2, perturbation: 2, composition: 2, Oracle: 3}
	if diff := cmp.Diff(want, families); diff != "" || len(names) != 9 {
		t.Errorf("%s, %v", diff, names)
	}
	if Kind("other").About() != (About{}) {
		t.Error("another kind is known")
	}
}

// Any text and place give an input that is JSON, or an error, and no panic.
func FuzzTransformations(f *testing.F) {
	f.Add(`{"documents": [1, "a", {"b": []}], "q": "Some words here"}`, "input.documents", uint64(1))
	f.Add(`["\ud800", "\u00e9"]`, "input[0]", uint64(2))
	f.Add(`[`, "input", uint64(3))
	f.Fuzz(func(t *testing.T, input, place string, seed uint64) {
		p, err := ParsePlace(place)
		if err != nil {
			return
		}
		for i, transform := range []Transform{
			Shuffle(p), Reverse(p), AddNoise(p, 0.2, NoiseKinds()...), Set(Setting{p, trial.Raw(`"x"`)}),
		} {
			other, err := transform.Apply(t.Context(), trial.Raw(input), seed)
			if err == nil && json.Valid([]byte(input)) && !json.Valid(other) {
				t.Fatal(fmt.Sprint(i), string(other))
			}
		}
	})
}
