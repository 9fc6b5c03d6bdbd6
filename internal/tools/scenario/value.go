package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/world"
)

// Duration is a time span such as "90s".
type Duration time.Duration

func (d *Duration) read(t *jsonbody.Tree, v jsonbody.Value) {
	if !v.IsSet() {
		return
	}
	parsed, err := time.ParseDuration(v.Text())
	if v.Kind() != jsonbody.String || err != nil || parsed <= 0 {
		t.Add(badValue, fmt.Sprintf("%q is not a duration: expected a text such as 500ms, 90s or 16m.", v.String()))
		return
	}
	*d = Duration(parsed)
}

func (Duration) schema() any {
	return object{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`}
}

// Value is any JSON value.
type Value struct{ jsonbody.Value }

func (x *Value) read(_ *jsonbody.Tree, v jsonbody.Value) { x.Value = v }

func (Value) schema() any { return true }

// MarshalJSON returns the value as it was written.
func (x Value) MarshalJSON() ([]byte, error) { return wire.AppendValue(nil, x.Value), nil }

// WorldSource is a world, or the name of its file.
type WorldSource struct {
	file   string
	inline jsonbody.Value
}

func (w *WorldSource) read(t *jsonbody.Tree, v jsonbody.Value) {
	switch v.Kind() {
	case jsonbody.Absent, jsonbody.Null:
	case jsonbody.String:
		w.file = v.Text()
	case jsonbody.Object:
		w.inline = v
		if _, err := world.Read[world.World](v); err != nil {
			copyFindings(t, err)
		}
	default:
		t.Add(badValue, "Must be the name of a world file, or a world.")
	}
}

func (WorldSource) schema() any {
	return object{"anyOf": []any{object{"type": "string"}, object{"type": "object"}}}
}

// open returns the world. The name of a file is relative to folder.
func (w WorldSource) open(folder string) (world.World, error) {
	switch {
	case w.inline.IsSet():
		return world.Read[world.World](w.inline)
	case w.file == "":
		return world.Demo(), nil
	}
	path := w.file
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return world.World{}, err
	}
	return world.Parse(path, data)
}

func (a *App) read(t *jsonbody.Tree, v jsonbody.Value) {
	type plain App // without the method read
	if v.Kind() == jsonbody.String {
		v = jsonbody.ObjectOf(jsonbody.Member{Name: "builtin", Value: v})
	}
	readValue(t, v, (*plain)(a))
}

func (App) schema() any {
	type plain App
	return object{"anyOf": []any{object{"const": "guesthouse"}, structSchema[plain]()}}
}

// Ready says when an app is ready.
type Ready struct {
	state  string // online or endpoint; empty: either
	stdout *regexp.Regexp
}

func (r *Ready) read(t *jsonbody.Tree, v jsonbody.Value) {
	switch v.Kind() {
	case jsonbody.Absent, jsonbody.Null:
	case jsonbody.String:
		if r.state = v.Text(); r.state != "online" && r.state != "endpoint" {
			t.Add(badValue, unknown("value", r.state, []string{"online", "endpoint"}))
		}
	default:
		var pattern struct {
			Stdout Pattern `json:"stdout" required:"true"`
		}
		readValue(t, v, &pattern)
		r.stdout = pattern.Stdout.Regexp
	}
}

func (Ready) schema() any {
	return object{"anyOf": []any{
		object{"enum": []any{"online", "endpoint"}},
		object{"type": "object", "additionalProperties": false, "required": []any{"stdout"}, "properties": object{
			"stdout": object{"type": "string", "format": "regex", "description": "A line that the app prints when it is ready."},
		}},
	}}
}

// Pattern is a regular expression.
type Pattern struct{ *regexp.Regexp }

func (p *Pattern) read(t *jsonbody.Tree, v jsonbody.Value) {
	text, ok := jsonbody.AsString(t, v)
	if !ok {
		return
	}
	var err error
	if p.Regexp, err = regexp.Compile(text); err != nil {
		t.Add(badValue, "Is not a regular expression: "+err.Error()+".")
	}
}

// Attachment is a file that a user sends: its path, or its name and text.
type Attachment struct {
	path string
	name string
	text string
}

func (a *Attachment) read(t *jsonbody.Tree, v jsonbody.Value) {
	if v.Kind() == jsonbody.String {
		a.path, a.name = v.Text(), filepath.Base(v.Text())
		return
	}
	var inline struct {
		Name string `json:"name" required:"true"`
		Text string `json:"text" required:"true"`
	}
	readValue(t, v, &inline)
	a.name, a.text = inline.Name, inline.Text
}

func (Attachment) schema() any {
	return object{"anyOf": []any{
		object{"type": "string", "description": "A file, relative to the scenario file."},
		object{"type": "object", "additionalProperties": false, "required": []any{"name", "text"}, "properties": object{
			"name": object{"type": "string"}, "text": object{"type": "string"},
		}},
	}}
}

// Fault is the body of POST /_dev/faults, or none.
type Fault struct {
	body  jsonbody.Value
	clear bool
}

func (f *Fault) read(t *jsonbody.Tree, v jsonbody.Value) {
	switch {
	case !v.IsSet():
	case v.Kind() == jsonbody.String && v.Text() == "none":
		f.clear = true
	case v.Kind() == jsonbody.Object:
		f.body = v
	default:
		t.Add(badValue, "Must be a fault, as POST /_dev/faults takes it, or none.")
	}
}

func (Fault) schema() any {
	return object{"anyOf": []any{object{"const": "none"}, object{"type": "object"}}}
}

func (r *rawStep) read(t *jsonbody.Tree, v jsonbody.Value) {
	r.value = v
	readValue(t, v, &r.Step)
}

func (rawStep) schema() any { return structSchema[Step]() }
