package suite

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Cassette is a file to which what passes on a wire is recorded, or from which it is replayed.
type Cassette struct {
	File   string   `json:",omitempty"` // from the folder of the suite; "" is none
	Replay string   `json:",omitempty"` // strict or or-record; "": it is recorded
	Ignore []string `json:",omitempty"` // dotted paths of members that do not tell requests apart
	Timing bool     `json:",omitempty"` // answers take the time that they took
}

// replay reads how a cassette is replayed.
func (d *decoder) replay(n *yaml.Node) string {
	if d.Takes("enum", []string{"strict", "or-record"}) {
		return ""
	}
	text, ok := d.Text(n)
	if ok && text != "strict" && text != "or-record" {
		d.Fail(n, "cannot be "+strconv.Quote(text), "strict, or or-record; without it the cassette is recorded")
	}
	return text
}

// isMemberPath refuses what is no dotted path.
func (d *decoder) isMemberPath(n *yaml.Node, text string) bool {
	d.Also("minLength", 1)
	for _, part := range strings.Split(text, ".") {
		if part == "" {
			d.Fail(n, "is no path of a member: "+strconv.Quote(text), "such as metadata.user_id or messages.*.id")
			return false
		}
	}
	return true
}

// cassetteFits refuses what is of a cassette where there is none, and of a replay where none is asked for.
func (d *decoder) cassetteFits(n *yaml.Node, c *Cassette) {
	switch {
	case c.File == "" && (c.Replay != "" || c.Ignore != nil || c.Timing):
		d.Fail(n, "has replay, ignore or timing without a cassette", "such as cassette: shop.cassette")
	case c.Replay == "" && (c.Ignore != nil || c.Timing):
		d.Fail(n, "has ignore or timing without replay", "such as replay: strict")
	}
}

// settings are lines of [Suite.AgentSettings]: a recording changes nothing of what is measured, a replay does.
func (c *Cassette) settings() (lines []string) {
	if c.Replay == "" {
		return nil
	}
	lines = append(lines, setting("wire.cassette", c.File), setting("wire.replay", c.Replay))
	for _, path := range c.Ignore {
		lines = append(lines, setting("wire.ignore", path))
	}
	if c.Timing {
		lines = append(lines, setting("wire.timing", "true"))
	}
	return lines
}

// cassetteKeys are the keys of a cassette among those of a wire.
func (d *decoder) cassetteKeys(c *Cassette) []key {
	return []key{
		{Name: "cassette", About: "a file, from the folder of the suite, to which what passes is " +
			"recorded, or from which it is replayed", Read: d.Line(&c.File)},
		{Name: "replay", About: "what is answered from the cassette: all, or what is there; default " +
			"none, all is recorded", Read: func(n *yaml.Node) { c.Replay = d.replay(n) }},
		{Name: "ignore", About: "dotted paths of members of requests that are not compared, " +
			"such as metadata.user_id; * is any", Read: d.Texts(&c.Ignore, d.isMemberPath)},
		{Name: "timing", About: "replayed answers take the time that they took; default false",
			Read: d.Bool(&c.Timing)},
	}
}
