// Package terminal formats text for people: counted nouns, names without control characters, colours, and the progress of
// a task.
package terminal

import (
	"bufio"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
)

// Columns is the width that all texts for people fit in.
const Columns = 80

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// Style colours text. The zero value leaves text as it is.
type Style struct{ on bool }

// NewStyle returns a style that colours text if w is a terminal. The environment variable NO_COLOR turns colours off.
func NewStyle(w io.Writer, environment func(name string) string) Style {
	return Style{on: IsTerminal(w) && environment("NO_COLOR") == "" && environment("TERM") != "dumb"}
}

// Bold returns bold text.
func (s Style) Bold(text string) string { return s.code(1, text) }

// Dim returns text with less contrast.
func (s Style) Dim(text string) string { return s.code(2, text) }

// Red returns red text.
func (s Style) Red(text string) string { return s.code(31, text) }

// Green returns green text.
func (s Style) Green(text string) string { return s.code(32, text) }

// Cyan returns cyan text.
func (s Style) Cyan(text string) string { return s.code(36, text) }

// code wraps text in an escape sequence that selects how the terminal shows it.
func (s Style) code(n int, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + strconv.Itoa(n) + "m" + text + "\x1b[0m"
}

// Printable replaces control characters, so that a name cannot move the cursor or change colours.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '�'
		}
		return r
	}, text)
}

// Plural returns a number with its noun: "1 command", "2 commands".
func Plural[N int | int64](n N, noun string) string {
	text := strconv.FormatInt(int64(n), 10) + " " + noun
	switch {
	case n == 1:
		return text
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "key"):
		return strings.TrimSuffix(text, "y") + "ies"
	}
	return text + "s"
}

// Ask prints a question and returns the line that is typed as the answer, without spaces around it. io.EOF means that there is no
// input.
func Ask(in io.Reader, out io.Writer, question string) (string, error) {
	if _, err := io.WriteString(out, question); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(in).ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimSpace(line), err
}

// Join joins the texts that are not empty.
func Join(separator string, texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, separator)
}
