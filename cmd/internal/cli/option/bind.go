package option

import (
	"github.com/tribunal-dev/tribunal/trial"
)

// Type reads values of one kind. An error says what the value must be; the option and the value are named by the
// caller.
type Type[T any] struct {
	Unit  string // in the help, such as P
	Parse func(string) (T, error)
	Text  func(T) string // the value as the option would be given; "" shows no default
	Words []string       // all values, which the help lists and the shell completes; nil where there is no list
}

// Bind binds an option to a field of a request, whose value is the default.
func Bind[T any](s Set, name string, p *T, t Type[T]) {
	bind(s, name, t, func() string { return t.Text(*p) }, func(x T) { *p = x })
}

// BindOptional binds an option whose field is not known where nobody gives it.
func BindOptional[T any](s Set, name string, p *trial.Optional[T], t Type[T]) {
	bind(s, name, t, func() string {
		if !p.Known {
			return ""
		}
		return t.Text(p.Value)
	}, func(x T) { *p = trial.Some(x) })
}

func bind[T any](s Set, name string, t Type[T], read func() string, write func(T)) {
	v := field{unit: t.Unit, read: read, write: func(text string) error {
		x, err := t.Parse(text)
		if err == nil {
			write(x)
		}
		return err
	}}
	if t.Words == nil {
		s.Value(name, &v)
		return
	}
	s.Value(name, &wordField{v, t.Words})
}

// field is a pflag.Value that is kept in a request.
type field struct {
	unit  string
	read  func() string
	write func(string) error
}

func (f *field) String() string {
	if f.read == nil { // the zero value, which pflag asks as well
		return ""
	}
	return f.read()
}

func (f *field) Set(text string) error { return f.write(text) }
func (f *field) Type() string          { return f.unit }

// wordField is a field that is one of some words.
type wordField struct {
	field
	words []string
}

// Completions are the words; the shell completes them.
func (f *wordField) Completions() []string { return f.words }
