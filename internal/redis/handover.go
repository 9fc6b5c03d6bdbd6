package redis

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/go-json-experiment/json"
	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"
)

// Run answers other nodes that request sessions until ctx ends.
func (s *Sessions) Run(ctx context.Context) error {
	requests := make(chan peerMessage, maxRequests)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		for ctx.Err() == nil {
			if err := s.listen(ctx, requests); ctx.Err() == nil && !errors.Is(err, errNotConnected) {
				s.Client.log.WarnContext(ctx, "requests for sessions interrupted", "err", err)
			}
			clock.Wait(ctx, s.Client.clock, connectPoll)
		}
		return nil
	})
	for range handoverWorkers {
		g.Go(func() error {
			for {
				select {
				case m := <-requests:
					s.handOver(ctx, &m)
				case <-ctx.Done():
					return nil
				}
			}
		})
	}
	return g.Wait()
}

// inbox is the channel on which a node gets messages.
func (s *Sessions) inbox(node string) string { return s.Client.prefix + ":sessions:" + node }

// listen receives messages until the connection is lost. It must not block, because all messages between nodes come
// over one connection.
func (s *Sessions) listen(ctx context.Context, requests chan<- peerMessage) error {
	client, err := s.Client.conn()
	if err != nil {
		return err
	}
	return client.Receive(ctx, client.B().Subscribe().Channel(s.inbox(s.Node)).Build(), func(m rueidis.PubSubMessage) {
		var message peerMessage
		if err := json.Unmarshal([]byte(m.Message), &message); err != nil {
			return // from a node of another version
		}
		if message.Result != 0 {
			s.pending.resolve(&message)
			return
		}
		select {
		case requests <- message:
		default: // the other node's request times out
		}
	})
}

// send sends a message to another node.
func (s *Sessions) send(ctx context.Context, node string, m peerMessage) error {
	client, err := s.Client.conn()
	if err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return client.Do(ctx, client.B().Publish().Channel(s.inbox(node)).Message(rueidis.BinaryString(text)).Build()).Error()
}

// handOver hands a session over to the node that requests it.
func (s *Sessions) handOver(ctx context.Context, m *peerMessage) {
	ctx, cancel := context.WithTimeout(ctx, s.Client.callTime())
	defer cancel()
	result, body := s.HandOver(m.ID, m.Seq)
	err := error(nil)
	if result == session.HandedOver {
		err = s.storeHandover(ctx, m.ID, body)
	}
	if err == nil {
		err = s.send(ctx, m.From, peerMessage{From: s.Node, Nonce: m.Nonce, Result: result})
	}
	if err != nil { // the other node restores the session from its published state
		s.Client.log.WarnContext(ctx, "session not handed over", "err", err)
	}
}

// storeHandover stores a handover for the node that requested it.
func (s *Sessions) storeHandover(ctx context.Context, id string, body []byte) error {
	client, err := s.Client.conn()
	if err != nil {
		return err
	}
	return client.Do(ctx, client.B().Set().Key(s.Client.handoverKey(id)).Value(rueidis.BinaryString(body)).Px(handoverTTL).Build()).Error()
}

// fetchHandover takes a stored handover.
func (s *Sessions) fetchHandover(ctx context.Context, id string) ([]byte, error) {
	client, err := s.Client.conn()
	if err != nil {
		return nil, err
	}
	return client.Do(ctx, client.B().Getdel().Key(s.Client.handoverKey(id)).Build()).AsBytes()
}
