package command

import _ "embed" // for schema.json

// Schema is the JSON Schema of files of definitions, for editors. [Lint] checks more rules than a schema can express.
// The caller does not change it.
//
//go:embed schema.json
var Schema []byte
