package commandfile

import _ "embed" // of the schema

// Schema is the JSON Schema of files of definitions, for editors. The linter knows more rules than it can say.
//
//go:embed schema.json
var Schema []byte
