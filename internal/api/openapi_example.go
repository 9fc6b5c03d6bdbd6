package api

import (
	"maps"
	"slices"
	"strings"
)

// exampleTexts are the values of strings in examples, by the name of the member.
var exampleTexts = map[string]string{
	"name": "roll", "description": "Roll dice", "username": "ada", "global_name": "Ada", "locale": "en-US", "content": "You rolled a 4.",
	"custom_id": "again", "label": "Roll again", "title": "Dice", "email": "ada@example.com", "reason": "cleanup", "in": "Lab/general", "as": "ada",
	"url": "https://example.com/", "timeout": "5s", "filename": "map.png", "content_type": "image/png", "secret": "a-secret-that-players-share", "user_code": "BCDFGHJK",
}

// examplePatterns are strings that match the patterns of the schemas.
var examplePatterns = map[string]string{
	"^(0|[1-9][0-9]*)$": "1100000000000000100", "^[0-9]+$": "0", "^[0-9a-f]{64}$": strings.Repeat("0123456789abcdef", 4),
	"^wss?://[^?]+/$": "wss://bellhop.example/gateway/",
}

// exampler makes examples from schemas. A test checks every example against its schema.
type exampler struct {
	schemas object
	open    []string // schemas that the value is inside of
}

// refName returns the name of the schema that a reference names, or "".
func refName(schema object) string {
	ref, _ := schema["$ref"].(string)
	return strings.TrimPrefix(ref, "#/components/schemas/")
}

// of returns an example of a schema. member is the name of the member that has the schema.
func (x *exampler) of(schema object, member string) any {
	if name := refName(schema); name != "" {
		x.open = append(x.open, name)
		defer func() { x.open = x.open[:len(x.open)-1] }()
		next, _ := x.schemas[name].(object)
		return x.of(next, member)
	}
	text, _ := schema["description"].(string)
	list, _ := schema["enum"].([]any)
	switch value, ok := schema["default"]; {
	case schema["example"] != nil:
		return schema["example"]
	case strings.HasSuffix(text, "Always null."):
		return nil
	case ok:
		return value
	case len(list) > 0:
		return list[0]
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if options, ok := schema[word].([]any); ok {
			first, _ := options[0].(object)
			return x.of(first, member)
		}
	}
	if parts, ok := schema["allOf"].([]any); ok {
		return x.all(parts, member)
	}
	return x.byType(schema, member)
}

// all returns an example of all schemas together.
func (x *exampler) all(parts []any, member string) any {
	var whole any
	for _, part := range parts {
		schema, _ := part.(object)
		value := x.of(schema, member)
		members, isObject := value.(object)
		if merged, ok := whole.(object); ok && isObject {
			maps.Copy(merged, members)
			continue
		}
		whole = value
	}
	return whole
}

func (x *exampler) byType(schema object, member string) any {
	switch schema["type"] {
	case "string":
		return exampleString(schema, member)
	case "integer", "number":
		if least, ok := schema["minimum"]; ok {
			return least
		}
		return 1
	case "boolean":
		return true
	case "array":
		items, _ := schema["items"].(object)
		if slices.Contains(x.open, refName(items)) || schema["maxItems"] == uint64(0) {
			return []any{}
		}
		return []any{x.of(items, member)}
	default:
		return x.object(schema)
	}
}

func exampleString(schema object, member string) string {
	if pattern, ok := schema["pattern"].(string); ok {
		return examplePatterns[pattern]
	}
	if schema["format"] == "date-time" || strings.HasSuffix(member, "_at") || member == "timestamp" {
		return "2026-01-02T15:04:05.000000+00:00"
	}
	if strings.HasSuffix(member, "_id") || member == "id" {
		return "1100000000000000100"
	}
	if text, ok := exampleTexts[member]; ok {
		return text
	}
	return "text"
}

// object returns an example of an object with all its members, except those that would contain the object itself.
func (x *exampler) object(schema object) object {
	example := object{}
	members, _ := schema["properties"].(object)
	for name, value := range members {
		s, _ := value.(object)
		items, _ := s["items"].(object)
		if slices.Contains(x.open, refName(s)) || slices.Contains(x.open, refName(items)) {
			continue
		}
		example[name] = x.of(s, name)
	}
	required, _ := schema["required"].([]any)
	for _, value := range required {
		if name, _ := value.(string); members[name] == nil {
			example[name] = exampleString(object{}, name)
		}
	}
	if more, ok := schema["additionalProperties"].(object); ok {
		example["key"] = x.of(more, "")
	}
	return example
}
