package dispatch

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

func (d *Dispatch) checkComponent(ctx context.Context, u *use) error {
	m, err := d.messages.Kept(ctx, u.in.Message)
	if err != nil {
		return err
	}
	if m == nil || m.Application != u.app.ID || !u.meets(m) {
		if !u.atHome() {
			return ErrUnknownIntegration
		}
		return interaction.Refuse(interaction.ComponentInvalid)
	}
	if u.origin.Owners, err = d.stillOwned(ctx, u, m.Metadata.Owners); err != nil {
		return err
	}
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return fmt.Errorf("message %v: %w", m.ID, err)
	}
	press, err := interaction.MatchComponent(content.Components, u.in)
	if err != nil {
		return err
	}
	found, err := d.resolve(ctx, u, press.References)
	if err != nil {
		return err
	}
	u.origin.Component = m.ID
	u.data = interaction.ComponentData{Use: press.Use, Resolved: found}
	u.message, err = d.messages.Render(ctx, m)
	return err
}

// meets reports whether whoever invokes it finds a message where they are.
func (u *use) meets(m *store.Message) bool {
	return m.Channel == u.in.Channel && (!m.Ephemeral || m.User == u.spot.User.ID)
}

// stillOwned returns which of the installs that a message came by are still there. When none is, the app has no business
// here any more.
func (d *Dispatch) stillOwned(ctx context.Context, u *use, o store.Owners) (store.Owners, error) {
	if o.ByGuild && u.spot.Place != nil && !u.spot.Place.Installed(u.app.ID) {
		o.ByGuild, o.Guild = false, 0
	}
	if o.User != 0 {
		_, err := d.Directory.UserInstall(ctx, o.User, u.app.ID)
		switch {
		case errors.Is(err, directory.ErrNotInstalled), errors.Is(err, directory.ErrUnknownUser):
			o.User = 0
		case err != nil:
			return o, err
		}
	}
	if o == (store.Owners{}) {
		return o, ErrUnknownIntegration
	}
	return o, nil
}

func (d *Dispatch) checkModal(ctx context.Context, u *use) error {
	opened, err := d.recall(ctx, u.in.Modal.Opened)
	if err != nil {
		return err
	}
	if opened == nil || opened.Modal == nil || opened.User != u.spot.User.ID || opened.Application != u.app.ID ||
		opened.Origin.Channel != u.in.Channel || opened.State.Messages(d.now()) != nil {
		if !u.atHome() && opened == nil {
			return ErrUnknownIntegration
		}
		return interaction.ErrUnknownInteraction
	}
	from := &opened.Origin
	if u.origin.Owners, err = d.stillOwned(ctx, u, from.Owners); err != nil {
		return err
	}
	modal, err := parseModal(opened.Modal)
	if err != nil {
		return err
	}
	sent, err := interaction.MatchModal(modal, u.in, u.files)
	if err != nil {
		return err
	}
	found, err := d.resolve(ctx, u, sent.References)
	if err != nil {
		return err
	}
	d.messages.Place(u.in.Channel, sent.Attachments)
	found.Attachments, u.attachments = sent.Attachments, sent.Attachments
	u.origin.Command, u.origin.Path, u.origin.Component = from.Command, from.Path, from.Component
	triggering := messages.MetadataOf(opened, 0)
	u.origin.Triggering = &triggering
	u.data = interaction.ModalData{CustomID: sent.CustomID, Components: sent.Components, Resolved: found}
	return d.showComponent(ctx, u)
}

// showComponent finds the message with the component that opened a modal. It may be gone by now.
func (d *Dispatch) showComponent(ctx context.Context, u *use) error {
	m, err := d.messages.Kept(ctx, u.origin.Component)
	if err != nil || m == nil {
		u.origin.Component = 0
		return err
	}
	u.message, err = d.messages.Render(ctx, m)
	return err
}

// recall returns an interaction, or nil when there is none.
func (d *Dispatch) recall(ctx context.Context, id snowflake.Interaction) (*store.Interaction, error) {
	var found *store.Interaction
	err := d.Store.View(ctx, func(r store.Reader) error {
		i, err := r.Interaction(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		found = &i
		return err
	})
	return found, err
}

// modalDoc returns a modal as it is kept and shown: the members of an object.
func modalDoc(dst []byte, m interaction.Modal) []byte {
	dst = append(dst, `"custom_id":`...)
	dst = appendText(dst, m.CustomID)
	dst = append(dst, `,"title":`...)
	dst = appendText(dst, m.Title)
	dst = append(dst, `,"components":`...)
	return m.Components.AppendJSON(dst)
}

func parseModal(doc []byte) (interaction.Modal, error) {
	v, err := form.Parse(doc)
	if err != nil {
		return interaction.Modal{}, fmt.Errorf("a modal that was opened: %w", err)
	}
	return interaction.Modal{
		CustomID: v.Get("custom_id").Text(), Title: v.Get("title").Text(),
		Components: message.ParseComponents(v.Get("components")),
	}, nil
}

// appendText appends a string as JSON. What is no UTF-8 never gets this far.
func appendText(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return append(dst, `""`...)
	}
	return out
}
