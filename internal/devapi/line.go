package devtools

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/suggest"
)

// LineError says why a command cannot be understood: before anything was asked of the service.
type LineError struct{ Text string }

// Error returns the text.
func (e *LineError) Error() string { return e.Text }

func lineError(format string, args ...any) error { return &LineError{fmt.Sprintf(format, args...)} }

// MaxLine is how many bytes a line may have: enough for an option of the largest length in the widest letters.
const MaxLine = 64 << 10

// Line is a command as typed: a slash, the words that name it, its group and its subcommand, and options. A command that
// is not typed after a slash is named by the whole text.
type Line struct {
	Slash bool
	Path  []string // the names, the command's first
	// Target is the mention or id at the end of a text without a slash, when there is one.
	Target string
	Given  []Given

	waits bool // the last option for its value
}

// Given is an option as a developer gives it.
type Given struct {
	Name    string
	Value   jsonbody.Value // absent: none
	Typed   bool           // the value is a text that stands for one of the option's type
	Options []Given        // of a group or a subcommand
}

// ParseLine takes a line apart. An error is a *LineError.
func ParseLine(text string) (Line, error) {
	text = strings.TrimSpace(text)
	switch {
	case len(text) > MaxLine:
		return Line{}, lineError("the line is longer than %d bytes", MaxLine)
	case !utf8.ValidString(text):
		return Line{}, lineError("the line is not UTF-8")
	}
	rest, slash := strings.CutPrefix(text, "/")
	if !slash {
		return plainLine(text)
	}
	l := Line{Slash: true}
	s := scanner{rest}
	for {
		w, ok, err := s.next()
		if err != nil {
			return Line{}, err
		}
		if !ok {
			break
		}
		if err := l.add(w); err != nil {
			return Line{}, err
		}
	}
	if len(l.Path) == 0 {
		return Line{}, lineError("a slash without the name of a command")
	}
	return l, nil
}

// plainLine reads the name of a command that has no slash, and what it is used on.
func plainLine(text string) (Line, error) {
	if text == "" {
		return Line{}, lineError("no command")
	}
	l := Line{Path: []string{text}}
	if i := strings.LastIndexFunc(text, unicode.IsSpace); i >= 0 {
		if id, ok := mention(text[i+1:], "@!", "@", ""); ok {
			l.Path[0], l.Target = strings.TrimSpace(text[:i]), id
		}
	}
	return l, nil
}

// add puts a word in its place: names come before options, and a value may stand apart from its name.
func (l *Line) add(w word) error {
	switch n := len(l.Given); {
	case w.named:
		if len(l.Path) == 0 {
			return lineError("option %q stands before the name of the command", w.name)
		}
		l.Given = append(l.Given, Given{Name: w.name, Value: jsonbody.StringOf(w.value), Typed: true})
		l.waits = w.value == "" && !w.quoted
	case l.waits:
		l.Given[n-1].Value, l.waits = jsonbody.StringOf(w.value), false
	case n > 0:
		return lineError("%q belongs to no option: write name:value, and values with blanks in quotes, name:\"one two\"", w.value)
	case w.quoted:
		return lineError("%q is no name: quotes are for values, name:\"one two\"", w.value)
	default:
		l.Path = append(l.Path, w.value)
	}
	return nil
}

// word is a part of a line between blanks.
type word struct {
	name, value string
	named       bool // name:value
	quoted      bool
}

// scanner cuts a line into words.
type scanner struct{ rest string }

func (s *scanner) next() (w word, ok bool, err error) {
	s.rest = strings.TrimLeftFunc(s.rest, unicode.IsSpace)
	if s.rest == "" {
		return word{}, false, nil
	}
	end := strings.IndexFunc(s.rest, func(r rune) bool { return unicode.IsSpace(r) || r == ':' || r == '"' })
	if end > 0 && s.rest[end] == ':' {
		w.name, w.named, s.rest = s.rest[:end], true, s.rest[end+1:]
	}
	if strings.HasPrefix(s.rest, `"`) {
		w.quoted = true
		w.value, err = s.quoted()
		return w, true, err
	}
	end = strings.IndexFunc(s.rest, unicode.IsSpace)
	if end < 0 {
		end = len(s.rest)
	}
	w.value, s.rest = s.rest[:end], s.rest[end:]
	return w, true, nil
}

// quoted reads a text in quotes. A backslash before a quote or a backslash takes its meaning away.
func (s *scanner) quoted() (string, error) {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '\\' && i+1 < len(s.rest) && (s.rest[i+1] == '"' || s.rest[i+1] == '\\'):
			i++
			b.WriteByte(s.rest[i])
		case c != '"':
			b.WriteByte(c)
		default:
			s.rest = s.rest[i+1:]
			if r, _ := utf8.DecodeRuneInString(s.rest); s.rest != "" && !unicode.IsSpace(r) {
				return "", lineError("no blank after the quotes around %q", b.String())
			}
			return b.String(), nil
		}
	}
	return "", lineError("quotes are opened before %q and not closed", b.String())
}

// named finds what has a name, by default or in any language.
func named(options []command.Option, name string) *command.Option {
	i := slices.IndexFunc(options, func(o command.Option) bool { return o.Name == name })
	if i < 0 {
		i = slices.IndexFunc(options, func(o command.Option) bool {
			return strings.EqualFold(o.Name, name) || hasVariant(o.NameLocalizations, name)
		})
	}
	if i < 0 {
		return nil
	}
	return &options[i]
}

func hasVariant(m locale.Map, name string) bool {
	for _, variant := range m {
		if strings.EqualFold(variant, name) {
			return true
		}
	}
	return false
}

// meant returns the words for what a developer may have meant by a name that nothing has.
func meant(name string, known []string) string {
	switch near := suggest.Name(name, known); {
	case near != "":
		return fmt.Sprintf(": did you mean %q?", near)
	case len(known) == 0:
		return ": there are none"
	default:
		const most = 25
		if len(known) > most {
			known = append(slices.Clone(known[:most]), "…")
		}
		return ": known are " + strings.Join(known, ", ")
	}
}
