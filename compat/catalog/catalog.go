// Package catalog holds the commands that every compat program registers, what is to be seen of them afterwards, and what
// is wrong with the broken one. The programs in Node read the same file.
package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed catalog.json
var file []byte

// Catalog is what the programs register.
type Catalog struct {
	// Global and Guild are whole lists for the two scopes.
	Global []Command `json:"global"`
	Guild  []Command `json:"guild"`
	// Extra is created on its own; Edited is what of it is changed then.
	Extra  Command `json:"extra"`
	Edited Edit    `json:"edited"`
	// Broken breaks the rules that Faults lists.
	Broken Command `json:"broken"`
	Faults []Fault `json:"faults"`
}

// Edit is a partial change of a command.
type Edit struct {
	Description              string `json:"description"`
	DefaultMemberPermissions string `json:"default_member_permissions"`
}

// Apply returns c with the change made.
func (e Edit) Apply(c Command) Command {
	c.Description = e.Description
	c.DefaultMemberPermissions = e.DefaultMemberPermissions
	return c
}

// Fault is one entry of the tree of errors, with its path joined by dots.
type Fault struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Under returns the faults with a longer path, as they are reported for a definition inside a list.
func Under(prefix string, faults []Fault) []Fault {
	moved := make([]Fault, len(faults))
	for i, f := range faults {
		f.Path = prefix + "." + f.Path
		moved[i] = f
	}
	return moved
}

// Load returns the catalog.
func Load() (Catalog, error) {
	var c Catalog
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Catalog{}, fmt.Errorf("catalog.json: %w", err)
	}
	return c, nil
}
