package store

import (
	"context"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// ClaimTime is the duration of a claim, by the clock of the server. It bounds how long the work of a node that dies waits.
const ClaimTime = 5 * time.Second

// Work is a kind of work that falls due. An item of work has an id.
type Work int64

// The kinds of work. The numbers are stored.
const (
	InteractionWork      Work = 1  // an interaction that is due
	LobbyWork            Work = 2  // a lobby that is due
	InteractionCleanWork Work = 3  // old interactions and messages; its id is 0, as for all work on old records
	LobbyCleanWork       Work = 4  // old messages and invites of lobbies
	GrantCleanWork       Work = 5  // expired tokens and grants
	AuditCleanWork       Work = 6  // old entries of the audit log
	FileCleanWork        Work = 7  // files that no message refers to, in a folder that nodes share
	ThreadWork           Work = 8  // a thread that is due
	PollWork             Work = 9  // a poll that is due
	CrosspostWork        Work = 10 // a published message whose copies have to change
	MessageCleanWork     Work = 11 // a channel with too many messages
	AuditSealWork        Work = 12 // entries of the audit log that are not in its chain
	OutboxWork           Work = 20 // a delivery to another program
	OutboxCleanWork      Work = 21 // deliveries that are too old
	TransferWork         Work = 30 // users whose lobbies other users take over
	ScheduledEventWork   Work = 40 // a scheduled event that starts or ends
	SubscriptionWork     Work = 55 // a subscription that is renewed or ends
	removalWork          Work = 100
)

// Work returns the kind of work of a removal. The id of the tombstone is that of the item.
func (t Tombstone) Work() Work { return removalWork + Work(t.Kind) }

// Claimer is a Store that several processes share. Claims keep two processes from doing the same work. They are no locks: a
// claim may end before the work does, and the commit decides.
type Claimer interface {
	// Claim claims items of work for ClaimTime and returns those that no other process has claimed.
	Claim(ctx context.Context, w Work, ids []uint64) ([]uint64, error)
	// Release ends claims of this process.
	Release(ctx context.Context, w Work, ids []uint64) error
}

// Exclusively calls fn unless another process does the item of work now. It keeps the claim while fn runs.
func Exclusively(ctx context.Context, s Store, w Work, id uint64, fn func(context.Context) error) error {
	c, shared := s.(Claimer)
	if !shared {
		return fn(ctx)
	}
	ids := []uint64{id}
	if granted, err := c.Claim(ctx, w, ids); err != nil || len(granted) == 0 {
		return err
	}
	defer func() { _ = c.Release(context.WithoutCancel(ctx), w, ids) }() // if it fails, the claim ends after ClaimTime
	keeping, stop := context.WithCancel(ctx)
	var keeper sync.WaitGroup
	defer keeper.Wait() // before the release, so that the claim is not made again
	defer stop()
	keeper.Go(func() {
		for clock.Pause(keeping, ClaimTime/3); keeping.Err() == nil; clock.Pause(keeping, ClaimTime/3) {
			_, _ = c.Claim(keeping, w, ids) // the next call tries again
		}
	})
	return fn(ctx)
}
