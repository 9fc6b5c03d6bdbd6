package dispatch

import (
	"bytes"
	"sync"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// definitionBudget is how many bytes parsed definitions may take.
	definitionBudget = 64 << 20
	// parsedSize is how much larger a parsed definition is than its text, roughly.
	parsedSize = 6
)

// definitions keeps parsed definitions of commands. It starts over when they take too much memory. It is safe for
// concurrent use.
type definitions struct {
	mu   sync.RWMutex
	of   map[snowflake.Command]parsed
	size int
}

type parsed struct {
	doc        []byte // that was parsed
	definition command.Definition
}

// parse returns what an app says about a command. A text that was parsed before is not parsed again.
func (d *definitions) parse(c *command.Command) (command.Definition, error) {
	d.mu.RLock()
	known, ok := d.of[c.ID]
	d.mu.RUnlock()
	if ok && bytes.Equal(known.doc, c.Doc) {
		return known.definition, nil
	}
	definition, err := command.ParseDoc(c.Doc)
	if err != nil {
		return definition, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.size += parsedSize * (len(c.Doc) - len(d.of[c.ID].doc))
	if d.of == nil || d.size > definitionBudget {
		d.of, d.size = map[snowflake.Command]parsed{}, parsedSize*len(c.Doc)
	}
	d.of[c.ID] = parsed{c.Doc, definition}
	return definition, nil
}
