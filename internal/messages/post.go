package messages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Compose returns the record of a new message of an interaction. original is the original response if the message is a
// follow-up, else 0.
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
	m.SetContent(c)
	return m
}

// Revise returns the record of an edited message.
func Revise(m store.Message, c message.Content, edited time.Time) store.Message {
	m.SetContent(c)
	m.Edited = edited
	return m
}

// MetadataOf returns the interaction metadata of a message. original is the original response if the message is a
// follow-up, else 0.
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

// Render returns the JSON of a message as a user or a bot sees it, without the members that only events have.
func (s *Messages) Render(ctx context.Context, m *store.Message, reader snowflake.User) ([]byte, error) {
	p, err := s.Post(ctx, m)
	if err != nil {
		return nil, err
	}
	err = s.markOwn(ctx, p, reader)
	return p.AppendJSON(nil), err
}

// Post returns a message with its author, its mentions and the message that it refers to.
func (s *Messages) Post(ctx context.Context, m *store.Message) (*message.Post, error) {
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return nil, fmt.Errorf("message %v: %w", m.ID, err)
	}
	return s.PostWith(ctx, m, content)
}

// PostWith is Post for a message whose content has been parsed. With an error, it returns the post as far as it is known.
func (s *Messages) PostWith(ctx context.Context, m *store.Message, c message.Content) (*message.Post, error) {
	p, err := s.postWithoutReference(ctx, m, c)
	p.Reactions = reactionsOf(m)
	id, where := m.Reference, m.Channel
	if m.Type == message.ThreadStarter && m.Source != nil { // it shows the message from which the thread was created
		id, where = m.Source.Message, m.Source.Channel
	}
	if err != nil || id == 0 {
		return p, err
	}
	to, err := s.Find(ctx, id)
	if err == nil && to == nil && m.Interaction == 0 {
		p.Referenced = []byte("null") // it was deleted
	}
	if err != nil || to == nil || to.Channel != where || to.Ephemeral && !m.Ephemeral {
		return p, err
	}
	content, err := message.ParseContent(to.Content)
	if err != nil {
		return p, fmt.Errorf("message %v: %w", to.ID, err)
	}
	referenced, err := s.postWithoutReference(ctx, to, content)
	p.Referenced = referenced.AppendJSON(nil)
	return p, err
}

// postWithoutReference is PostWith without the message that m refers to.
func (s *Messages) postWithoutReference(
	ctx context.Context, m *store.Message, c message.Content,
) (p *message.Post, err error) {
	s.SetFiles(m.Channel, &c)
	p = &message.Post{
		ID: m.ID, Type: m.Type, Channel: m.Channel, Content: c, Created: m.ID.Time(), Edited: m.Edited, Everyone: m.Everyone,
		Reference: replyTo(m), Pinned: !m.Pinned.IsZero(), Snapshot: m.Snapshot, Results: resultsOf(m),
	}
	if m.Interaction != 0 || m.Webhook != nil || c.Flags.Has(message.FromSocialLayer) {
		p.Application = m.Application
	}
	if m.Source != nil {
		p.Reference = message.Reference{
			Forward: m.Source.Type == 1, Message: m.Source.Message, Channel: m.Source.Channel, Guild: m.Source.Guild,
		}
	}
	if h := m.Webhook; h != nil {
		p.Webhook = h.ID
		p.Author = convert.WireWebhookAuthor(h)
	} else if p.Author, err = s.user(ctx, m.Author()); err != nil {
		return p, err
	}
	if m.Guild != 0 {
		if err = s.addThreads(ctx, m, p); err != nil {
			return p, err
		}
	}
	if m.Interaction != 0 {
		p.Webhook = snowflake.Webhook(m.Application)
		cause, err := s.metadata(ctx, &m.Metadata)
		if err != nil {
			return p, err
		}
		if m.Path != "" {
			cause.Command = &interaction.CommandUsed{ID: m.Interaction, Type: m.Metadata.Type, Path: m.Path, User: cause.User}
		}
		p.Cause = cause
	}
	if len(m.Mentions)+len(m.Roles) > 0 {
		err = s.addMentions(ctx, m, p)
	}
	return p, err
}

// replyTo returns the reference of a reply; zero for other messages.
func replyTo(m *store.Message) message.Reference {
	if m.Reference == 0 {
		return message.Reference{}
	}
	return message.Reference{Message: m.Reference, Channel: m.Channel, Guild: m.Guild}
}

// addMentions adds the mentioned users and roles that exist.
func (s *Messages) addMentions(ctx context.Context, m *store.Message, p *message.Post) error {
	for _, id := range m.Mentions {
		u, err := s.Directory.Users.User(ctx, id)
		switch {
		case err == nil:
			p.Mentions = append(p.Mentions, convert.WireUser(u))
		case !errors.Is(err, directory.ErrUnknownUser):
			return err
		}
	}
	if m.Guild == 0 || len(m.Roles) == 0 {
		return nil
	}
	guild, err := s.Directory.Guilds.State(ctx, m.Guild)
	if errors.Is(err, directory.ErrUnknownGuild) {
		return nil
	}
	if err == nil {
		p.Roles = slices.DeleteFunc(slices.Clone(m.Roles), func(id snowflake.Role) bool { return !guild.Rules.HasRole(id) })
	}
	return err
}

// user returns a user. A user that does not exist any more is shown as "Deleted User".
func (s *Messages) user(ctx context.Context, id snowflake.User) (wire.User, error) {
	u, err := s.Directory.Users.User(ctx, id)
	if errors.Is(err, directory.ErrUnknownUser) {
		return wire.User{ID: id, Username: "Deleted User", Discriminator: "0000"}, nil
	}
	if err != nil {
		return wire.User{}, err
	}
	return convert.WireUser(u), nil
}

// metadata returns the interaction metadata that messages show.
func (s *Messages) metadata(ctx context.Context, m *store.Metadata) (*interaction.Metadata, error) {
	shown := &interaction.Metadata{
		ID: m.ID, Type: m.Type, Owners: OwnersOf(m.Owners), Original: m.Original, TargetMessage: m.TargetMessage,
		Interacted: m.Interacted,
	}
	var err error
	if shown.User, err = s.user(ctx, m.User); err != nil {
		return nil, err
	}
	if m.TargetUser != 0 {
		target, err := s.user(ctx, m.TargetUser)
		if err != nil {
			return nil, err
		}
		shown.TargetUser = &target
	}
	if m.Triggering != nil {
		shown.Triggering, err = s.metadata(ctx, m.Triggering)
	}
	return shown, err
}

// member returns a user as a member of a guild, or nil if the user is not a member.
func (s *Messages) member(ctx context.Context, guild snowflake.Guild, u wire.User) (shown *wire.Member, err error) {
	member, err := s.Directory.Guilds.Member(ctx, guild, u.ID)
	if errors.Is(err, directory.ErrUnknownMember) {
		return shown, nil // an app can send messages to guilds without its bot
	}
	if err != nil {
		return nil, err
	}
	return &wire.Member{
		User: u, Nick: wire.NullString(member.Nick), Roles: member.Roles, JoinedAt: wire.Time(member.JoinedAt),
		TimeoutUntil: wire.Time(member.TimeoutUntil),
	}, nil
}
