package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Parse reads the definition of a new command. An error is a *problem.Tree with everything that is wrong.
func Parse(body jsonbody.Value, env Env) (Definition, error) {
	var t jsonbody.Tree
	body, ok := asBody(&t, body)
	if !ok {
		return Definition{}, t.Err()
	}
	d := read(&t, body, body, env.normal())
	if err := t.Err(); err != nil {
		return Definition{}, err
	}
	return d, nil
}

// Amend returns old with the members of body in place of its own; null stands for the value of a new command. The type
// stays what it is. The outcome is judged as a whole, but for how the application can be installed now: that concerns
// only integration types that body names. An error is a *problem.Tree with everything that is wrong.
func Amend(old Definition, body jsonbody.Value, env Env) (Definition, error) {
	var t jsonbody.Tree
	body, ok := asBody(&t, body)
	if !ok {
		return Definition{}, t.Err()
	}
	doc, err := jsonbody.Parse(old.Doc())
	if err != nil {
		return Definition{}, fmt.Errorf("amend: %w", err)
	}
	merged := doc.With(body).With(jsonbody.ObjectOf(jsonbody.Member{Name: "type", Value: doc.Get("type")}))
	env.Guild, env.Embedded = old.Guild, true
	d := read(&t, body, merged, env.normal())
	if err := t.Err(); err != nil {
		return Definition{}, err
	}
	return d, nil
}

// asBody returns the object that a request sent; a request without a body sent an empty one.
func asBody(t *jsonbody.Tree, body jsonbody.Value) (jsonbody.Value, bool) {
	if body.Kind() == jsonbody.Absent {
		return jsonbody.ObjectOf(), true
	}
	return jsonbody.AsObject(t, body)
}

// Validate reports every rule that d breaks by itself, whatever its application supports. An error is a *problem.Tree.
func Validate(d Definition) error {
	v, err := jsonbody.Parse(d.Doc())
	if err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	_, err = Parse(v, everything(d.Guild))
	return err
}

// errNoDefinition says that a document lacks what every definition has.
var errNoDefinition = errors.New("document without a name or a known type")

// ParseDoc reads what Doc wrote, or a command as the interface shows it. It does not judge: what is stored was judged
// when it came in, and a rule that has become stricter since does not take a command away.
func ParseDoc(doc []byte) (Definition, error) {
	v, err := jsonbody.Parse(doc)
	if err != nil {
		return Definition{}, err
	}
	guild := v.Get("dm_permission").Kind() == jsonbody.Absent
	if v.Get("application_id").IsSet() { // as the interface shows it, which need not be ours
		guild = v.Get("guild_id").IsSet()
	}
	var ignored jsonbody.Tree
	d := read(&ignored, v, v, everything(guild))
	if d.Name == "" || d.Type == 0 {
		return Definition{}, errNoDefinition
	}
	return d, nil
}

// Item is one definition of a bulk overwrite. ID is that of the command it replaces, when it names one.
type Item struct {
	ID snowflake.Command
	Definition
}

// MaxItems is how many definitions a bulk overwrite may list beside an entry point.
const MaxItems = 130

// ParseList reads the definitions of a bulk overwrite; null is an empty list. An error is a *problem.Tree with everything
// that is wrong with every one of them.
//
// The specification gives integration_types and contexts of a guild's list defaults; commands of a guild have neither,
// so nothing comes of them.
func ParseList(body jsonbody.Value, env Env) ([]Item, error) {
	if body.Kind() == jsonbody.Null {
		return nil, nil
	}
	var t jsonbody.Tree
	most := MaxItems
	if len(body.Items()) > most && slices.ContainsFunc(body.Items(), isEntryPoint) {
		most++
	}
	values, ok := jsonbody.AsItems(&t, body, most)
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

// isEntryPoint reports whether an item that has not been read yet is an entry point.
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

// checkDuplicates notes items that share type and name with an earlier one. Lists are short: looking at each is faster
// than a map.
func checkDuplicates(t *jsonbody.Tree, items []Item) {
	for i := range items {
		item := &items[i]
		if item.Type == 0 || item.Name == "" {
			continue // unread
		}
		for j := range i {
			if earlier := &items[j]; earlier.Name == item.Name && earlier.Type == item.Type {
				t.Index(i).Add(DuplicateName, "Application command names must be unique")
				break
			}
		}
	}
}
