package polls

import (
	"context"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// sweepConcurrency is the number of due polls that are decided at the same time.
const sweepConcurrency = 16

// committed tells the sweeper of the polls that a change opens.
func (s *Polls) committed(c *store.Change) {
	for _, r := range c.Put {
		if p, ok := r.(store.OpenPoll); ok {
			s.Due(p.Due)
		}
	}
}

// expire ends the poll of a message that is due.
func (s *Polls) expire(ctx context.Context, id snowflake.Message) error {
	found, err := s.Messages.Find(ctx, id)
	if err != nil || found == nil {
		return err
	}
	var done [2]messages.Announcement
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		done = [2]messages.Announcement{}
		m, err := s.Messages.Load(ctx, found.Channel, id)
		if err != nil || m == nil || m.Poll == nil || m.Poll.Ended || m.Poll.Ends.After(s.Clock.Now()) {
			return c, err
		}
		done, err = s.Messages.PutResult(ctx, &c, *m)
		return c, err
	})
	if err == nil {
		s.announced(ctx, done)
	}
	return err
}
