package command

import (
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Parse reads the JSON definition of a new command. An empty body counts as {}. The error lists every rule that the
// definition breaks.
func Parse(body []byte, env Env) (Definition, error) {
	v, err := parseObject(body)
	if err != nil {
		return Definition{}, err
	}
	return parseValue(v, env)
}

// parseObject parses the body of a request. An empty body counts as {}.
func parseObject(body []byte) (jsonbody.Value, error) {
	if len(body) == 0 {
		return jsonbody.ObjectOf(), nil
	}
	return jsonbody.Parse(body)
}

func parseValue(v jsonbody.Value, env Env) (Definition, error) {
	var t jsonbody.Tree
	v, ok := jsonbody.AsObject(&t, v)
	if !ok {
		return Definition{}, t.Err()
	}
	d := read(&t, v, v, env.normal())
	if err := t.Err(); err != nil {
		return Definition{}, err
	}
	return d, nil
}

// Amend returns the definition with the members of body, a JSON object, in place of its own. A member that is null gets
// the default of a new command. The type never changes. The error lists every rule that the result breaks. The
// integration types that the application supports matter only if body names integration_types.
func (d Definition) Amend(body []byte, env Env) (Definition, error) {
	v, err := parseObject(body)
	if err != nil {
		return Definition{}, err
	}
	var t jsonbody.Tree
	v, ok := jsonbody.AsObject(&t, v)
	if !ok {
		return Definition{}, t.Err()
	}
	if d.Closed {
		d.MemberPermissions = nil // they depend on the default_permission of the result
	}
	doc, err := jsonbody.Parse(d.Doc())
	if err != nil {
		return Definition{}, fmt.Errorf("amend: %w", err)
	}
	merged := doc.With(v).With(jsonbody.ObjectOf(jsonbody.Member{Name: "type", Value: doc.Get("type")}))
	env.Guild, env.Embedded = d.Guild, true
	amended := read(&t, v, merged, env.normal())
	if err := t.Err(); err != nil {
		return Definition{}, err
	}
	return amended, nil
}

// Validate reports every rule that d breaks, for an application that supports everything.
func Validate(d Definition) error {
	_, err := Parse(d.Doc(), anyApplication(d.Guild))
	return err
}

// Item is one definition of a bulk overwrite or of a file.
type Item struct {
	// ID is the registered command that the item replaces; 0: the item names none.
	ID snowflake.Command
	Definition
}

// maxItems is the highest number of definitions in a bulk overwrite. An entry point does not count.
const maxItems = 130

// ParseList reads the JSON list of a bulk overwrite; null counts as []. The error lists every rule that any of the
// definitions breaks.
//
// The specification gives defaults to integration_types and contexts in the list of a guild. Neither has an effect on
// guild commands, so a definition that does not give them has none.
func ParseList(body []byte, env Env) ([]Item, error) {
	v, err := jsonbody.Parse(body)
	if err != nil {
		return nil, err
	}
	return parseItems(v, env)
}

func parseItems(v jsonbody.Value, env Env) ([]Item, error) {
	if v.Kind() == jsonbody.Null {
		return nil, nil
	}
	var t jsonbody.Tree
	most := maxItems
	if len(v.Items()) > most && slices.ContainsFunc(v.Items(), isEntryPoint) {
		most++
	}
	values, ok := jsonbody.AsItems(&t, v, most)
	if !ok || t.Failed() {
		return nil, t.Err()
	}
	env = env.normal()
	items := make([]Item, len(values))
	for i := range values {
		items[i] = readItem(t.Index(i), values[i], env)
	}
	checkDuplicates(&t, items)
	if err := t.Err(); err != nil {
		return nil, err
	}
	return items, nil
}

// isEntryPoint reports whether v, an unread item, is an entry point.
func isEntryPoint(v jsonbody.Value) bool {
	v = v.Get("type")
	if !v.IsSet() {
		return false
	}
	n, ok := jsonbody.AsWhole(new(jsonbody.Tree), v)
	return ok && n == int64(PrimaryEntryPoint)
}

func readItem(t *jsonbody.Tree, v jsonbody.Value, env Env) Item {
	v, ok := jsonbody.AsItem(t, v)
	if !ok {
		return Item{}
	}
	item := Item{Definition: read(t, v, v, env)}
	if id := v.Get("id"); id.IsSet() {
		item.ID, _ = jsonbody.AsID[snowflake.Command](t.At("id"), id)
	}
	return item
}

// checkDuplicates reports items that have the type and name of an earlier item. For lists this short a loop is faster
// than a map.
func checkDuplicates(t *jsonbody.Tree, items []Item) {
	for i := range items {
		item := &items[i]
		if item.Type == 0 || item.Name == "" {
			continue // invalid, and reported already
		}
		for j := range i {
			if earlier := &items[j]; earlier.Name == item.Name && earlier.Type == item.Type {
				t.Index(i).Add(duplicateName, "Application command names must be unique")
				break
			}
		}
	}
}
