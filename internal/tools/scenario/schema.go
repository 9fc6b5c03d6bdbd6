package scenario

import (
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object.
type object = map[string]any

// schemaWriter is a type with a schema of its own. The schemas of other types follow from their kind and their tags.
type schemaWriter interface{ schema() any }

// Schema returns the JSON Schema of scenario files, for editors. Parse checks more rules than a schema can express.
func Schema() ([]byte, error) {
	s := structSchema[File]()
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Bellhop scenario file"
	text, err := json.Marshal(s, json.Deterministic(true), jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

func structSchema[T any]() object { return schemaOfStruct(reflect.TypeFor[T]()) }

func schemaOfStruct(t reflect.Type) object {
	properties, required := object{}, []any{}
	for _, key := range keysOf(t) {
		field := fieldsOf(t)[key]
		property, ok := schemaOf(field.Type).(object)
		if !ok {
			property = object{}
		}
		if enum := field.Tag.Get("enum"); enum != "" {
			property = object{"enum": anys(strings.Split(enum, ","))}
		}
		if help := field.Tag.Get("help"); help != "" {
			property["description"] = help
		}
		if field.Tag.Get("required") == "true" {
			required = append(required, key)
		}
		properties[key] = property
	}
	s := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func schemaOf(t reflect.Type) any {
	if t.Kind() == reflect.Pointer {
		return schemaOf(t.Elem())
	}
	if custom, ok := reflect.Zero(t).Interface().(schemaWriter); ok {
		return custom.schema()
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		return schemaOfStruct(t)
	default:
		panic("scenario: no schema for " + t.String())
	}
}

func anys(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}
