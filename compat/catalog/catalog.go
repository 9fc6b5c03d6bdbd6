// Package catalog has the commands that every compat program registers, the expected results, and the expected errors of an
// invalid command. The Node programs read the same file.
package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed catalog.json
var file []byte

// Catalog has the commands that the programs register.
type Catalog struct {
	// Global and Guild are the complete command lists of the two scopes.
	Global []Command `json:"global"`
	Guild  []Command `json:"guild"`
	// Extra is created alone; Edited is the change that is then applied to it.
	Extra  Command `json:"extra"`
	Edited Edit    `json:"edited"`
	// Broken is an invalid command; Faults lists its errors.
	Broken Command `json:"broken"`
	Faults []Fault `json:"faults"`
}

// Edit is a partial change of a command.
type Edit struct {
	Description              string `json:"description"`
	DefaultMemberPermissions string `json:"default_member_permissions"`
}

// Apply returns c with the change applied.
func (e Edit) Apply(c Command) Command {
	c.Description = e.Description
	c.DefaultMemberPermissions = e.DefaultMemberPermissions
	return c
}

// Fault is one entry of the error tree, with its path joined by dots.
type Fault struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Under returns the faults with a prefix before their paths, as the service reports them for a definition in a list.
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
