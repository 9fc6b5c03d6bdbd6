package oauth

import (
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// The ways to install an application, as events name them.
const (
	guildIntegration = 0
	userIntegration  = 1
)

// tellConsent tells an application what a user has chosen.
func (t *transaction) tellConsent(a *AuthorizationRequest, c Choice) error {
	switch {
	case a.InGuild():
		return t.tellAuthorized(a.App.ID, c.User, a.Scopes, new(guildIntegration), c.Guild)
	case a.Installs():
		return t.tellAuthorized(a.App.ID, c.User, a.Scopes, new(userIntegration), 0)
	}
	return t.tellAuthorized(a.App.ID, c.User, a.Scopes, nil, 0)
}

// tellAuthorized tells an application that a user has authorized it. The guild got the application, 0 for no guild.
func (t *transaction) tellAuthorized(
	id snowflake.Application, user snowflake.User, scopes []string, integration *int, guild snowflake.Guild,
) error {
	app, err := t.Directory.Application(id)
	if err != nil || !convert.WantsEvent(&app, wire.ApplicationAuthorized) {
		return err
	}
	u, err := t.Directory.User(user)
	if err != nil {
		return err
	}
	data := wire.AuthorizedEvent{IntegrationType: integration, User: convert.WireUser(&u), Scopes: scopes}
	if guild != 0 {
		g, err := t.Directory.Guild(guild)
		if err != nil {
			return err
		}
		roles, err := t.Directory.Roles(guild)
		if err != nil {
			return err
		}
		emojis, err := t.Directory.Emojis(guild)
		if err != nil {
			return err
		}
		shown := convert.WireGuild(g, roles, emojis, nil)
		data.Guild = &shown
	}
	return t.tell(&app, wire.ApplicationAuthorized, data)
}

// tellDeauthorized tells an application that its access to a user has ended.
func (t *transaction) tellDeauthorized(id snowflake.Application, user snowflake.User) error {
	app, err := t.Directory.Application(id)
	if err != nil || !convert.WantsEvent(&app, wire.ApplicationDeauthorized) {
		return err
	}
	u, err := t.Directory.User(user)
	if err != nil {
		return err
	}
	return t.tell(&app, wire.ApplicationDeauthorized, wire.DeauthorizedEvent{User: convert.WireUser(&u)})
}
