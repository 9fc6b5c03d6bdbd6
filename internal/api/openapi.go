package api

import (
	"cmp"
	_ "embed"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
)

//go:embed schemas.yaml
var schemas []byte

// object is a JSON object of the description.
type object = map[string]any

// openAPI describes the routes in the format OpenAPI 3.0.
func openAPI(routes []Route, version string) ([]byte, error) {
	var shapes object
	if err := yaml.Unmarshal(schemas, &shapes); err != nil {
		return nil, fmt.Errorf("schemas: %w", err)
	}
	paths := object{}
	for i := range routes {
		r := &routes[i]
		path := r.Path
		if !r.Root {
			path = apiBases[0] + path
		}
		operations, ok := paths[path].(object)
		if !ok {
			operations = object{}
			if parameters := pathParameters(path); len(parameters) > 0 {
				operations["parameters"] = parameters
			}
			paths[path] = operations
		}
		operations[strings.ToLower(r.Method)] = r.operation()
	}
	addExamples(paths, shapes)
	return json.Marshal(object{
		"openapi": "3.0.3",
		"info": object{
			"title": "Bellhop", "version": version,
			"description": "Application commands and lobbies. The paths below " + apiBases[0] + " are also served below " +
				strings.Join(apiBases[1:], ", ") + ".",
			"license": object{"name": "Apache-2.0"},
		},
		"paths": paths,
		"components": object{
			"schemas": shapes, "responses": errorResponses(),
			"securitySchemes": object{
				"token": object{
					"type": "apiKey", "in": "header", "name": "Authorization",
					"description": "Bot <token>, Bearer <access token>, or a user token without a prefix.",
				},
			},
		},
	}, json.Deterministic(true))
}

func pathParameters(path string) []object {
	var list []object
	for segment := range strings.SplitSeq(path, "/") {
		name, ok := strings.CutPrefix(segment, "{")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "}")
		schema := reference("Snowflake")
		if !strings.HasSuffix(name, "_id") {
			schema = object{"type": "string"}
		}
		list = append(list, object{"name": name, "in": "path", "required": true, "schema": schema})
	}
	return list
}

func reference(schema string) object { return object{"$ref": "#/components/schemas/" + schema} }

// operation describes one route.
func (r *Route) operation() object {
	answers := object{"default": object{"description": "The error.", "content": content(cmp.Or(r.ErrorSchema, "Error"))}}
	for status, schema := range r.Answer {
		answer := object{"description": http.StatusText(status)}
		if schema != "" {
			answer["content"] = content(schema)
		}
		answers[strconv.Itoa(status)] = answer
	}
	r.addErrors(answers)
	o := object{"operationId": r.Name, "summary": r.Doc, "responses": answers, "tags": []string{r.tag()}}
	if r.Allow != Everyone {
		o["security"] = []object{{"token": []string{}}}
	}
	o["description"] = accessTexts[r.Allow]
	if r.Allow == Operators && r.Scope != AnyScope {
		o["description"] = "Needs an operator's token with the scope " + r.Scope + "."
	}
	if r.Body != "" {
		taken := jsonContent(r.Body)
		switch {
		case r.Body == "World":
			taken["application/yaml"] = taken[jsonType[0]]
		case r.Form:
			taken = object{"application/x-www-form-urlencoded": object{"schema": reference(r.Body)}}
		}
		if r.Files {
			taken["multipart/form-data"] = object{"schema": object{
				"type": "object", "description": "payload_json, and files[0], files[1] and so on.",
				"properties": object{
					"payload_json": reference(r.Body), "files[0]": object{"type": "string", "format": "binary"},
				},
			}}
		}
		o["requestBody"] = object{"content": taken}
	}
	var query []object
	for _, p := range r.Query {
		query = append(query, object{"name": p.Name, "in": "query", "description": p.Doc, "schema": object{"type": p.Kind}})
	}
	if r.Reason {
		query = append(query, object{
			"name": "X-Audit-Log-Reason", "in": "header", "schema": object{"type": "string"},
			"description": "The reason in the audit log of the guild, percent-encoded, up to 512 characters.",
		})
	}
	if len(query) > 0 {
		o["parameters"] = query
	}
	return o
}

// content describes a body by the name of its JSON schema, or by a name for other formats.
func content(schema string) object {
	text := object{"schema": object{"type": "string"}}
	switch schema {
	case "text":
		return object{"text/plain": text}
	case "binary":
		return object{"*/*": object{"schema": object{"type": "string", "format": "binary"}}}
	case "DevRequests", "Audit":
		return object{jsonType[0]: object{"schema": reference(schema)}, "text/event-stream": text}
	case "html":
		return object{"text/html": text}
	case "yaml":
		return object{"application/yaml": text}
	case "world":
		return object{"application/yaml": text, jsonType[0]: object{"schema": reference("World")}}
	case "page":
		return object{"text/html": text, jsonType[0]: object{"schema": reference("Error")}}
	default:
		return jsonContent(schema)
	}
}

func jsonContent(schema string) object {
	return object{jsonType[0]: object{"schema": reference(schema)}}
}
