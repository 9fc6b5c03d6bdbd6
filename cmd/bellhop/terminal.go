package main

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
)

// columns is the width that all texts for people fit in.
const columns = 80

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// style colours text. The zero value leaves text as it is.
type style struct{ on bool }

// newStyle returns a style that colours text if w is a terminal. The environment variable NO_COLOR turns colours off.
func newStyle(w io.Writer) style {
	return style{on: isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s style) bold(text string) string  { return s.code(1, text) }
func (s style) dim(text string) string   { return s.code(2, text) }
func (s style) red(text string) string   { return s.code(31, text) }
func (s style) green(text string) string { return s.code(32, text) }
func (s style) cyan(text string) string  { return s.code(36, text) }

// code wraps text in an escape sequence that selects how the terminal shows it.
func (s style) code(n int, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + strconv.Itoa(n) + "m" + text + "\x1b[0m"
}

// printable replaces control characters, so that a name cannot move the cursor or change colours.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '�'
		}
		return r
	}, text)
}

// plural returns a number with its noun: "1 command", "2 commands".
func plural[N int | int64](n N, noun string) string {
	text := strconv.FormatInt(int64(n), 10) + " " + noun
	switch {
	case n == 1:
		return text
	case strings.HasSuffix(noun, "y"):
		return strings.TrimSuffix(text, "y") + "ies"
	}
	return text + "s"
}
