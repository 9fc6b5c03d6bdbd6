// Package channels creates, edits, moves and deletes the channels of guilds for their members and bots, and sets their permission
// overwrites. The records belong to package directory. Package threads has threads.
package channels

import (
	"context"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Config contains the dependencies of Channels. All fields are required.
type Config struct {
	Clock     clock.Clock
	IDs       interface{ Next() uint64 }
	Directory *directory.Directory
}

// Channels changes the channels of guilds. It is safe for concurrent use.
type Channels struct {
	Config
}

// New returns the service.
func New(c Config) *Channels { return &Channels{c} }

// limits are the parts of a guild that limit its channels. Every guild can have announcement channels, and none is boosted.
var limits = channel.Guild{News: true}

func (s *Channels) now() time.Time { return s.Clock.Now() }

func (s *Channels) newTag() snowflake.Tag { return snowflake.Tag(s.IDs.Next()) }

// enter returns a channel of a guild that is not a thread, if the viewer sees it.
func (s *Channels) enter(tx *directory.Tx, viewer directory.Viewer, id snowflake.Channel) (*directory.Place, error) {
	p, err := tx.Enter(id, viewer, s.now())
	if err != nil {
		return nil, err
	}
	switch err := p.Allow(permission.OpViewChannel, false); {
	case err != nil:
		return nil, err
	case p.Guild == nil:
		return nil, apierror.DirectChannel
	case p.IsThread():
		return nil, apierror.WrongChannelType
	}
	return p, nil
}

// allow returns nil if a member may perform an operation in the guild as a whole. member is nil if the caller is not in the guild.
func allow(op permission.Operation, member *permission.Member) error {
	if out := (permission.Act{Operation: op, Member: member}).Decide(); !out.Allowed {
		return &directory.DeniedError{Operation: op, Outcome: out}
	}
	return nil
}

// shown returns the API object of a changed channel.
func (s *Channels) shown(tx *directory.Tx, c store.Channel) (wire.Channel, error) {
	has, err := tx.Messages.OfChannels(c.ID)
	return convert.WireChannel(c, has[c.ID]), err
}

// checkParent checks the category of a channel. channels are those of the guild.
func checkParent(channels []store.Channel, id, parent snowflake.Channel) error {
	if parent == 0 {
		return nil
	}
	kind, children := channel.Type(-1), 0
	for i := range channels {
		switch c := &channels[i]; {
		case c.ID == parent:
			kind = channel.Type(c.Type)
		case c.Parent == parent && c.ID != id && !world.IsThread(c.Type):
			children++
		}
	}
	return channel.CheckParent(kind, children)
}

// find returns a channel of a list.
func find(channels []store.Channel, id snowflake.Channel) (store.Channel, bool) {
	i := slices.IndexFunc(channels, func(c store.Channel) bool { return c.ID == id })
	if i < 0 {
		return store.Channel{}, false
	}
	return channels[i], true
}

// Delete deletes a channel of a guild with its threads, webhooks, invites and messages. It returns the channel.
func (s *Channels) Delete(ctx context.Context, viewer directory.Viewer, id snowflake.Channel) (deleted wire.Channel, err error) {
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		p, err := s.enter(tx, viewer, id)
		if err != nil {
			return err
		}
		if err := p.Allow(permission.OpDeleteChannel, false); err != nil {
			return err
		}
		if g := p.Guild; slices.Contains(g.Features, guild.Community) && (g.RulesChannel == id || g.UpdatesChannel == id) {
			return apierror.CommunityChannel
		}
		if deleted, err = s.shown(tx, *p.Channel); err != nil {
			return err
		}
		recorder{tx, p.Guild, viewer.User}.record(permission.OpDeleteChannel, p.Channel, nil)
		return tx.DeleteChannel(*p.Channel)
	})
	return deleted, err
}
