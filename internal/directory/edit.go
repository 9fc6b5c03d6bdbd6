package directory

import (
	"context"
	"reflect"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// EditApplication changes what an app says of itself.
func (d *Directory) EditApplication(ctx context.Context, id snowflake.Application, p ApplicationPatch) (*store.Application, error) {
	var changed store.Application
	err := d.change(ctx, func(w *work) error {
		old, err := w.tx.Directory.Application(id)
		if err != nil {
			return in(err, ErrUnknownApplication)
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
