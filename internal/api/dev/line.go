package dev

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
)

// LineError says why a command line is wrong. The command was not sent to the service.
type LineError struct{ Text string }

// Error returns the text.
func (e *LineError) Error() string { return e.Text }

func lineError(format string, args ...any) error { return &LineError{fmt.Sprintf(format, args...)} }

// MaxLine bounds a line in bytes. The longest option value fits.
const MaxLine = 64 << 10

// Line is a command as a user types it: a slash, the names of the command, the group and the subcommand, and options.
// Without a slash the whole text is the name of a USER, MESSAGE or Entry Point command.
type Line struct {
	Slash bool
	Path  []string // the names, that of the command first
	// Target is the mention or id at the end of a line without a slash; empty: none.
	Target  string
	Options []GivenOption

	needsValue bool // the last option has no value yet
}

// GivenOption is an option that a developer gives to a command.
type GivenOption struct {
	Name    string
	Value   jsonbody.Value // absent: none
	Typed   bool           // the value is text, to be converted to the type of the option
	Options []GivenOption  // of a group or a subcommand
}

// ParseLine parses a line. The error is a *LineError.
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

// plainLine parses a line without a slash: the name of the command and the target.
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

// add adds a word to the line. Names come before options. A value may be separated from its option by a space.
func (l *Line) add(w word) error {
	switch n := len(l.Options); {
	case w.named:
		if len(l.Path) == 0 {
			return lineError("option %q stands before the name of the command", w.name)
		}
		l.Options = append(l.Options, GivenOption{Name: w.name, Value: jsonbody.StringOf(w.value), Typed: true})
		l.needsValue = w.value == "" && !w.quoted
	case l.needsValue:
		l.Options[n-1].Value, l.needsValue = jsonbody.StringOf(w.value), false
	case n > 0:
		return lineError("%q belongs to no option: write name:value, and values with blanks in quotes, name:\"one two\"", w.value)
	case w.quoted:
		return lineError("%q is no name: quotes are for values, name:\"one two\"", w.value)
	default:
		l.Path = append(l.Path, w.value)
	}
	return nil
}

// word is a part of a line between spaces.
type word struct {
	name, value string
	named       bool // name:value
	quoted      bool
}

// scanner splits a line into words.
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

// quoted reads text in quotes. A backslash escapes a quote or a backslash.
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

// findOption returns the option with a name, in any language, or nil.
func findOption(options []command.Option, name string) *command.Option {
	i := slices.IndexFunc(options, func(o command.Option) bool { return o.Name == name })
	if i < 0 {
		i = slices.IndexFunc(options, func(o command.Option) bool {
			return strings.EqualFold(o.Name, name) || hasLocalization(o.NameLocalizations, name)
		})
	}
	if i < 0 {
		return nil
	}
	return &options[i]
}

func hasLocalization(m locale.Map, name string) bool {
	for _, variant := range m {
		if strings.EqualFold(variant, name) {
			return true
		}
	}
	return false
}

// suggestion returns the part of an error message that suggests a known name.
func suggestion(name string, known []string) string {
	switch near := jsonbody.Suggest(name, known); {
	case near != "":
		return fmt.Sprintf(": did you mean %q?", near)
	case len(known) == 0:
		return ": there are none"
	default:
		const limit = 25
		if len(known) > limit {
			known = append(slices.Clone(known[:limit]), "…")
		}
		return ": known are " + strings.Join(known, ", ")
	}
}
