package channel

import (
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of webhooks.
const (
	MaxWebhooks      = 15 // of a channel
	MaxGuildWebhooks = 1000
)

// WebhookPatch holds the members of a webhook that a request contains; the others keep their values.
type WebhookPatch struct {
	Name    optional.Value[string]            // never null
	Avatar  optional.Value[imagedata.Image]   // null removes it
	Channel optional.Value[snowflake.Channel] // never null
}

// ReadWebhook reads a request to create a webhook. The error is a *jsonbody.Tree or an *apierror.Error.
func ReadWebhook(body jsonbody.Value) (WebhookPatch, error) { return readWebhook(body, true) }

// ReadWebhookPatch reads a request to edit a webhook. The error is a *jsonbody.Tree or an *apierror.Error. A request with
// the token of the webhook cannot move it: the caller ignores Channel.
func ReadWebhookPatch(body jsonbody.Value) (WebhookPatch, error) { return readWebhook(body, false) }

func readWebhook(body jsonbody.Value, create bool) (WebhookPatch, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return WebhookPatch{}, t.Err()
	}
	var p WebhookPatch
	if body.Get("name").IsSet() || create {
		p.Name = optional.Of(message.ReadWebhookName(&t, body, "name", create))
	}
	var invalid error
	p.Avatar = imagedata.ReadMember(&t, body, "avatar", imagedata.MaxPicture, &invalid)
	if !create {
		p.Channel = jsonbody.ReadGiven(&t, body, "channel_id", jsonbody.ID[snowflake.Channel])
	}
	if err := t.Err(); err != nil {
		return WebhookPatch{}, err
	}
	return p, invalid
}

// ReadFollow reads a request to follow an announcement channel, and returns the channel that gets the messages.
func ReadFollow(body jsonbody.Value) (snowflake.Channel, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return 0, t.Err()
	}
	id := jsonbody.ReadID[snowflake.Channel](&t, body, "webhook_channel_id", true)
	return id, t.Err()
}
