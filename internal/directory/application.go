package directory

import (
	"context"
	"reflect"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

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

// List returns a page of applications.
func (a *Applications) List(ctx context.Context, after snowflake.Application, limit int) ([]store.Application, error) {
	return view(ctx, a.shared, ErrUnknownApplication, func(r store.Reader) ([]store.Application, error) {
		return r.Directory.Applications(after, min(limit, MaxPage))
	})
}

// Put writes an application.
func (a *Applications) Put(ctx context.Context, app world.Application) (Applied, error) {
	app, err := app.Complete()
	if err != nil {
		return Applied{}, err
	}
	return a.apply(ctx, func(w *writer) error {
		return w.world.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.newApplication(t, app) },
			func(t *jsonbody.Tree) error { return w.world.application(t, app) },
		)
	})
}

// Edit changes the settings that an application edits itself.
func (a *Applications) Edit(ctx context.Context, id snowflake.Application, p convert.ApplicationPatch) (*store.Application, error) {
	var changed store.Application
	err := a.update(ctx, func(w *writer) error {
		old, err := w.tx.Directory.Application(id)
		if err != nil {
			return unknown(err, ErrUnknownApplication)
		}
		changed = p.Apply(old)
		if reflect.DeepEqual(old, changed) {
			return nil
		}
		return w.put(changed)
	})
	if err != nil {
		return nil, err
	}
	return &changed, nil
}

// Delete removes an application, its bot and everything that belongs to them, including commands.
func (a *Applications) Delete(ctx context.Context, id snowflake.Application) error {
	return a.update(ctx, func(w *writer) error {
		if _, err := w.tx.Directory.Application(id); err != nil {
			return unknown(err, ErrUnknownApplication)
		}
		w.watch(store.Application{ID: id})
		w.delete(store.ApplicationKey(id))
		return w.putTombstone(store.Tombstone{Kind: store.KindApplication, ID: uint64(id)})
	})
}
