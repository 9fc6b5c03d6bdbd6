package redis

import (
	"context"

	"github.com/redis/rueidis"
)

// Publish sends a message to every node that listens to a topic. Delivery is not confirmed.
func (c *Client) Publish(ctx context.Context, topic string, message []byte) error {
	client, err := c.conn()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.callTime())
	defer cancel()
	return client.Do(ctx, client.B().Publish().Channel(c.topic(topic)).Message(rueidis.BinaryString(message)).Build()).Error()
}

// Listen calls handle for every message on a topic until the connection is lost or ctx ends.
func (c *Client) Listen(ctx context.Context, topic string, handle func(message []byte)) error {
	client, err := c.conn()
	if err != nil {
		return err
	}
	return client.Receive(ctx, client.B().Subscribe().Channel(c.topic(topic)).Build(), func(m rueidis.PubSubMessage) {
		handle([]byte(m.Message))
	})
}

func (c *Client) topic(name string) string { return c.prefix + ":topic:" + name }
