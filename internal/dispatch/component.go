package dispatch

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
)

func (k *Checker) checkComponent(ctx context.Context, s *Scene) error {
	m, err := k.messages.Kept(ctx, s.In.Message)
	if err != nil {
		return err
	}
	if m == nil || m.Application != s.App.ID || !s.meets(m) {
		if !s.atHome() {
			return ErrUnknownIntegration
		}
		return interaction.Refuse(interaction.ComponentInvalid)
	}
	if s.Origin.Owners, err = k.stillOwned(ctx, s, m.Metadata.Owners); err != nil {
		return err
	}
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return fmt.Errorf("message %v: %w", m.ID, err)
	}
	press, err := interaction.MatchComponent(content.Components, s.In)
	if err != nil {
		return err
	}
	found, err := k.resolve(ctx, s, press.References)
	if err != nil {
		return err
	}
	s.Origin.Component = m.ID
	s.data = interaction.ComponentData{Use: press.Use, Resolved: found}
	s.message, err = k.messages.Render(ctx, m)
	return err
}

// meets reports whether whoever invokes it finds a message where they are.
func (s *Scene) meets(m *store.Message) bool {
	return m.Channel == s.In.Channel && (!m.Ephemeral || m.User == s.spot.User.ID)
}

// stillOwned returns which of the installs that a message came by are still there. When none is, the app has no business
// here any more.
func (k *Checker) stillOwned(ctx context.Context, s *Scene, o store.Owners) (store.Owners, error) {
	if o.ByGuild && s.spot.Place != nil && !s.spot.Place.Installed(s.App.ID) {
		o.ByGuild, o.Guild = false, 0
	}
	if o.User != 0 {
		_, err := k.directory.UserInstall(ctx, o.User, s.App.ID)
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

func (k *Checker) checkModal(ctx context.Context, s *Scene) error {
	opened, err := k.interactions.Recall(ctx, s.In.Modal.Opened)
	if err != nil {
		return err
	}
	known := opened.ID != 0
	if !known || opened.Modal == nil || opened.User != s.spot.User.ID || opened.Application != s.App.ID ||
		opened.Origin.Channel != s.In.Channel || opened.State.Messages(k.clock.Now()) != nil {
		if !s.atHome() && !known {
			return ErrUnknownIntegration
		}
		return interaction.ErrUnknownInteraction
	}
	from := &opened.Origin
	if s.Origin.Owners, err = k.stillOwned(ctx, s, from.Owners); err != nil {
		return err
	}
	modal, err := interaction.ParseModal(opened.Modal)
	if err != nil {
		return err
	}
	sent, err := interaction.MatchModal(modal, s.In, s.Files)
	if err != nil {
		return err
	}
	found, err := k.resolve(ctx, s, sent.References)
	if err != nil {
		return err
	}
	k.messages.Place(s.In.Channel, sent.Attachments)
	found.Attachments, s.Attachments = sent.Attachments, sent.Attachments
	s.Origin.Command, s.Origin.Path, s.Origin.Component = from.Command, from.Path, from.Component
	triggering := messages.MetadataOf(opened, 0)
	s.Origin.Triggering = &triggering
	s.data = interaction.ModalData{CustomID: sent.CustomID, Components: sent.Components, Resolved: found}
	return k.showComponent(ctx, s)
}

// showComponent finds the message with the component that opened a modal. It may be gone by now.
func (k *Checker) showComponent(ctx context.Context, s *Scene) error {
	m, err := k.messages.Kept(ctx, s.Origin.Component)
	if err != nil || m == nil {
		s.Origin.Component = 0
		return err
	}
	s.message, err = k.messages.Render(ctx, m)
	return err
}
