package directory

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Place is a channel in which a viewer acts.
type Place struct {
	Viewer  Viewer
	Channel *store.Channel
	Guild   *GuildState       // nil in direct messages
	Member  permission.Member // the viewer in the guild; the zero Member if the viewer is not in the guild
	// Joined means that the viewer is a member of the thread. Permissions depend on it only in private threads.
	Joined bool

	inside bool // the viewer is a member of the guild, or a participant of the direct message
	at     permission.Channel
}

// Enter returns a channel as the place in which a viewer acts. It returns ErrUnknownChannel when the channel does not exist.
// It does not decide whether the viewer sees the channel: Decide does.
func (c *Channels) Enter(ctx context.Context, id snowflake.Channel, viewer Viewer) (*Place, error) {
	found, err := c.Channel(ctx, id)
	if err != nil {
		return nil, err
	}
	p := &Place{Viewer: viewer, Channel: found}
	if found.Guild == 0 {
		p.inside = slices.Contains(found.Recipients, viewer.User)
		return p, nil
	}
	guilds := Guilds{c.shared}
	if p.Guild, err = guilds.State(ctx, found.Guild); err != nil {
		return nil, unknown(err, ErrUnknownChannel)
	}
	p.at = p.Guild.at(found)
	m, err := guilds.Member(ctx, found.Guild, viewer.User)
	switch {
	case err == nil:
		p.inside, p.Member = true, p.Guild.Member(m, c.clock.Now())
	case !errors.Is(err, ErrUnknownMember):
		return nil, err
	}
	if p.IsThread() {
		members, err := c.ThreadMembers(ctx, id)
		if err != nil {
			return nil, err
		}
		p.Joined = members.Has(viewer.User)
	}
	return p, nil
}

// Enter is Channels.Enter in a transaction at the time now, for a channel that is not a thread.
func (tx *Tx) Enter(id snowflake.Channel, viewer Viewer, now time.Time) (*Place, error) {
	found, err := tx.Directory.Channel(id)
	if err != nil {
		return nil, unknown(err, ErrUnknownChannel)
	}
	p := &Place{Viewer: viewer, Channel: &found}
	if found.Guild == 0 {
		p.inside = slices.Contains(found.Recipients, viewer.User)
		return p, nil
	}
	guild, member, err := tx.EnterGuild(found.Guild, viewer, now, ReadGuildState)
	if errors.Is(err, ErrUnknownGuild) {
		return nil, ErrUnknownChannel
	}
	if err != nil {
		return nil, err
	}
	p.Guild, p.at = guild, guild.at(&found)
	if member != nil {
		p.inside, p.Member = true, *member
	}
	return p, nil
}

// EnterGuild returns a guild and the viewer as its member, in a transaction at the time now. read is ReadGuildState, or
// ReadGuildRules for a decision that needs no channels. The member is nil if the viewer is not in the guild.
func (tx *Tx) EnterGuild(
	guild snowflake.Guild, viewer Viewer, now time.Time, read func(store.Reader, snowflake.Guild) (*GuildState, error),
) (*GuildState, *permission.Member, error) {
	s, err := read(tx.Reader, guild)
	if err != nil {
		return nil, nil, unknown(err, ErrUnknownGuild)
	}
	m, err := tx.Member(guild, viewer.User)
	if errors.Is(err, ErrUnknownMember) {
		return s, nil, nil
	}
	return s, new(s.Member(m, now)), err
}

// Member returns a member of a guild without the roles that are being deleted.
func (tx *Tx) Member(guild snowflake.Guild, user snowflake.User) (store.Member, error) {
	m, err := tx.Directory.Member(guild, user)
	if err != nil {
		return m, unknown(err, ErrUnknownMember)
	}
	gone, err := tx.tombstones()
	return gone.WithoutRoles(m), err
}

