package hooks

import (
	"context"
	"fmt"

	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// After adds the calls after an event to the change that it reports. The change writes to the subject.
func (h *Hooks) After(c *store.Change, event string, about store.Subject, data any) error {
	rows, err := h.rows(event, about, data)
	for _, row := range rows {
		c.Put = append(c.Put, row)
	}
	return err
}

// AfterTx adds the calls after an event to a transaction, which then writes to the subject.
func (h *Hooks) AfterTx(tx *store.Tx, event string, about store.Subject, data any) error {
	rows, err := h.rows(event, about, data)
	if err != nil || len(rows) == 0 {
		return err
	}
	tx.Touch(about)
	for _, row := range rows {
		if err := tx.Put(row); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the calls after an event.
func (h *Hooks) rows(event string, about store.Subject, data any) (rows []store.Outgoing, err error) {
	if h == nil {
		return nil, nil
	}
	var text []byte
	for _, hook := range h.list {
		if hook.queue == nil || !wants(hook.AfterEvents, event) {
			continue
		}
		if text == nil {
			body, err := json.Marshal(data)
			if err != nil {
				return nil, err
			}
			if text, err = json.Marshal(Call{Event: event, Data: body}); err != nil {
				return nil, err
			}
		}
		rows = append(rows, hook.queue.Row(about, text))
	}
	return rows, nil
}

// send calls After for a stored delivery.
func (h *Hooks) send(ctx context.Context, i *installed, d outbox.Delivery) error {
	var c Call
	if err := json.Unmarshal(d.Payload, &c); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	c.ID = uint64(d.ID)
	began := h.clock.Now()
	done, err := h.start(ctx, i, i.afterSlots, func() error { return i.After(ctx, c) })
	if err == nil {
		select {
		case err = <-done:
		case <-ctx.Done():
			err = errTimeout
		}
	}
	if err == nil {
		i.state.succeeded(began)
		return nil
	}
	i.state.failed(began, err)
	return err
}
