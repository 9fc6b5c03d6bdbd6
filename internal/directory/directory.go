// Package directory keeps people, places and apps: it applies world files, changes single records under the same rules,
// and answers who and what exists, from memory where every request asks. It knows nothing of HTTP.
package directory

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ledger"
	"github.com/bellhop/bellhop/internal/oauth"
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
	// ErrOwner says that whoever owns a guild or an application cannot go before it has another owner.
	ErrOwner = errors.New("user is an owner")
)

// Directory keeps people, places and apps. It is safe for concurrent use. All fields but the hooks are required. A write
// is on disk and seen by every later read when it returns.
type Directory struct {
	Store  store.Store
	Clock  clock.Clock
	Tokens *oauth.Authenticator
	IDs    interface{ Next() uint64 } // of roles that come with bots

	// OnActivities is called within the unit of work that switches an application's activities on or off, after
	// everything else in it is written. It may be nil.
	OnActivities func(tx store.Tx, app store.Application) error
	// AfterActivities is called when that unit of work has ended and before its end is acknowledged. It may be nil.
	AfterActivities func(app snowflake.Application)
	// Lobbies is told of what is deleted that lobbies or their members hang on. It may be nil.
	Lobbies Halls
	// Commands is told which commands and permission sets went with what was deleted. It may be nil.
	Commands Forgetter

	// Changed hears what a unit of work has changed, after it is durable and before it is acknowledged. It may be nil.
	Changed func(ctx context.Context, changes []Change)

	applications  cache.Cache[snowflake.Application, *store.Application]
	users         cache.Cache[snowflake.User, *User]
	guildInstalls cache.Cache[installKey, *store.Install]
	userInstalls  cache.Cache[snowflake.User, *[]store.Install]
	members       cache.Cache[memberKey, *store.Member]
	channels      cache.Cache[snowflake.Channel, *Where]
	places        cache.Sized[snowflake.Guild, *Place]
}

// Forgetter keeps commands and permission sets in memory. It is called when a unit of work that changed their records has
// ended and before its end is acknowledged.
type Forgetter interface {
	// ForgetApplication and ForgetGuild are for all scopes and sets of what is gone.
	ForgetApplication(app snowflake.Application)
	ForgetGuild(guild snowflake.Guild)
	// ForgetOverwrites is for the permission sets of an application in a guild.
	ForgetOverwrites(app snowflake.Application, guild snowflake.Guild)
}

// Halls keeps lobbies.
type Halls interface {
	// Forget is called when lobbies, or places in them, have gone with somebody, before that is acknowledged.
	Forget()
	// UserGoes and ApplicationGoes are called within the unit of work that deletes somebody, before it does; what they
	// return is called when that is durable.
	UserGoes(r store.Reader, user snowflake.User) (tell func(context.Context), err error)
	ApplicationGoes(r store.Reader, app snowflake.Application) (tell func(context.Context), err error)
	// Unlink is called for a lobby when it is durable that the channel it was linked with is gone.
	Unlink(ctx context.Context, id snowflake.Lobby)
}

type installKey struct {
	guild snowflake.Guild
	app   snowflake.Application
}

type memberKey struct {
	guild snowflake.Guild
	user  snowflake.User
}

// Forget drops everything that is held in memory. Whoever changes records without the directory calls it after the
// change is durable and before it is acknowledged.
func (d *Directory) Forget() {
	d.applications.Reset()
	d.users.Reset()
	d.guildInstalls.Reset()
	d.userInstalls.Reset()
	d.members.Reset()
	d.channels.Reset()
	d.places.Reset()
	d.Tokens.Reset()
}

// work is one unit of work on the directory.
type work struct {
	*Directory

	tx     store.Tx
	tokens *oauth.Changes
	ledger ledger.Writer
	stale  stale
	news   *news
	// afterwards is called in this order when the unit of work is durable.
	afterwards []func(context.Context)
}

// stale is what a unit of work has made wrong in memory.
type stale struct {
	applications []snowflake.Application
	users        []snowflake.User
	installs     []installKey
	tokens       bool // all of them
	everything   bool
	switched     []store.Application // their activities

	guilds         []snowflake.Guild // or what is in them, but members
	crowds         []snowflake.Guild // all members of these
	members        []memberKey
	leavers        []snowflake.User // all memberships of these
	channels       []snowflake.Channel
	installers     []snowflake.User // installs of these
	everyInstaller bool
	sets           []installKey // permission sets

	goneApplications []snowflake.Application
	goneGuilds       []snowflake.Guild
}

// update runs a unit of work. Whatever it wrote is out of memory when update returns.
func (d *Directory) update(ctx context.Context, fn func(*work) error) (ledger.Applied, error) {
	var w *work
	err := d.Store.Update(ctx, func(tx store.Tx) error {
		w = &work{Directory: d, tokens: d.Tokens.Within(tx)}
		if d.Changed != nil {
			w.news = &news{}
		}
		w.tx = watched{tx, &w.stale, w.news}
		w.ledger = ledger.Writer{
			Tx: w.tx, Tokens: w.tokens, IDs: d.IDs, Now: d.Clock.Now().UTC().Truncate(time.Millisecond),
		}
		if err := fn(w); err != nil {
			return err
		}
		return w.tellActivities()
	})
	if err == nil {
		for _, call := range w.afterwards { // while those who hear of it are still let in
			call(context.WithoutCancel(ctx))
		}
	}
	if w != nil {
		w.settle() // of a unit that failed it only costs a few reads, and nobody has to know that it failed for sure
	}
	if err != nil {
		return ledger.Applied{}, err
	}
	w.announce(ctx)
	return w.ledger.Applied, nil
}

// change runs a unit of work of which nothing is to be shown.
func (d *Directory) change(ctx context.Context, fn func(*work) error) error {
	_, err := d.update(ctx, fn)
	return err
}

// announce tells what has changed.
func (w *work) announce(ctx context.Context) {
	list := w.news.took()
	if w.stale.everything {
		list = []Change{{What: Everything}}
	}
	if w.Changed != nil && len(list) > 0 {
		w.Changed(ctx, list)
	}
}

// settle drops what has become wrong in memory.
func (w *work) settle() {
	if w.stale.everything {
		w.Forget()
	}
	if w.stale.tokens {
		w.Tokens.Reset()
	}
	w.tokens.Settle()
	w.applications.Forget(w.stale.applications...)
	w.users.Forget(w.stale.users...)
	w.guildInstalls.Forget(w.stale.installs...)
	w.settlePlaces(&w.stale)
	if w.Lobbies != nil && (w.stale.everything || len(w.stale.leavers) > 0) {
		w.Lobbies.Forget()
	}
	for _, app := range w.stale.switched {
		if w.AfterActivities != nil {
			w.AfterActivities(app.ID)
		}
	}
}

func (w *work) tellActivities() error {
	for _, app := range w.stale.switched {
		if w.OnActivities == nil {
			break
		}
		if err := w.OnActivities(w.tx, app); err != nil {
			return err
		}
	}
	return nil
}
