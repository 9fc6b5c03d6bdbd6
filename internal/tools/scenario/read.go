package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Codes of problems in a file.
const (
	unknownKey jsonbody.Code = "SCENARIO_UNKNOWN_KEY"
	badValue   jsonbody.Code = "SCENARIO_BAD_VALUE"
)

// valueReader is a type that reads its own form. The other types are read by their kind and their tags.
type valueReader interface {
	read(t *jsonbody.Tree, v jsonbody.Value)
}

// readValue reads a value into target, which is a pointer. Absent values and null leave it as it is.
func readValue(t *jsonbody.Tree, v jsonbody.Value, target any) {
	readInto(t, v, reflect.ValueOf(target).Elem())
}

func readInto(t *jsonbody.Tree, v jsonbody.Value, target reflect.Value) {
	if custom, ok := target.Addr().Interface().(valueReader); ok {
		custom.read(t, v)
		return
	}
	if !v.IsSet() {
		return
	}
	switch target.Kind() {
	case reflect.String:
		if v.Kind() == jsonbody.Number { // an id without quotes
			target.SetString(v.Text())
		} else if s, ok := jsonbody.AsString(t, v); ok {
			target.SetString(s)
		}
	case reflect.Bool:
		if b, ok := jsonbody.AsBool(t, v); ok {
			target.SetBool(b)
		}
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		readInto(t, v, target.Elem())
	case reflect.Slice:
		readList(t, v, target)
	case reflect.Map:
		readMap(t, v, target)
	case reflect.Struct:
		readStruct(t, v, target)
	default:
		panic("scenario: no reader for " + target.Type().String())
	}
}

func readList(t *jsonbody.Tree, v jsonbody.Value, target reflect.Value) {
	if v.Kind() != jsonbody.List {
		t.Add(jsonbody.ListConvert, "Must be a list.")
		return
	}
	items := v.Items()
	if len(items) > maxScenarios {
		t.Length(-1, maxScenarios)
		return
	}
	list := reflect.MakeSlice(target.Type(), len(items), len(items))
	for i, item := range items {
		readInto(t.Index(i), item, list.Index(i))
	}
	target.Set(list)
}

func readMap(t *jsonbody.Tree, v jsonbody.Value, target reflect.Value) {
	if v.Kind() != jsonbody.Object {
		t.Add(jsonbody.ModelConvert, "Must be a mapping of keys to values.")
		return
	}
	all := reflect.MakeMap(target.Type())
	for _, m := range v.Members() {
		item := reflect.New(target.Type().Elem()).Elem()
		readInto(t.At(m.Name), m.Value, item)
		all.SetMapIndex(reflect.ValueOf(m.Name), item)
	}
	target.Set(all)
}

// readStruct reads a mapping with the keys of the tags, and reports keys that are unknown, missing or there twice.
func readStruct(t *jsonbody.Tree, v jsonbody.Value, target reflect.Value) {
	if v.Kind() != jsonbody.Object {
		t.Add(jsonbody.ModelConvert, "Must be a mapping of keys to values.")
		return
	}
	fields := fieldsOf(target.Type())
	seen := map[string]bool{}
	for _, m := range v.Members() {
		field, known := fields[m.Name]
		switch {
		case seen[m.Name]:
			t.At(m.Name).Add(badValue, "The key occurs twice.")
		case !known:
			t.At(m.Name).Add(unknownKey, unknown("key", m.Name, keysOf(target.Type())))
		default:
			readInto(t.At(m.Name), m.Value, target.FieldByIndex(field.Index))
			checkEnum(t.At(m.Name), field.Tag.Get("enum"), target.FieldByIndex(field.Index))
		}
		seen[m.Name] = true
	}
	for name, field := range fields {
		if field.Tag.Get("required") == "true" && !v.Get(name).IsSet() {
			t.At(name).Add(jsonbody.Required, fmt.Sprintf("The key %q is missing.", name))
		}
	}
}

// checkEnum checks that a text is one of those that the tag lists.
func checkEnum(t *jsonbody.Tree, enum string, field reflect.Value) {
	if enum == "" || field.Kind() != reflect.String || t.Failed() {
		return
	}
	if known := strings.Split(enum, ","); !slices.Contains(known, field.String()) {
		t.Add(badValue, unknown("value", field.String(), known))
	}
}

// unknown returns the message for an unknown word. It suggests a known one.
func unknown(what, word string, known []string) string {
	message := fmt.Sprintf("Unknown %s %q", what, jsonbody.StringOf(word).String())
	if name := jsonbody.Suggest(word, known); name != "" {
		return message + fmt.Sprintf(": did you mean %q?", name)
	}
	return message + ": known are " + strings.Join(known, ", ") + "."
}

// fieldsOf returns the fields of a struct by their keys.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(t) {
		if key := f.Tag.Get("json"); key != "" {
			fields[key] = f
		}
	}
	return fields
}

// keysOf returns the keys of a struct in the order of its fields.
func keysOf(t reflect.Type) []string {
	var keys []string
	for _, f := range reflect.VisibleFields(t) {
		if key := f.Tag.Get("json"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
