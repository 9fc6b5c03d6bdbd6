package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// permissionsKey is the member that a file can write as a list of names.
const permissionsKey = "default_member_permissions"

// replaceNames replaces lists of names of permissions by the bit sets that the API takes. It returns a finding for an
// unknown name.
func (f *File) replaceNames() *Finding {
	if f.value.Kind() == jsonbody.Object {
		v, text, finding := f.withBits("", f.value, f.text)
		f.value, f.text = v, text
		return finding
	}
	items := f.value.Items()
	if !slices.ContainsFunc(items, func(v jsonbody.Value) bool { return v.Get(permissionsKey).Kind() == jsonbody.List }) {
		return nil
	}
	raw, values, texts := f.Raw(), make([]jsonbody.Value, len(items)), make([]jsontext.Value, len(items))
	for i, item := range items {
		v, text, finding := f.withBits(strconv.Itoa(i)+".", item, raw[i])
		if finding != nil {
			return finding
		}
		values[i], texts[i] = v, text
	}
	f.value = jsonbody.ListOf(values...)
	f.text, _ = json.Marshal(texts) // all texts are valid
	return nil
}

// withBits returns one definition with a bit set in place of names. prefix is the path of the definition with a dot.
func (f *File) withBits(prefix string, v jsonbody.Value, text jsontext.Value) (jsonbody.Value, jsontext.Value, *Finding) {
	names := v.Get(permissionsKey)
	if names.Kind() != jsonbody.List {
		return v, text, nil
	}
	var bits permission.Bits
	for i, name := range names.Items() {
		with, ok := bits.With(name.Text())
		if !ok || name.Kind() != jsonbody.String {
			return v, text, f.unknownName(prefix+permissionsKey+"."+strconv.Itoa(i), v, name)
		}
		bits = with
	}
	var members map[string]jsontext.Value
	_ = json.Unmarshal(text, &members, jsontext.AllowDuplicateNames(true)) // text is a valid object
	members[permissionsKey] = jsontext.Value(strconv.Quote(bits.String()))
	text, _ = json.Marshal(members, json.Deterministic(true)) // all members are valid
	return v.With(jsonbody.ObjectOf(jsonbody.Member{Name: permissionsKey, Value: jsonbody.StringOf(bits.String())})), text, nil
}

func (f *File) unknownName(path string, definition, name jsonbody.Value) *Finding {
	at := f.position(f.prefix + path)
	message := fmt.Sprintf("%q is not the name of a permission", name.String())
	if known := jsonbody.Suggest(strings.ToUpper(name.Text()), permission.All.Names()); known != "" {
		message += fmt.Sprintf(": did you mean %q?", known)
	}
	if i := strings.IndexByte(path, '.'); f.value.Kind() != jsonbody.Object {
		path = path[i+1:]
	}
	return &Finding{Line: at.line, Column: at.column, Path: path, Message: message, Command: definition.Get("name").Text()}
}
