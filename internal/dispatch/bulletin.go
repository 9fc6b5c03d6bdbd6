package dispatch

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/store"
)

// bulletin is what a change announces about a message that is new or changed.
type bulletin struct {
	name    string // of the events
	message *store.Message
	post    message.Post
	events  []store.Event
	// err says why there are no events: what the message belongs to was deleted meanwhile.
	err error
}

// announce returns the events about a message that is new or changed. c is its content. Only the invoker gets the nonce.
func (d *Dispatch) announce(
	ctx context.Context, name string, m *store.Message, c message.Content, nonce string,
) (b bulletin, err error) {
	b.name, b.message = name, m
	if b.post, err = d.messages.Dress(ctx, m, c); err == nil {
		b.events, err = d.messages.Events(ctx, name, m, b.post, nonce)
	}
	if unknown(err) {
		b.err, err = err, nil
	}
	return b, err
}

// unknown reports whether an error says that something was deleted to which an answer or a message belongs. The answer
// counts all the same.
func unknown(err error) bool {
	return errors.Is(err, directory.ErrUnknownChannel) || errors.Is(err, directory.ErrUnknownGuild) ||
		errors.Is(err, directory.ErrUnknownApplication)
}

// show goes on after the commit of a change that announces a message: it shows the message to the watch of its interaction
// and to those who follow the channel from elsewhere.
func (d *Dispatch) show(ctx context.Context, b *bulletin) {
	if b.err != nil {
		d.Log.ErrorContext(ctx, "message not announced", "interaction", b.message.Interaction, "err", b.err)
		return
	}
	d.watches.message(b.message.Interaction, b.message.ID, b.post)
	d.messages.TellLinked(ctx, b.name, b.message)
}
