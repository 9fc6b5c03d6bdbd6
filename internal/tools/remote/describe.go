package remote

import (
	"errors"
	"fmt"
	"strings"

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
		return fmt.Errorf("%s (%s, code %s)", v.Get("message").Text(), e.Status, v.Get("code").Text())
	}
	return errors.New(strings.Join(lines, "\n"))
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
