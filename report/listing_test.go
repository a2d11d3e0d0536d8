package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoThings is a document of what judges nothing, with a name that others wrote.
func twoThings(headline string) *Document {
	d := new(Document).Listing("tribunal/list/v1", "things", map[string]int{"things": 2})
	d.Headline = headline
	t := d.NewTable("Things", "thing", ">weight", "from", "why").Names(6, "thing").Dropping("why", "from")
	t.Add("<b>anvil</b>", 80, "a forge", "it is heavy, and whoever drops it notices")
	t.Add("feather", 0.5, "a bird", "it is light")
	d.Below(t, "%d things", len(t.Rows))
	d.Below(t, "weights in kilograms")
	d.FactLine("digest", "sha256:"+strings.Repeat("0", 64))
	return d
}

// in is a document in a format.
func in(t *testing.T, f Format, d *Document, o Options) string {
	t.Helper()
	var out strings.Builder
	if err := f.Document(&out, d, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestListingAsText(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0", 64)
	for _, c := range []struct {
		headline string
		width    int
		want     string
	}{
		{"", 80, `thing         weight  from     why
<b>anvil</b>      80  a forge  it is heavy, and whoever drops it notices
feather          0.5  a bird   it is light
2 things
weights in kilograms
digest  ` + digest + "\n"},
		// Below a headline, and without room for why.
		{"two things are known", 50, `two things are known
  thing         weight  from
  <b>anvil</b>      80  a forge
  feather          0.5  a bird
  2 things
  weights in kilograms
  digest        sha256:0000000000…0000000000000000
`},
	} {
		got := in(t, TextFormat, twoThings(c.headline), Options{Width: c.width})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.headline, diff)
		}
	}
}

// A table that got no rows is not shown, and a word makes a listing like any other result.
func TestListingOfNothing(t *testing.T) {
	d := new(Document).Listing("tribunal/list/v1", "things", nil)
	d.NewTable("Things", "thing", ">weight")
	d.Headline = "there are none"
	if got := in(t, TextFormat, d, Options{}); got != "there are none\n" {
		t.Errorf("%q", got)
	}
	d.Word = "plan"
	if got := in(t, TextFormat, d, Options{}); got != "PLAN  there are none\n" {
		t.Errorf("%q", got)
	}
}

func TestListingInOtherFormats(t *testing.T) {
	for format, wants := range map[Format][]string{
		JSONFormat: {"{\n  \"things\": 2\n}\n"},
		markdownFormat: {"## Things\n\n### Things\n\n2 things; weights in kilograms\n\n| thing | weight | from | why |\n",
			"| <code>&#60;b&#62;anvil&#60;/b&#62;</code> | 80 | a forge |", "<sub>digest sha256:0"},
		HTMLFormat: {"<h1><bdi>things</bdi></h1>", "<bdi>&lt;b&gt;anvil&lt;/b&gt;</bdi>",
			"2 things; weights in kilograms"},
		jUnitFormat:   {`<testsuite name="things" tests="0"`, "&lt;b&gt;anvil&lt;/b&gt;      80  a forge"},
		goTestFormat:  {`"Action":"pass","Package":"tribunal/things"`},
		outputsFormat: {"schema=tribunal/list/v1\n", "exit_code=0\n", "headline=things\n"},
	} {
		got := in(t, format, twoThings(""), Options{})
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%v has no %q:\n%s", format, want, got)
			}
		}
	}
}
