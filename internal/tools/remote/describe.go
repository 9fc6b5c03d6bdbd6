package remote

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Describe replaces a StatusError by the message of the service, if the response has one.
func Describe(err error) error {
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return err
	}
	v, parseErr := jsonbody.Parse(e.Body)
	if parseErr != nil || v.Get("message").Text() == "" {
		return err
	}
	lines := errorLines(nil, "", v.Get("errors"))
	if len(lines) == 0 {
		return described{fmt.Sprintf("%s (%s, code %s)", v.Get("message").Text(), e.Status, v.Get("code").Text()), err}
	}
	return described{strings.Join(lines, "\n"), err}
}

// described is an error with another text.
type described struct {
	text string
	err  error
}

// Error returns the text.
func (d described) Error() string { return d.text }

// Unwrap returns the error that the text describes.
func (d described) Unwrap() error { return d.err }

// Explain adds to the error of a request what the user can do: start the service, or use another token. source names where
// the token came from; empty: there was none.
func Explain(err error, source string) error {
	status := ""
	if e, ok := errors.AsType[*StatusError](err); ok {
		status = e.Status
	} else if e, ok := errors.AsType[*client.Error](err); ok {
		status = strconv.Itoa(e.Status)
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w\nNo service listens there. Start one with \"bellhop dev\", or name its address with --base-url", err)
	case strings.HasPrefix(status, "401") && source == "":
		return fmt.Errorf("%w\nThe service wants a token: see docs/dev.md", err)
	case strings.HasPrefix(status, "401"):
		return fmt.Errorf("%w\nThe service does not know the token, which comes from %s", err, source)
	}
	return err
}

// notUnderstood is the code of a command line that could not be parsed. It is not printed: the message says enough.
const notUnderstood = "DEV_NOT_UNDERSTOOD"

// errorLines adds the messages of an error tree to lines, each with its path.
func errorLines(lines []string, path string, tree jsonbody.Value) []string {
	for _, m := range tree.Members() {
		if m.Name != "_errors" {
			lines = errorLines(lines, strings.TrimPrefix(path+"."+m.Name, "."), m.Value)
			continue
		}
		for _, e := range m.Value.Items() {
			line := path + ": " + e.Get("message").Text()
			if code := e.Get("code").Text(); code != notUnderstood {
				line += " (" + code + ")"
			}
			lines = append(lines, line)
		}
	}
	return lines
}
