package directory

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ApplicationKind describes applications. Its events are those of the bot.
var ApplicationKind = Kind[store.Application]{
	Name:   "application",
	Target: func(a store.Application) string { return "application/" + a.ID.String() },
	Key:    func(a store.Application) store.Key { return store.ApplicationKey(a.ID) },
	Read: func(q store.DirectoryQueries, a store.Application) (store.Application, error) {
		return q.Application(a.ID)
	},
	Show: func(a store.Application) any { return convert.WorldApplication(a) },
	Events: func(e *Events, before, after *store.Application) error {
		if after == nil {
			return nil
		}
		bot := botOf(*after)
		if before != nil && botOf(*before) != bot {
			if err := e.addBotToMembers(bot.ID); err != nil {
				return err
			}
		}
		return e.addUser(&bot)
	},
	Deleted: func(a store.Application, t store.Tombstone) bool { return isAccount(t, uint64(a.ID)) },
}

// addBotToMembers adds GUILD_MEMBER_UPDATE for the other members of the guilds of a bot that changed its name or images. A bot
// in many guilds changes only in the first of them: the others see it with the next event about it.
func (e *Events) addBotToMembers(bot snowflake.User) error {
	members, err := e.Directory.Memberships(bot, 0, MaxPage)
	for _, m := range members {
		if err == nil {
			err = memberEvents(e, &m, &m)
		}
	}
	return err
}

// Applications keeps applications.
type Applications struct{ *shared }

// Application returns an application. The caller does not change it.
func (a *Applications) Application(ctx context.Context, id snowflake.Application) (*store.Application, error) {
	c, err := load(ctx, &a.cached.applications, id, ErrUnknownApplication)
	if err != nil {
		return nil, err
	}
	return &c.app, nil
}

// HasIntent reports whether a privileged intent, such as world.GuildMembers, is switched on for the app of a bot. People have all intents.
func (a *Applications) HasIntent(ctx context.Context, viewer Viewer, name string) (bool, error) {
	if !viewer.Bot {
		return true, nil
	}
	app, err := a.Application(ctx, snowflake.Application(viewer.User))
	return err == nil && convert.IntentOn(app, name), err
}

// List returns a page of applications.
func (a *Applications) List(ctx context.Context, after snowflake.Application, limit int) ([]store.Application, error) {
	return view(ctx, a.shared, ErrUnknownApplication, func(r store.Reader) ([]store.Application, error) {
		return r.Directory.Applications(after, min(limit, MaxPage))
	})
}

// Delete removes an application, its bot and everything that belongs to them, including commands.
func (a *Applications) Delete(ctx context.Context, id snowflake.Application) error {
	return a.Update(ctx, func(tx *Tx) error {
		if _, err := tx.Directory.Application(id); err != nil {
			return unknown(err, ErrUnknownApplication)
		}
		ApplicationKind.Delete(tx, store.Application{ID: id})
		return tx.putTombstone(store.Tombstone{Kind: store.KindApplication, ID: uint64(id)})
	})
}
