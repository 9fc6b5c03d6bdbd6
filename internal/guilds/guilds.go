// Package guilds performs what bots and members do in guilds: it manages members, bans and roles, and reads the audit log of a guild. Each
// operation checks permissions and ranks, changes the records of package directory, and records the change in the audit log of the
// guild. The package does not know HTTP.
package guilds

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Guilds performs operations in guilds. It is safe for concurrent use. All fields are required.
type Guilds struct {
	Directory *directory.Directory
	Images    *images.Images
	Audit     *audit.Log
	Clock     clock.Clock
	IDs       interface{ Next() uint64 }
	// Voice knows who is in voice channels.
	Voice Voice
	// Activity knows when users were active last.
	Activity *Activity
	// Presence knows who is online now.
	Presence interface {
		Online(user snowflake.User) bool
	}
	// Tokens authenticates the access tokens of users who are added to guilds.
	Tokens *auth.Authenticator
	// Messages deletes the messages of banned users.
	Messages interface {
		DeleteOf(ctx context.Context, guild snowflake.Guild, authors []snowflake.User, since time.Time) error
	}
}

// Voice knows the voice states of members.
type Voice interface {
	// VoiceState returns the voice state of a member. It reports false for a member who is not in voice.
	VoiceState(guild snowflake.Guild, user snowflake.User) (wire.VoiceState, bool)
	// MoveVoice moves a member to another voice channel, or disconnects the member if the channel is 0. It announces the state also
	// if the channel stays the same. It does nothing for a member who is not in voice.
	MoveVoice(ctx context.Context, guild snowflake.Guild, user snowflake.User, channel snowflake.Channel) error
}

// manager is a member of a guild who changes it, in a decision.
type manager struct {
	*directory.GuildState

	tx   *directory.Tx
	user directory.Viewer
	by   permission.Member // user in the guild
	now  time.Time
}

// by returns a decision of a viewer that is a member of the guild. For other viewers its error is directory.ErrUnknownGuild,
// or a *directory.DeniedError.
func (s *Guilds) by(by directory.Viewer, guild snowflake.Guild, do func(*manager) error) func(*directory.Tx) error {
	return func(tx *directory.Tx) error {
		g := &manager{tx: tx, user: by, now: s.now()}
		state, member, err := tx.EnterGuild(guild, by, g.now, directory.ReadGuildRules)
		if err != nil {
			return err
		}
		if member == nil {
			return denied(permission.OpViewGuild, permission.Act{Operation: permission.OpViewGuild}.Decide())
		}
		g.GuildState, g.by = state, *member
		return do(g)
	}
}

// now returns the present time as records store it.
func (s *Guilds) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Millisecond) }

// denied returns the error of an outcome, nil if the operation is allowed.
func denied(op permission.Operation, out permission.Outcome) error {
	if out.Allowed {
		return nil
	}
	return &directory.DeniedError{Operation: op, Outcome: out}
}

// allow returns nil if the acting member has the permissions for an operation.
func (g *manager) allow(op permission.Operation) error {
	return denied(op, permission.Act{Operation: op, Member: &g.by}.Decide())
}

// target is a member on whom another member acts.
type target struct {
	store.Member

	rank permission.Member
	user *store.User
}

// target returns a member of the guild. For a user who is not a member the error is directory.ErrUnknownMember, for a user
// that does not exist directory.ErrUnknownUser.
func (g *manager) target(id snowflake.User) (*target, error) {
	user, err := directory.ReadUser(g.tx.Reader, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, directory.ErrUnknownUser
	}
	if err != nil {
		return nil, err
	}
	m, err := g.tx.Member(g.ID, id)
	if err != nil {
		return nil, err
	}
	return &target{Member: m, rank: g.Member(m, g.now), user: user}, nil
}

// record adds an entry to the audit log of the guild.
func (g *manager) record(op permission.Operation, about store.Subject, e audit.GuildEntry) {
	e.Guild, e.By, e.Operation, e.Subject = g.ID, g.user.User, op, about
	g.tx.RecordInGuild(e)
}
