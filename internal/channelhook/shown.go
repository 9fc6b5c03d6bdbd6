package channelhook

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
)

// shown returns the API object of a webhook for a caller. The token is shown to its holder, to users, and to bots of the
// application that created the webhook.
func (s *Webhooks) shown(ctx context.Context, h *store.Webhook, by Caller) (wire.Webhook, error) {
	shown := wire.Webhook{ID: h.ID, Type: h.Type, GuildID: h.Guild, ChannelID: h.Channel, Name: h.Name, Avatar: wire.NullString(h.Avatar)}
	if h.Application != 0 {
		shown.ApplicationID = &h.Application
	}
	if h.Type == Incoming && (by.Token != "" || !by.Viewer.Bot || owns(by.Viewer, h)) {
		shown.Token = s.token(h)
		shown.URL = s.Secrets.Base() + "/api/webhooks/" + h.ID.String() + "/" + shown.Token
	}
	if by.Token == "" {
		u, err := s.Directory.Users.User(ctx, h.User)
		switch {
		case err == nil:
			user := convert.WireUser(u)
			shown.User = &user
		case !errors.Is(err, directory.ErrUnknownUser):
			return shown, err
		}
	}
	return shown, s.addSource(ctx, h, &shown)
}

// addSource adds the channel that a webhook follows, if it exists.
func (s *Webhooks) addSource(ctx context.Context, h *store.Webhook, shown *wire.Webhook) error {
	if h.SourceChannel == 0 {
		return nil
	}
	source, err := s.Directory.Channels.Channel(ctx, h.SourceChannel)
	if errors.Is(err, directory.ErrUnknownChannel) {
		return nil
	}
	if err != nil {
		return err
	}
	guild, err := s.Directory.Guilds.State(ctx, h.SourceGuild)
	if errors.Is(err, directory.ErrUnknownGuild) {
		return nil
	}
	if err != nil {
		return err
	}
	shown.SourceGuild = &wire.SourceGuild{ID: guild.ID, Name: guild.Name}
	shown.SourceChannel = &wire.SourceChannel{ID: source.ID, Name: source.Name}
	return nil
}
