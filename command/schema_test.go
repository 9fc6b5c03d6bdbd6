package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(command.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("commands.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("commands.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchema checks that the schema and the linter accept the same good files and refuse the same bad files.
func TestSchema(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	for _, kind := range []string{"good", "bad"} {
		files, err := filepath.Glob("testdata/" + kind + "/*")
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		for _, name := range files {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				text, err := yaml.YAMLToJSON(data)
				if err != nil {
					t.Fatal(err)
				}
				value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(value); (err == nil) != (kind == "good") {
					t.Errorf("the schema says %v", err)
				}
				file, syntax := command.ParseFile(name, data)
				if syntax != nil {
					t.Fatal(syntax)
				}
				if findings := file.Lint(anyApp); (len(findings) == 0) != (kind == "good") {
					t.Errorf("the linter says %v", findings)
				}
			})
		}
	}
}
