package cache

import (
	"errors"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ChannelMessages is the state of the messages of a channel.
type ChannelMessages struct {
	store.ChannelMessages

	// Newest is the JSON of the newest messages, after it was rendered once.
	Newest atomic.Pointer[Memo[[]byte]]
}

// NewChannelMessages returns the kind that reads what is known about the messages of channels.
func NewChannelMessages(c *Cache) Kind[snowflake.Channel, ChannelMessages] {
	return Kind[snowflake.Channel, ChannelMessages]{
		Cache: c, Subject: store.MessagesSubject,
		Read: func(r store.Reader, id snowflake.Channel) (*ChannelMessages, error) {
			known, err := r.Messages.Channel(id)
			if errors.Is(err, store.ErrNotFound) {
				known, err = store.ChannelMessages{Channel: id}, nil
			}
			return &ChannelMessages{ChannelMessages: known}, err
		},
		Size: func(*ChannelMessages) int { return 128 },
	}
}
