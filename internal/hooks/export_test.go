package hooks

import (
	"context"

	"github.com/bellhop/bellhop/internal/outbox"
)

// Deliver calls After of the first hook, as its queue does.
func (h *Hooks) Deliver(ctx context.Context, payload string) error {
	return h.send(ctx, h.list[0], outbox.Delivery{ID: 1, Attempt: 1, Payload: []byte(payload)})
}
