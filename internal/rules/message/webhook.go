package message

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Execute is a request to send a message through a webhook.
type Execute struct {
	Content    Content
	Username   string // empty: the name of the webhook
	AvatarURL  string
	ThreadName string // of the post to create in a forum
	Tags       []snowflake.Tag
}

// Limits of messages of webhooks.
const (
	MaxWebhookName = 80
	maxThreadName  = 100
	MaxTags        = 5 // of a post in a forum
)

// WebhookAccess says which components a webhook can send.
type WebhookAccess struct {
	AppOwned       bool // the webhook belongs to an app
	WithComponents bool // the request has with_components
}

// ReadExecute reads a request to send a message through a webhook. The error is a *jsonbody.Tree or ErrEmpty.
func ReadExecute(body jsonbody.Value, files []File, access WebhookAccess) (Execute, error) {
	var t jsonbody.Tree
	e := Execute{Content: Content{}.amended(&t, access.limited(body), files, &webhookForm)}
	access.check(&t, e.Content.Components)
	e.Username = ReadWebhookName(&t, body, "username", false)
	if v := body.Get("avatar_url"); v.IsSet() && v.Text() != "" {
		e.AvatarURL = webURL(t.At("avatar_url"), v).Text()
	}
	e.ThreadName = strings.TrimSpace(jsonbody.ReadText(&t, body, "thread_name", false, 0, maxThreadName))
	e.Tags = ReadTags(t.At("applied_tags"), body.Get("applied_tags"))
	var err error
	if e.Content, err = e.Content.checked(&t); err != nil {
		return Execute{}, err
	}
	return e, nil
}

// ReadWebhookEdit reads an edit of a message of a webhook. The error is a *jsonbody.Tree or ErrEmpty.
func ReadWebhookEdit(body jsonbody.Value, old Content, files []File, access WebhookAccess) (Content, error) {
	var t jsonbody.Tree
	c := old.amended(&t, access.limited(body), files, &webhookEdit)
	access.check(&t, c.Components)
	return c.checked(&t)
}

// limited returns the body without components that the webhook cannot send.
func (a WebhookAccess) limited(body jsonbody.Value) jsonbody.Value {
	if a.AppOwned || a.WithComponents {
		return body
	}
	return without(body, "components")
}

// check refuses interactive components of a webhook without an app, because no app would get their interactions.
func (a WebhookAccess) check(t *jsonbody.Tree, c Components) {
	if !a.AppOwned && c.interactive() {
		t.At("components").Add(InteractiveHidden, "Webhooks that no application owns cannot send interactive components")
	}
}

// interactive reports whether one of the components creates interactions.
func (c Components) interactive() bool {
	return slices.ContainsFunc(c.list.Items(), createsInteraction)
}

func createsInteraction(v jsonbody.Value) bool {
	return v.Get("custom_id").IsSet() || slices.ContainsFunc(v.Get("components").Items(), createsInteraction) ||
		v.Get("accessory").IsSet() && createsInteraction(v.Get("accessory"))
}

// CheckThread checks where the message goes. forum says that the channel has only posts, and thread that the request
// names a thread. The error is an *apierror.Error.
func (e Execute) CheckThread(forum, thread bool) error {
	switch {
	case !forum && e.ThreadName != "":
		return apierror.ThreadOutsideForum
	case !forum:
		return nil
	case e.ThreadName == "" && !thread:
		return apierror.ThreadNeeded
	case e.ThreadName != "" && thread:
		return apierror.ThreadTwice
	}
	return nil
}

// ReadTags reads the tags of a post in a forum, each once.
func ReadTags(t *jsonbody.Tree, v jsonbody.Value) []snowflake.Tag {
	if !v.IsSet() {
		return nil
	}
	var tags []snowflake.Tag
	seen := map[snowflake.Tag]bool{}
	for _, tag := range ids[snowflake.Tag](readTags(t, v)) {
		if !seen[tag] {
			tags = append(tags, tag)
		}
		seen[tag] = true
	}
	return tags
}

var readTags = list(0, MaxTags, id)

// ReadWebhookName reads the name of a webhook, or the name under which it sends a message. It removes blanks around the
// name.
func ReadWebhookName(t *jsonbody.Tree, body jsonbody.Value, key string, need bool) string {
	v := body.Get(key)
	if !v.IsSet() {
		if need {
			t.At(key).Required()
		}
		return ""
	}
	s, ok := jsonbody.AsString(t.At(key), v)
	if !ok {
		return ""
	}
	name := strings.TrimSpace(s)
	jsonbody.CheckLength(t.At(key), jsonbody.Len(name), 1, MaxWebhookName)
	folded := strings.ToLower(name)
	for _, word := range []string{"clyde", "discord"} {
		if strings.Contains(folded, word) {
			t.At(key).Add(NameContains, `Username cannot contain "`+word+`"`)
		}
	}
	if folded == "everyone" || folded == "here" {
		t.At(key).Add(NameInvalid, "Username is invalid")
	}
	return name
}
