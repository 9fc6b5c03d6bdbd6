package messages_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
)

// slowStore answers changes of the channel 310 only when told to.
type slowStore struct {
	store.Store

	committed chan struct{} // gets one element for each change that is not answered yet; nil: answer at once
	answer    chan struct{} // closed to answer all
}

func (s *slowStore) Commit(ctx context.Context, c store.Change) error {
	err := s.Store.Commit(ctx, c)
	if s.committed != nil {
		s.committed <- struct{}{}
		<-s.answer
	}
	return err
}

// TestNewMessagesShareCommits creates messages in a channel while the store answers no commit: none waits for the one before.
func TestNewMessagesShareCommits(t *testing.T) {
	t.Parallel()
	const count = 3
	slow := &slowStore{Store: lab.OpenStore(t)}
	s := openLabOver(t, slow)
	slow.committed, slow.answer = make(chan struct{}, count), make(chan struct{})
	var saying sync.WaitGroup
	defer saying.Wait()
	defer close(slow.answer)
	for range count {
		saying.Go(func() { s.say(t, ada, 310, `{"content":"hi"}`) })
	}
	for i := range count {
		select {
		case <-slow.committed:
		case <-time.After(20 * time.Second):
			t.Fatalf("waited 20s for %d messages at once, saw %d", count, i)
		}
	}
}

// TestNewMessagesBesideReactions creates messages while users react to an older one. A reaction changes the row of its message, so
// no reaction may build on one that is not committed.
func TestNewMessagesBesideReactions(t *testing.T) {
	t.Parallel()
	const count = 20
	s := openLab(t)
	id := s.say(t, ada, 310, `{"content":"react to this"}`)
	var acting sync.WaitGroup
	for i := range count {
		acting.Go(func() { s.say(t, bob, 310, `{"content":"hi"}`) })
		acting.Go(func() {
			at := messages.ReactionPath{Channel: 310, Message: id, Emoji: fmt.Sprintf("e:%d", 100+i)}
			if err := s.React(t.Context(), echo, at); err != nil {
				t.Errorf("React() = %v", err)
			}
		})
	}
	acting.Wait()
	if got := len(s.find(t, id).Reactions); got != count {
		t.Errorf("%d kinds of reactions, want %d", got, count)
	}
	var known store.ChannelMessages
	err := s.Cache.Store().Read(t.Context(), func(r store.Reader) (err error) {
		known, err = r.Messages.Channel(310)
		return err
	})
	if err != nil || known.Count != count+1 {
		t.Errorf("the channel has %d messages, %v, want %d", known.Count, err, count+1)
	}
}
