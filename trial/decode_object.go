package trial

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// open begins to decode a text, and reads up to its first name.
func (d *decoder) open(text []byte) error {
	d.text = text
	// The decoder reads a bytes.Buffer in place: values are parts of the text, and nothing is copied.
	d.source = *bytes.NewBuffer(text)
	d.json.Reset(&d.source, anySurrogate)
	d.within = object{}
	d.extra = d.extra[:0]
	// Checked once, here: the JSON decoder is then sure to see valid text.
	if !utf8.Valid(text) {
		return d.notUTF8()
	}
	if d.json.PeekKind() != '{' {
		value, err := d.value()
		if err != nil {
			return err
		}
		problem := "a trial must be a JSON object, not " + kindName(value)
		return d.syntaxAt(d.start, problem, `write one {"scenario":"…","outcome":"…"} a line`)
	}
	_, err := d.json.ReadToken()
	return d.syntax(err)
}

// notUTF8 says where the first byte is that is not UTF-8.
func (d *decoder) notUTF8() error {
	at := 0
	for at < len(d.text) {
		r, size := utf8.DecodeRune(d.text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return d.syntaxAt(at, "not UTF-8 text", "save the file as UTF-8")
}

// close checks that nothing but space follows the object.
func (d *decoder) close() error {
	end := int(d.json.InputOffset())
	rest := bytes.TrimLeft(d.text[end:], " \t\r\n")
	if len(rest) == 0 {
		return nil
	}
	at := len(d.text) - len(rest)
	if rest[0] == '{' || rest[0] == '[' {
		return d.syntaxAt(at, "a second JSON value on one line", "write one trial a line")
	}
	return d.syntaxAt(at, "text after the end of the JSON object", "write one trial a line, and nothing after it")
}

// next reads the name of the next member of the object that is open, or its end.
// The name is valid until the next call.
func (d *decoder) next() (name []byte, more bool, err error) {
	if d.json.PeekKind() == '}' {
		_, err := d.json.ReadToken()
		return nil, false, d.syntax(err)
	}
	quoted, err := d.value()
	if err != nil {
		return nil, false, err
	}
	name = quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') < 0 {
		return name, true, nil
	}
	d.name, _ = jsontext.AppendUnquote(d.name[:0], quoted) // half a surrogate becomes U+FFFD
	return d.name, true, nil
}

// value reads the next name or value as it is written: a part of the text.
func (d *decoder) value() ([]byte, error) {
	value, err := d.json.ReadValue()
	if err != nil {
		return nil, d.syntax(err)
	}
	end := int(d.json.InputOffset())
	d.start = end - len(value)
	// The capacity ends with the value: an append to it cannot write over what follows.
	return d.text[d.start:end:end], nil
}

// begin reads the start of a value that must be an object or an array. ok is
// false for null, which is the same as an absent field.
func (d *decoder) begin(kind jsontext.Kind, field, shape, hint string) (ok bool, err error) {
	if d.json.PeekKind() == kind {
		_, err := d.json.ReadToken()
		return err == nil, d.syntax(err)
	}
	value, err := d.value()
	if err != nil || value[0] == 'n' {
		return false, err
	}
	return false, d.typeError(field, value, shape, hint)
}

// unknown reads the value of a field that is not known.
func (d *decoder) unknown(members *[]Member, name []byte) error {
	if !d.fields.keeps(UnknownFields) {
		_, err := d.value()
		return err
	}
	return d.member(members, name)
}

// member reads a value and appends it under the name.
func (d *decoder) member(members *[]Member, name []byte) error {
	text := d.names.text(name)
	value, err := d.value()
	if err != nil {
		return err
	}
	*members = append(*members, Member{Name: text, Value: value})
	return nil
}

// keep copies members to the arena.
//
// An arena that must grow leaves what was handed out where it was, which stays valid.
func (d *decoder) keep(members []Member) []Member {
	if len(members) == 0 {
		return nil
	}
	first := len(d.members)
	d.members = append(d.members, members...)
	return d.members[first:len(d.members):len(d.members)]
}

// kept returns the members of the arena from first on.
func (d *decoder) kept(first int) []Member {
	if first == len(d.members) {
		return nil
	}
	return d.members[first:len(d.members):len(d.members)]
}
