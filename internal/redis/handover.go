package redis

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/resume"
	"github.com/go-json-experiment/json"
	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"
)

// Run answers other nodes that ask for sessions until ctx ends.
func (s *Sessions) Run(ctx context.Context) error {
	questions := make(chan letter, maxWaiting)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		for ctx.Err() == nil {
			if err := s.listen(ctx, questions); ctx.Err() == nil && !errors.Is(err, errAway) {
				s.Client.log.WarnContext(ctx, "letters about sessions pause", "err", err)
			}
			clock.Wait(ctx, clock.System{}, look)
		}
		return nil
	})
	for range maxAsked {
		g.Go(func() error {
			for {
				select {
				case l := <-questions:
					s.hand(ctx, &l)
				case <-ctx.Done():
					return nil
				}
			}
		})
	}
	return g.Wait()
}

func (s *Sessions) topic(node string) string { return s.Client.prefix + ":letters:" + node }

// listen takes letters until the connection is lost. It never waits: messages between nodes come over the same connection.
func (s *Sessions) listen(ctx context.Context, questions chan<- letter) error {
	client, err := s.Client.reach()
	if err != nil {
		return err
	}
	return client.Receive(ctx, client.B().Subscribe().Channel(s.topic(s.Node)).Build(), func(m rueidis.PubSubMessage) {
		var l letter
		if err := json.Unmarshal([]byte(m.Message), &l); err != nil {
			return // of a version that speaks differently
		}
		if l.Answer != 0 {
			s.post.answer(&l)
			return
		}
		select {
		case questions <- l:
		default: // whoever asks does without an answer
		}
	})
}

func (s *Sessions) write(ctx context.Context, node string, l letter) error {
	client, err := s.Client.reach()
	if err != nil {
		return err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return client.Do(ctx, client.B().Publish().Channel(s.topic(node)).Message(rueidis.BinaryString(text)).Build()).Error()
}

// hand gives a session up to the node that asks for it.
func (s *Sessions) hand(ctx context.Context, l *letter) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	answer, body := s.Give(l.ID, l.Seq)
	err := error(nil)
	if answer == resume.Given {
		err = s.lay(ctx, l.ID, body)
	}
	if err == nil {
		err = s.write(ctx, l.From, letter{From: s.Node, Nonce: l.Nonce, Answer: answer})
	}
	if err != nil { // it goes on from what was kept last
		s.Client.log.WarnContext(ctx, "session not handed over", "err", err)
	}
}

// lay lays a session ready for the node that asked for it, and fetch takes it.
func (s *Sessions) lay(ctx context.Context, id string, body []byte) error {
	client, err := s.Client.reach()
	if err != nil {
		return err
	}
	return client.Do(ctx, client.B().Set().Key(s.Client.parcelKey(id)).Value(rueidis.BinaryString(body)).Px(parcelLife).Build()).Error()
}

func (s *Sessions) fetch(ctx context.Context, id string) ([]byte, error) {
	client, err := s.Client.reach()
	if err != nil {
		return nil, err
	}
	return client.Do(ctx, client.B().Getdel().Key(s.Client.parcelKey(id)).Build()).AsBytes()
}
