package dispatch

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

func (c *checker) checkComponent(ctx context.Context, v *checkedInvocation) error {
	m, err := c.messages.Find(ctx, v.in.Message)
	if err != nil {
		return err
	}
	if m == nil || m.Application != v.app.ID || !v.sees(m) {
		if !v.available() {
			return ErrUnknownIntegration
		}
		return interaction.Refuse(interaction.ComponentInvalid)
	}
	if v.origin.Owners, err = c.remainingOwners(ctx, v, m.Metadata.Owners); err != nil {
		return err
	}
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return fmt.Errorf("message %v: %w", m.ID, err)
	}
	matched, err := interaction.MatchComponent(content.Components, v.in)
	if err != nil {
		return err
	}
	resolved, err := c.resolve(ctx, v, matched.References)
	if err != nil {
		return err
	}
	v.origin.Component = m.ID
	v.data = interaction.ComponentData{ID: matched.ID, Use: matched.Use, Resolved: resolved}
	v.message, err = c.messages.Render(ctx, m, snowflake.User(v.app.ID))
	return err
}

// sees reports whether the invoker sees a message in the channel.
func (v *checkedInvocation) sees(m *store.Message) bool {
	return m.Channel == v.in.Channel && (!m.Ephemeral || m.User == v.invoker.User.ID)
}

// remainingOwners returns those installs of a message that still exist. It returns ErrUnknownIntegration when there are
// none.
func (c *checker) remainingOwners(
	ctx context.Context, v *checkedInvocation, o store.Owners,
) (store.Owners, error) {
	if o.ByGuild && v.invoker.Guild != nil && !v.invoker.Guild.Installed(v.app.ID) {
		o.ByGuild, o.Guild = false, 0
	}
	if o.User != 0 {
		_, err := c.directory.Users.Install(ctx, o.User, v.app.ID)
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

func (c *checker) checkModal(ctx context.Context, v *checkedInvocation) error {
	opened, err := c.interactions.find(ctx, v.in.Modal.Opened)
	if err != nil {
		return err
	}
	known := opened.ID != 0
	if !known || opened.Modal == nil || opened.User != v.invoker.User.ID || opened.Application != v.app.ID ||
		opened.Origin.Channel != v.in.Channel || opened.State.Messages(c.clock.Now()) != nil {
		if !v.available() && !known {
			return ErrUnknownIntegration
		}
		return interaction.ErrUnknownInteraction
	}
	from := &opened.Origin
	if v.origin.Owners, err = c.remainingOwners(ctx, v, from.Owners); err != nil {
		return err
	}
	modal, err := interaction.ParseModal(opened.Modal)
	if err != nil {
		return err
	}
	matched, err := interaction.MatchModal(modal, v.in, v.files)
	if err != nil {
		return err
	}
	resolved, err := c.resolve(ctx, v, matched.References)
	if err != nil {
		return err
	}
	c.messages.SetURLs(v.in.Channel, matched.Attachments)
	resolved.Attachments, v.attachments = matched.Attachments, matched.Attachments
	v.origin.Command, v.origin.Path, v.origin.Component = from.Command, from.Path, from.Component
	triggering := messages.MetadataOf(opened, 0)
	v.origin.Triggering = &triggering
	v.data = interaction.ModalData{CustomID: matched.CustomID, Components: matched.Components, Resolved: resolved}
	return c.loadComponentMessage(ctx, v)
}

// loadComponentMessage loads the message with the component that opened a modal, unless it was deleted.
func (c *checker) loadComponentMessage(ctx context.Context, v *checkedInvocation) error {
	m, err := c.messages.Find(ctx, v.origin.Component)
	if err != nil || m == nil {
		v.origin.Component = 0
		return err
	}
	v.message, err = c.messages.Render(ctx, m, snowflake.User(v.app.ID))
	return err
}
