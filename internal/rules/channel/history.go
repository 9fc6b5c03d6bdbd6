package channel

import (
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of pages.
const (
	MaxHistory       = 100 // messages
	DefaultHistory   = 50
	MaxPinPage       = 50
	MaxReactionPage  = 100 // users of a reaction, voters of a poll
	DefaultReactions = 25
	MinThreadPage    = 2
	MaxThreadPage    = 100
	DefaultThreads   = 50
)

// History is a page of messages: at most Limit, next to one of the other members. All of them 0 asks for the newest.
type History struct {
	Limit                 int
	Before, After, Around snowflake.Message
}

// Check reports a query with more than one of before, after and around.
func (h History) Check() error {
	var t jsonbody.Tree
	given := ""
	for _, c := range []struct {
		name string
		id   snowflake.Message
	}{{"around", h.Around}, {"before", h.Before}, {"after", h.After}} {
		if c.id == 0 {
			continue
		}
		if given != "" {
			t.At(c.name).Add(Exclusive, c.name+" cannot be used with "+given)
		}
		given = c.name
	}
	return t.Err()
}

// Split returns how many messages a page around a message has above it and, including the message itself, up to it.
func (h History) Split() (above, below int) { return h.Limit / 2, h.Limit - h.Limit/2 }
