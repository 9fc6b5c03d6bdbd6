// Package directory keeps people, places and apps: it applies world files, changes single records under the same rules,
// and answers who and what exists, from memory where every request asks. It knows nothing of HTTP.
package directory

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// What the directory does not have, or does not do. What is wrong with a record is a *problem.Tree.
var (
	ErrUnknownUser        = errors.New("unknown user")
	ErrUnknownApplication = errors.New("unknown application")
	ErrUnknownGuild       = errors.New("unknown guild")
	ErrUnknownRole        = errors.New("unknown role")
	ErrUnknownChannel     = errors.New("unknown channel")
	ErrUnknownMember      = errors.New("unknown member")
	ErrNotInstalled       = errors.New("application is not installed there")
	// ErrOwner says that the owner of a guild or an application cannot go before it has another owner.
	ErrOwner = errors.New("user is an owner")
)

// Directory keeps people, places and apps. It is safe for concurrent use. A write is on disk and seen by every later read
// when it returns.
type Directory struct {
	Store store.Store
	Cache *cache.Cache // of Store
	Clock clock.Clock
	IDs   interface{ Next() uint64 } // of roles that come with bots, and of direct-message channels

	// The fields below may be nil.

	// OnActivities is called within the decision that switches an application's activities on or off, after everything
	// else in it is written.
	OnActivities func(tx *store.Tx, app store.Application) error
	// Describe makes events of the changes of a decision; see package announce. r sees the records as the decision leaves
	// them.
	Describe func(r store.Reader, changes []Change) ([]store.Event, error)
	// Dependents remove what belongs to something that was deleted, one after the other.
	Dependents []Dependent
	// Log is told of removals that failed. Run tries them again.
	Log *slog.Logger

	once   sync.Once
	states states
}

// Dependent removes what belongs to a deleted user, application, guild or channel, in small changes. Its methods are called
// after the deletion is committed, and again after a restart when they had not finished. They return when nothing is left.
type Dependent interface {
	UserDeleted(ctx context.Context, id snowflake.User) error
	ApplicationDeleted(ctx context.Context, id snowflake.Application) error
	// GuildDeleted is called before ChannelDeleted for each of the guild's channels.
	GuildDeleted(ctx context.Context, id snowflake.Guild) error
	// ChannelDeleted gets at least the id and the guild of the channel, and the recipients of a direct-message channel.
	ChannelDeleted(ctx context.Context, c store.Channel) error
}
