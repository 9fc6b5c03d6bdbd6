package scaffold

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// AskLanguage asks for a language: its number or its name. It returns its index in Languages.
func AskLanguage(in io.Reader, out io.Writer) (int, error) {
	p := terminal.Printer{Out: out}
	for i, l := range Languages {
		p.Line("  %d  %s", i+1, l.Title)
	}
	if p.Err != nil {
		return 0, p.Err
	}
	answer, err := terminal.Ask(in, out, "Language? ")
	if errors.Is(err, io.EOF) {
		return 0, errors.New("no answer: use --language")
	}
	if err != nil {
		return 0, err
	}
	for i, l := range Languages {
		if answer == strconv.Itoa(i+1) || strings.EqualFold(answer, l.Name) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown language %q: want go, javascript, typescript or python", strings.ToLower(answer))
}
