package probe

import (
	"encoding/json"
	"strings"

	"github.com/bellhop/bellhop/compat/catalog"
)

// Line formats an entry for a library that returns the error tree unchanged.
func Line(f catalog.Fault) string { return f.Path + " " + f.Code + ": " + f.Message }

// Lines formats the entries of an error tree for such a library.
func Lines(tree []byte) []string {
	if len(tree) == 0 {
		return nil
	}
	var root any
	if err := json.Unmarshal(tree, &root); err != nil {
		return []string{err.Error()}
	}
	return walk(nil, root)
}

func walk(path []string, node any) []string {
	members, ok := node.(map[string]any)
	if !ok {
		return []string{strings.Join(path, ".") + " is not an object"}
	}
	var lines []string
	for key, value := range members {
		if key != "_errors" {
			lines = append(lines, walk(append(path[:len(path):len(path)], key), value)...)
			continue
		}
		entries, _ := value.([]any)
		for _, entry := range entries {
			e, _ := entry.(map[string]any)
			code, _ := e["code"].(string)
			message, _ := e["message"].(string)
			lines = append(lines, Line(catalog.Fault{Path: strings.Join(path, "."), Code: code, Message: message}))
		}
	}
	return lines
}

// BodyLines formats the entries of the error tree in a response body.
func BodyLines(body []byte) []string {
	var answer struct {
		Errors json.RawMessage `json:"errors"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return []string{err.Error()}
	}
	return Lines(answer.Errors)
}
