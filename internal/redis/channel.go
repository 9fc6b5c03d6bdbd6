package redis

import (
	"context"

	"github.com/redis/rueidis"
)

// Publish sends a message to the node of that name, or with an empty name to all.
func (c *Client) Publish(ctx context.Context, to string, message []byte) error {
	client, err := c.reach()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return client.Do(ctx, client.B().Publish().Channel(c.topic(to)).Message(rueidis.BinaryString(message)).Build()).Error()
}

// Listen calls hear for every message to a node or to all, until the connection is lost or ctx ends.
func (c *Client) Listen(ctx context.Context, name string, hear func(message []byte)) error {
	client, err := c.reach()
	if err != nil {
		return err
	}
	return client.Receive(ctx, client.B().Subscribe().Channel(c.topic(""), c.topic(name)).Build(), func(m rueidis.PubSubMessage) {
		hear([]byte(m.Message))
	})
}

func (c *Client) topic(to string) string { return c.prefix + ":node:" + to }
