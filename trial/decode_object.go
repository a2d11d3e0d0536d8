package trial

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// errScan says that the scanner gave up. Nobody sees it: the text is decoded again.
var errScan = errors.New("not read by the scanner")

// open begins to decode a text, and reads up to its first name.
func (d *decoder) open(text []byte) error {
	d.text = text
	d.within = object{}
	d.extra = d.extra[:0]
	if d.quick {
		d.scan.reset(text)
	} else {
		// The decoder reads a bytes.Buffer in place: values are parts of the text, and nothing is copied.
		d.source = *bytes.NewBuffer(text)
		d.json.Reset(&d.source, anySurrogate)
	}
	// Checked once, here: what reads the text is then sure to see valid text.
	if !utf8.Valid(text) {
		return d.notUTF8()
	}
	value, err := d.begin('{')
	if value != nil {
		problem := "a trial must be a JSON object, not " + kindName(value)
		return d.syntaxAt(d.start, problem, `write one {"scenario":"…","outcome":"…"} a line`)
	}
	return err
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
	end := d.offset()
	if end == len(d.text) {
		return nil
	}
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

// offset is where the text was read to.
func (d *decoder) offset() int {
	if d.quick {
		return d.scan.At
	}
	return int(d.json.InputOffset())
}

// next reads the name of the next member of the object that is open, or its end.
// The name is valid until the next call.
func (d *decoder) next() (name []byte, more bool, err error) {
	if d.quick {
		if name := d.scan.following(); name != nil {
			return name, true, nil
		}
	}
	if more, err = d.more('}'); !more || err != nil {
		return nil, false, err
	}
	if d.quick {
		name, ok := d.scan.name()
		return name, true, d.scanned(ok)
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

// more reports whether the object or the array that is open has another member, and reads its end if not.
func (d *decoder) more(end jsontext.Kind) (bool, error) {
	if d.quick {
		more, ok := d.scan.more(byte(end))
		return more, d.scanned(ok)
	}
	if d.json.PeekKind() != end {
		return true, nil
	}
	_, err := d.json.ReadToken()
	return false, d.syntax(err)
}

// scanned is nil if the scanner read what it was to read.
func (d *decoder) scanned(ok bool) error {
	if ok {
		return nil
	}
	return errScan
}

// value reads the next value as it is written: a part of the text.
func (d *decoder) value() ([]byte, error) {
	if d.quick {
		d.scan.Next()
		d.start = d.scan.At
		if !d.scan.value(0) {
			return nil, errScan
		}
	} else {
		value, err := d.json.ReadValue()
		if err != nil {
			return nil, d.syntax(err)
		}
		d.start = d.offset() - len(value)
	}
	// The capacity ends with the value: an append to it cannot write over what follows.
	end := d.offset()
	return d.text[d.start:end:end], nil
}

// begin reads the start of an object or an array, or else the value of another kind that is there.
func (d *decoder) begin(kind jsontext.Kind) (other []byte, err error) {
	switch {
	case d.quick && d.scan.Next() == byte(kind):
		d.scan.enter()
		return nil, nil
	case !d.quick && d.json.PeekKind() == kind:
		_, err := d.json.ReadToken()
		return nil, d.syntax(err)
	}
	return d.value()
}

// beginField reads the start of a value that must be an object or an array. ok is
// false for null, which is the same as an absent field.
func (d *decoder) beginField(kind jsontext.Kind, field, shape, hint string) (ok bool, err error) {
	value, err := d.begin(kind)
	if err != nil || value != nil && value[0] == 'n' {
		return false, err
	}
	if value != nil {
		return false, d.typeError(field, value, shape, hint)
	}
	return true, nil
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
