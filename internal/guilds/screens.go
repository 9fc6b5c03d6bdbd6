package guilds

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// WidgetSettings returns the settings of the widget of a guild. It is off.
func (s *Guilds) WidgetSettings(ctx context.Context, by directory.Viewer, id snowflake.Guild) (wire.WidgetSettings, error) {
	return wire.WidgetSettings{}, s.Directory.Guilds.Allow(ctx, id, by, permission.OpEditWidget)
}

// Widget returns the error for the widget of a guild: apierror.WidgetDisabled, or directory.ErrUnknownGuild.
func (s *Guilds) Widget(ctx context.Context, id snowflake.Guild) error {
	if _, err := s.Directory.Guilds.State(ctx, id); err != nil {
		return err
	}
	return apierror.WidgetDisabled
}

// VanityURL returns the vanity URL of a guild. It has none.
func (s *Guilds) VanityURL(ctx context.Context, by directory.Viewer, id snowflake.Guild) (wire.VanityURL, error) {
	return wire.VanityURL{}, s.Directory.Guilds.Allow(ctx, id, by, permission.OpReadVanityURL)
}

// WelcomeScreen returns the error for the welcome screen of a guild: apierror.UnknownWelcome to a member.
func (s *Guilds) WelcomeScreen(ctx context.Context, by directory.Viewer, id snowflake.Guild) error {
	if err := s.Directory.Guilds.Allow(ctx, id, by, permission.OpViewGuild); err != nil {
		return err
	}
	return apierror.UnknownWelcome
}

// Onboarding returns the onboarding of a guild. It is off.
func (s *Guilds) Onboarding(ctx context.Context, by directory.Viewer, id snowflake.Guild) (wire.Onboarding, error) {
	return wire.Onboarding{GuildID: id}, s.Directory.Guilds.Allow(ctx, id, by, permission.OpViewGuild)
}
