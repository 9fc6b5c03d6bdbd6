package redis

import (
	"context"

	"github.com/redis/rueidis"
)

// Publish sends a message to every node that listens to a topic. The sender does not learn whether it arrived.
func (c *Client) Publish(ctx context.Context, topic string, message []byte) error {
	client, err := c.reach()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return client.Do(ctx, client.B().Publish().Channel(c.topic(topic)).Message(rueidis.BinaryString(message)).Build()).Error()
}

// Listen calls hear for every message on a topic until the connection is lost or ctx ends.
func (c *Client) Listen(ctx context.Context, topic string, hear func(message []byte)) error {
	client, err := c.reach()
	if err != nil {
		return err
	}
	return client.Receive(ctx, client.B().Subscribe().Channel(c.topic(topic)).Build(), func(m rueidis.PubSubMessage) {
		hear([]byte(m.Message))
	})
}

func (c *Client) topic(name string) string { return c.prefix + ":topic:" + name }
