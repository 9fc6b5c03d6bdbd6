package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/world"
)

var variablePattern = regexp.MustCompile(`\$\{([^${}]+)\}`)

// nameKinds are the kinds of records whose ids are variables, such as ${user.ada}.
var nameKinds = []string{"user", "app", "guild", "role", "channel"}

// variables are the values that steps can refer to.
type variables map[string]string

// worldVariables returns the ids of a world by kind and name.
func worldVariables(w world.World) variables {
	all := variables{}
	for _, u := range w.Users {
		all["user."+u.Username] = u.ID.String()
	}
	for _, a := range w.Applications {
		all["app."+a.Name] = a.ID.String()
	}
	for _, g := range w.Guilds {
		all["guild."+g.Name] = g.ID.String()
		for _, r := range g.Roles {
			all["role."+r.Name] = r.ID.String()
		}
		for _, c := range g.Channels {
			all["channel."+g.Name+"/"+c.Name] = c.ID.String()
			if _, there := all["channel."+c.Name]; !there {
				all["channel."+c.Name] = c.ID.String()
			}
		}
	}
	return all
}

// variablesIn returns the names of the variables in the texts of a value.
func variablesIn(v jsonbody.Value) []string {
	var names []string
	_, _ = mapTexts(v, func(text string) (string, error) {
		for _, m := range variablePattern.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		return text, nil
	})
	return names
}

// replace returns a value with the variables in its texts and keys replaced.
func (vs variables) replace(v jsonbody.Value) (jsonbody.Value, error) {
	return mapTexts(v, vs.replaceText)
}

func (vs variables) replaceText(text string) (string, error) {
	var err error
	text = variablePattern.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		value, ok := vs[name]
		if !ok {
			err = fmt.Errorf("the variable %q has no value", name)
		}
		return value
	})
	return text, err
}

// mapTexts returns a value with fn applied to all texts and keys.
func mapTexts(v jsonbody.Value, fn func(string) (string, error)) (jsonbody.Value, error) {
	switch v.Kind() {
	case jsonbody.String:
		text, err := fn(v.Text())
		return jsonbody.StringOf(text), err
	case jsonbody.List:
		items := make([]jsonbody.Value, len(v.Items()))
		for i, item := range v.Items() {
			var err error
			if items[i], err = mapTexts(item, fn); err != nil {
				return v, err
			}
		}
		return jsonbody.ListOf(items...), nil
	case jsonbody.Object:
		members := make([]jsonbody.Member, len(v.Members()))
		for i, m := range v.Members() {
			name, err := fn(m.Name)
			if err != nil {
				return v, err
			}
			value, err := mapTexts(m.Value, fn)
			if err != nil {
				return v, err
			}
			members[i] = jsonbody.Member{Name: name, Value: value}
		}
		return jsonbody.ObjectOf(members...), nil
	default:
		return v, nil
	}
}

// valueAt returns the value at a path such as embeds.0.title. "" is the value itself.
func valueAt(v jsonbody.Value, path string) jsonbody.Value {
	if path == "" || path == "." {
		return v
	}
	for key := range strings.SplitSeq(path, ".") {
		if v.Kind() != jsonbody.List {
			v = v.Get(key)
			continue
		}
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(v.Items()) {
			return jsonbody.Value{}
		}
		v = v.Items()[i]
	}
	return v
}