// EnterAsWebhook returns a channel as the place in which a webhook writes. The webhook has the permissions of the bot whose
// application created it. If a user created it, app is 0, and it has those of @everyone.
func (c *Channels) EnterAsWebhook(ctx context.Context, id snowflake.Channel, app snowflake.Application) (*Place, error) {
	p, err := c.Enter(ctx, id, Viewer{User: snowflake.User(app), Bot: true})
	if err == nil && app == 0 && p.Guild != nil {
		p.inside, p.Member = true, p.Guild.Rules.Member(0, nil)
	}
	return p, err
}

// at returns a channel of the guild for permission decisions. The state does not contain archived threads; they have the
// overwrites of their parent.
func (s *GuildState) at(c *store.Channel) permission.Channel {
	if known := s.Channel(c.ID); known != nil {
		return known.Channel
	}
	thread := guildChannels([]store.Channel{*c})[0].Channel
	if parent := s.Channel(c.Parent); parent != nil {
		thread.Parent, thread.Overwrites, thread.NSFW = c.Parent, parent.Overwrites, parent.NSFW
	}
	return thread
}

// Decide decides whether the viewer may perform an operation here. own means that the viewer created the object of the
// operation.
func (p *Place) Decide(op permission.Operation, own bool) permission.Outcome {
	act := permission.Act{Operation: op, Own: own, Channel: p.at, Joined: p.Joined}
	switch {
	case p.Guild == nil:
		act.Direct = p.inside
	case p.inside:
		act.Member = &p.Member
	}
	return act.Decide()
}

// Allow returns nil if the viewer may perform an operation here: see Decide. Otherwise the error is a *DeniedError.
func (p *Place) Allow(op permission.Operation, own bool) error {
	if out := p.Decide(op, own); !out.Allowed {
		return &DeniedError{op, out}
	}
	return nil
}

// AllowOverwrite returns nil if the viewer may perform an operation on an overwrite of the channel that changes some permissions.
// Otherwise the error is a *DeniedError.
func (p *Place) AllowOverwrite(op permission.Operation, changed permission.Bits) error {
	if err := p.Allow(op, false); err != nil {
		return err
	}
	if out := p.Member.MayOverwrite(p.at, changed, 0); !out.Allowed {
		return &DeniedError{op, out}
	}
	return nil
}

// Allow returns nil if a viewer may perform an operation in a guild as a whole. Otherwise the error is a *DeniedError, or
// ErrUnknownGuild.
func (g *Guilds) Allow(ctx context.Context, guild snowflake.Guild, viewer Viewer, op permission.Operation) error {
	s, err := g.State(ctx, guild)
	if err != nil {
		return err
	}
	act := permission.Act{Operation: op}
	m, err := g.Member(ctx, guild, viewer.User)
	switch {
	case err == nil:
		act.Member = new(s.Member(m, g.clock.Now()))
	case !errors.Is(err, ErrUnknownMember):
		return err
	}
	if out := act.Decide(); !out.Allowed {
		return &DeniedError{op, out}
	}
	return nil
}

// DeniedError says that a viewer may not perform an operation, and why.
type DeniedError struct {
	Operation permission.Operation
	Outcome   permission.Outcome
}

// Error returns the operation and the reason.
func (e *DeniedError) Error() string { return e.Operation.String() + ": " + e.Outcome.Explain() }

// Unwrap returns the error of the API.
func (e *DeniedError) Unwrap() error { return apierror.Denied(e.Outcome.Code) }

// Bits returns the permissions of the viewer here.
func (p *Place) Bits() permission.Bits {
	switch {
	case !p.inside:
		return 0
	case p.Guild == nil:
		return permission.InDirectMessages
	}
	return p.Member.InThread(p.at, p.Joined)
}

// IsThread reports whether the place is a thread.
func (p *Place) IsThread() bool { return world.IsThread(p.Channel.Type) }

// AllowState returns nil if the state of the thread lets the viewer act. Other places have no state. The error is an
// *apierror.Error.
func (p *Place) AllowState(act channel.ThreadAct) error {
	if !p.IsThread() {
		return nil
	}
	s := channel.ThreadState{Archived: p.Channel.Archived}
	if t := p.Channel.Thread; t != nil {
		s.Locked = t.Locked
	}
	return s.Check(act, p.Bits().Has(permission.ManageThreads))
}
