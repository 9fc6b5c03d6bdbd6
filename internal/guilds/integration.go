package guilds

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// maxIntegrations is the largest number of integrations in a list.
const maxIntegrations = 50

// Integrations returns the first integrations of a guild, ordered by id: the applications that are installed there.
func (s *Guilds) Integrations(ctx context.Context, by directory.Viewer, id snowflake.Guild) ([]wire.Integration, error) {
	if err := s.Directory.Guilds.Allow(ctx, id, by, permission.OpListIntegrations); err != nil {
		return nil, err
	}
	installs, err := s.Directory.Guilds.Installs(ctx, id)
	if err != nil {
		return nil, err
	}
	list := []wire.Integration{}
	err = s.Directory.Read(ctx, func(r store.Reader) error {
		for _, in := range installs[:min(len(installs), maxIntegrations)] {
			shown, err := readIntegration(r, in)
			if errors.Is(err, store.ErrNotFound) { // the application was deleted
				continue
			}
			if err != nil {
				return err
			}
			list = append(list, shown)
		}
		return nil
	})
	return list, err
}

func readIntegration(r store.Reader, in store.Install) (shown wire.Integration, err error) {
	app, err := r.Directory.Application(in.Application)
	if err != nil {
		return shown, err
	}
	bot, err := directory.ReadUser(r, snowflake.User(in.Application))
	if err != nil {
		return shown, err
	}
	return convert.WireIntegration(&app, in, bot), nil
}

// DeleteIntegration removes an application and its bot from a guild. For an application that is not installed the error is
// directory.ErrNotInstalled.
func (s *Guilds) DeleteIntegration(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, integration snowflake.Application,
) error {
	const op = permission.OpDeleteIntegration
	return s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		if _, err := g.tx.Directory.GuildInstall(id, integration); errors.Is(err, store.ErrNotFound) {
			return directory.ErrNotInstalled
		} else if err != nil {
			return err
		}
		if err := g.allow(op); err != nil {
			return err
		}
		g.record(op, store.GuildSubject(id), audit.GuildEntry{Target: snowflake.Target(integration)})
		return directory.Uninstall(g.tx, id, integration)
	}))
}
