package messages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// WebhookRequest is a request of a webhook to create, edit, read or delete a message.
type WebhookRequest struct {
	Request

	// Open returns the webhook, if the caller may use it. A decision that calls it depends on the webhook.
	Open           func(context.Context) (*store.Webhook, error)
	Thread         snowflake.Channel // of the message; 0: the message is in the channel of the webhook
	WithComponents bool              // the webhook may send components although no app owns it
	Service        bool              // the message comes from Slack or GitHub, which cannot write in forums
}

// access returns which components a webhook can send.
func (r *WebhookRequest) access(h *store.Webhook) message.WebhookAccess {
	return message.WebhookAccess{AppOwned: h.Application != 0, WithComponents: r.WithComponents}
}

// enterWebhook returns the place in which a webhook writes.
func (s *Messages) enterWebhook(ctx context.Context, h *store.Webhook, thread snowflake.Channel) (*directory.Place, error) {
	place, err := s.Directory.Channels.EnterAsWebhook(ctx, cmp.Or(thread, h.Channel), h.Application)
	if thread == 0 {
		return place, err
	}
	if errors.Is(err, directory.ErrUnknownChannel) || err == nil && (!place.IsThread() || place.Channel.Parent != h.Channel) {
		return nil, apierror.UnknownThread
	}
	return place, err
}

// Execute creates a message of a webhook. It returns the message as JSON.
func (s *Messages) Execute(ctx context.Context, r WebhookRequest) ([]byte, error) {
	return s.create(ctx, r.Request, func(ctx context.Context, files *Uploads, id snowflake.Message) (*draft, error) {
		h, err := r.Open(ctx)
		if err != nil {
			return nil, err
		}
		place, err := s.enterWebhook(ctx, h, r.Thread)
		if err != nil {
			return nil, err
		}
		if files.TooLarge() {
			return nil, attachments.ErrFileTooLarge
		}
		in, err := message.ReadExecute(r.Body, files.Files, r.access(h))
		if err != nil {
			return nil, err
		}
		if err := s.checkExecute(ctx, h, &r, in); err != nil {
			return nil, err
		}
		if err := s.checkPollEmoji(ctx, place, &in.Content); err != nil {
			return nil, err
		}
		var post *WebhookPost
		where := place.Channel.ID
		if in.ThreadName != "" {
			post = &WebhookPost{ID: snowflake.Channel(id), Webhook: h.ID, Name: in.ThreadName, Tags: in.Tags}
			where = post.ID
		}
		if id, err = s.nextID(ctx, where, id); err != nil {
			return nil, err
		}
		d := &draft{place: place, post: post, in: message.Create{Content: in.Content}, record: store.Message{
			ID: id, Channel: where, Guild: h.Guild, Application: h.Application,
			Webhook: &store.WebhookAuthor{ID: h.ID, Name: cmp.Or(in.Username, h.Name), Avatar: cmp.Or(avatarHash(in.AvatarURL), h.Avatar)},
		}}
		d.in.Content.TTS = in.Content.TTS && place.Bits().Has(permission.SendTTSMessages)
		s.SetFiles(d.record.Channel, &d.in.Content)
		d.record.SetContent(d.in.Content)
		return d, s.setMentions(ctx, d)
	})
}

// checkExecute checks that the message of a webhook goes into a channel with messages, or into a post of a forum.
func (s *Messages) checkExecute(ctx context.Context, h *store.Webhook, r *WebhookRequest, in message.Execute) error {
	c, err := s.Directory.Channels.Channel(ctx, h.Channel)
	if err != nil {
		return err
	}
	forum := c.Type == world.ForumChannel || c.Type == world.MediaChannel
	if forum && r.Service {
		return apierror.ServiceInForum
	}
	return in.CheckThread(forum, r.Thread != 0)
}

// avatarHash returns the hash that stands for the image at a URL. The image is not read.
func avatarHash(url string) string {
	if url == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:16])
}

// openOfWebhook returns a webhook and one of its messages.
func (s *Messages) openOfWebhook(
	ctx context.Context, r *WebhookRequest, id snowflake.Message,
) (*store.Webhook, *store.Message, error) {
	h, err := r.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err := s.Load(ctx, cmp.Or(r.Thread, h.Channel), id)
	if err == nil && (m == nil || m.Webhook == nil || m.Webhook.ID != h.ID) {
		err = apierror.UnknownMessage
	}
	return h, m, err
}

// MessageOfWebhook returns a message of a webhook as JSON.
func (s *Messages) MessageOfWebhook(ctx context.Context, r WebhookRequest, id snowflake.Message) ([]byte, error) {
	h, m, err := s.openOfWebhook(ctx, &r, id)
	if err != nil {
		return nil, err
	}
	return s.Render(ctx, m, snowflake.User(h.Application))
}

// EditOfWebhook edits a message of a webhook. It returns the message as JSON.
func (s *Messages) EditOfWebhook(ctx context.Context, r WebhookRequest, id snowflake.Message) ([]byte, error) {
	return s.edit(ctx, r.Request, func(ctx context.Context, files *Uploads) (*revision, error) {
		h, m, err := s.openOfWebhook(ctx, &r, id)
		if err != nil {
			return nil, err
		}
		v := &revision{message: m}
		if v.place, err = s.enterWebhook(ctx, h, r.Thread); err != nil {
			return nil, err
		}
		if v.old, err = message.ParseContent(m.Content); err != nil {
			return nil, err
		}
		if files.TooLarge() {
			return nil, attachments.ErrFileTooLarge
		}
		if err := v.old.CheckEditable(m.Type); err != nil {
			return nil, err
		}
		v.content, err = message.ReadWebhookEdit(r.Body, v.old, files.Files, r.access(h))
		return v, err
	})
}

// DeleteOfWebhook deletes a message of a webhook.
func (s *Messages) DeleteOfWebhook(ctx context.Context, r WebhookRequest, id snowflake.Message) error {
	return s.deleteOne(ctx, 0, func(ctx context.Context) (*store.Message, error) {
		_, m, err := s.openOfWebhook(ctx, &r, id)
		return m, err
	})
}
