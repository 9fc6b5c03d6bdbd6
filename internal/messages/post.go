package messages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Compose returns a new message of an interaction. original is the first answer when this is a follow-up.
func Compose(i *store.Interaction, id, original snowflake.Message, c message.Content) store.Message {
	o := &i.Origin
	from := interaction.Source{Command: o.Command, Component: o.Component, Original: original, Target: o.TargetMessage}
	m := store.Message{
		ID: id, Channel: o.Channel, Guild: o.Guild, Application: i.Application, Interaction: i.ID, User: i.User,
		Type: from.Type(), Ephemeral: c.Flags.Has(message.Ephemeral), Reference: from.Reference(),
		Metadata: MetadataOf(i, original),
	}
	if o.Type == interaction.ApplicationCommand && original == 0 {
		m.Path = o.Path
	}
	say(&m, c)
	return m
}

// say sets what a message says.
func say(m *store.Message, c message.Content) {
	called := c.Mentioned()
	m.Mentions, m.Roles, m.Everyone = called.Users, called.Roles, called.Everyone
	m.Content, m.Files = c.Doc(), nil
	for i := range c.Attachments {
		m.Files = append(m.Files, c.Attachments[i].ID)
	}
}

// Revise returns a message with other content.
func Revise(m store.Message, c message.Content, edited time.Time) store.Message {
	say(&m, c)
	m.Edited = edited
	return m
}

// MetadataOf returns which interaction a message comes from. original is the first answer when it is a follow-up.
func MetadataOf(i *store.Interaction, original snowflake.Message) store.Metadata {
	o := &i.Origin
	m := store.Metadata{
		ID: i.ID, Type: o.Type, User: i.User, Owners: o.Owners, Original: original,
		TargetUser: o.TargetUser, TargetMessage: o.TargetMessage, Triggering: o.Triggering,
	}
	if o.Type == interaction.MessageComponent {
		m.Interacted = o.Component
	}
	return m
}

// Render returns a message as it is read: without what only events tell.
func (s *Messages) Render(ctx context.Context, m *store.Message) ([]byte, error) {
	p, err := s.Post(ctx, m)
	if err != nil {
		return nil, err
	}
	return p.AppendJSON(nil), nil
}

// Post returns a message with everything that it refers to.
func (s *Messages) Post(ctx context.Context, m *store.Message) (message.Post, error) {
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return message.Post{}, fmt.Errorf("message %v: %w", m.ID, err)
	}
	return s.Dress(ctx, m, content)
}

// Dress is Post for a message whose content has been read.
func (s *Messages) Dress(ctx context.Context, m *store.Message, c message.Content) (message.Post, error) {
	p, err := s.dress(ctx, m, c)
	if err != nil || m.Reference == 0 {
		return p, err
	}
	to, err := s.Kept(ctx, m.Reference)
	if err != nil || to == nil || to.Channel != m.Channel || to.Ephemeral && !m.Ephemeral {
		return p, err
	}
	shown, err := s.bare(ctx, to)
	p.Referenced = shown.AppendJSON(nil)
	return p, err
}

// bare returns a message without the one that it refers to.
func (s *Messages) bare(ctx context.Context, m *store.Message) (p message.Post, err error) {
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return p, fmt.Errorf("message %v: %w", m.ID, err)
	}
	return s.dress(ctx, m, content)
}

// dress returns a message without the one that it refers to, whose content has been read.
func (s *Messages) dress(ctx context.Context, m *store.Message, c message.Content) (p message.Post, err error) {
	s.Address(m.Channel, &c)
	p = message.Post{
		ID: m.ID, Type: m.Type, Channel: m.Channel, Application: m.Application, Content: c, Created: m.ID.Time(),
		Edited: m.Edited, Everyone: m.Everyone, Reference: m.Reference,
	}
	if p.Author, err = s.person(ctx, m.Author()); err != nil {
		return p, err
	}
	if m.Interaction != 0 {
		cause, err := s.origin(ctx, &m.Metadata)
		if err != nil {
			return p, err
		}
		if m.Path != "" {
			cause.Command = &interaction.CommandUsed{ID: m.Interaction, Type: m.Metadata.Type, Path: m.Path, User: cause.User}
		}
		p.Cause = cause
	}
	if len(m.Mentions)+len(m.Roles) > 0 {
		err = s.called(ctx, m, &p)
	}
	return p, err
}

// called adds those whom the message calls and that are there.
func (s *Messages) called(ctx context.Context, m *store.Message, p *message.Post) error {
	for _, id := range m.Mentions {
		u, err := s.Directory.User(ctx, id)
		switch {
		case err == nil:
			p.Mentions = append(p.Mentions, UserOf(u))
		case !errors.Is(err, directory.ErrUnknownUser):
			return err
		}
	}
	if m.Guild == 0 || len(m.Roles) == 0 {
		return nil
	}
	place, err := s.Directory.Place(ctx, m.Guild)
	if errors.Is(err, directory.ErrUnknownGuild) {
		return nil
	}
	if err == nil {
		p.Roles = slices.DeleteFunc(slices.Clone(m.Roles), func(id snowflake.Role) bool { return !place.Rules.HasRole(id) })
	}
	return err
}

// person returns a user, also one that is gone.
func (s *Messages) person(ctx context.Context, id snowflake.User) (payload.User, error) {
	u, err := s.Directory.User(ctx, id)
	if errors.Is(err, directory.ErrUnknownUser) {
		return payload.User{ID: id, Username: "Deleted User", Discriminator: "0000"}, nil
	}
	if err != nil {
		return payload.User{}, err
	}
	return UserOf(u), nil
}

// origin returns which interaction a message comes from, as messages show it.
func (s *Messages) origin(ctx context.Context, m *store.Metadata) (*interaction.Metadata, error) {
	shown := &interaction.Metadata{
		ID: m.ID, Type: m.Type, Owners: OwnersOf(m.Owners), Original: m.Original, TargetMessage: m.TargetMessage,
		Interacted: m.Interacted,
	}
	var err error
	if shown.User, err = s.person(ctx, m.User); err != nil {
		return nil, err
	}
	if m.TargetUser != 0 {
		target, err := s.person(ctx, m.TargetUser)
		if err != nil {
			return nil, err
		}
		shown.TargetUser = &target
	}
	if m.Triggering != nil {
		shown.Triggering, err = s.origin(ctx, m.Triggering)
	}
	return shown, err
}

// author returns the member that the author of a message is in its guild; nil: none.
func (s *Messages) author(ctx context.Context, m *store.Message, u payload.User) (*payload.Member, error) {
	if m.Guild == 0 {
		return nil, nil //nolint:nilnil // there are no members outside of guilds
	}
	kept, err := s.Directory.Member(ctx, m.Guild, u.ID)
	if errors.Is(err, directory.ErrUnknownMember) {
		return nil, nil //nolint:nilnil // an app can speak where its bot is not
	}
	if err != nil {
		return nil, err
	}
	place, err := s.Directory.Place(ctx, m.Guild)
	if err != nil {
		return nil, err
	}
	var in permission.Bits
	if c := place.Channel(m.Channel); c != nil {
		in = place.Member(kept, s.Clock.Now()).In(c.Channel)
	}
	return &payload.Member{
		User: u, Nick: kept.Nick, Roles: kept.Roles, JoinedAt: kept.JoinedAt, TimeoutUntil: kept.TimeoutUntil, Permissions: in,
	}, nil
}
