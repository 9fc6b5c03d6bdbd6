package dispatch

import (
	"bytes"
	"cmp"
	"sync"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// defaultDefinitions is the size of the cache of parsed definitions in bytes by default.
	defaultDefinitions = 64 << 20
	// parsedSize is roughly the ratio of the sizes of a parsed definition and its text.
	parsedSize = 6
)

// definitions caches parsed command definitions. When they exceed the budget, it starts again empty. It is safe for
// concurrent use.
type definitions struct {
	mu   sync.RWMutex
	byID map[snowflake.Command]parsedDefinition
	size int

	budget int // 0: defaultDefinitions
}

type parsedDefinition struct {
	doc        []byte
	definition command.Definition
}

// parse returns the definition of a command. It does not parse the same text again.
func (d *definitions) parse(c *command.Command) (command.Definition, error) {
	d.mu.RLock()
	cached, ok := d.byID[c.ID]
	d.mu.RUnlock()
	if ok && bytes.Equal(cached.doc, c.Doc) {
		return cached.definition, nil
	}
	definition, err := c.Definition()
	if err != nil {
		return definition, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.size += parsedSize * (len(c.Doc) - len(d.byID[c.ID].doc))
	if d.byID == nil || d.size > cmp.Or(d.budget, defaultDefinitions) {
		d.byID, d.size = map[snowflake.Command]parsedDefinition{}, parsedSize*len(c.Doc)
	}
	d.byID[c.ID] = parsedDefinition{c.Doc, definition}
	return definition, nil
}
