package cache

import (
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ChannelMessages returns the kind that reads what is known about the messages of channels.
func ChannelMessages(c *Cache) Kind[snowflake.Channel, store.ChannelMessages] {
	return Kind[snowflake.Channel, store.ChannelMessages]{
		Cache: c, Subject: store.MessagesSubject,
		Read: func(r store.Reader, id snowflake.Channel) (*store.ChannelMessages, error) {
			known, err := r.Messages.Channel(id)
			if errors.Is(err, store.ErrNotFound) {
				known, err = store.ChannelMessages{Channel: id}, nil
			}
			return &known, err
		},
		Size: func(*store.ChannelMessages) int { return 96 },
	}
}
