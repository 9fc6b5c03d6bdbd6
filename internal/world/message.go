package world

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Message is a message that a channel or a thread has at the start. The id says when it was written.
type Message struct {
	ID         snowflake.Message `json:"id"`
	Author     snowflake.User    `json:"author,omitzero"`  // a user, or a bot by the id of its application
	Webhook    snowflake.Webhook `json:"webhook,omitzero"` // that wrote it, instead of an author
	Content    string            `json:"content,omitzero"`
	Embeds     []Definition      `json:"embeds,omitzero"`
	Components []Definition      `json:"components,omitzero"`
	Flags      int               `json:"flags,omitzero"`
	ReplyTo    snowflake.Message `json:"reply_to,omitzero"` // an earlier message of the channel
	Pinned     bool              `json:"pinned,omitzero"`
}

func (m *Message) read(o *object) {
	m.ID = id[snowflake.Message](o, "id")
	m.Author = id[snowflake.User](o, "author")
	m.Webhook = id[snowflake.Webhook](o, "webhook")
	m.Content = o.mayBeEmpty("content")
	m.Embeds = definitions(o, "embeds", 10)
	m.Components = definitions(o, "components", 40)
	m.Flags = o.int("flags", 0, 1<<30)
	m.ReplyTo = id[snowflake.Message](o, "reply_to")
	m.Pinned = o.bool("pinned")
}

// definitions reads a list of objects in the format of the API.
func definitions(o *object, key string, limit int) []Definition {
	if items, _ := o.items(key, 0, limit); len(items) == 0 {
		return nil
	}
	return Definitions(o.value.Get(key))
}

// Definitions returns the objects of a list.
func Definitions(list jsonbody.Value) (all []Definition) {
	for _, item := range list.Items() {
		all = append(all, Definition{appendValue(nil, item)})
	}
	return all
}

func (m *Message) complete(t *jsonbody.Tree) {
	required(t, "id", m.ID != 0)
	required(t, "author", m.Author != 0 || m.Webhook != 0)
	if m.Author != 0 && m.Webhook != 0 {
		find(t, "webhook", func(at *jsonbody.Tree) { at.Add(Misplaced, "A message has an author or a webhook, not both.") })
	}
	_, err := m.Parse()
	if errors.Is(err, message.ErrEmpty) {
		required(t, "content", false)
	}
	Graft(t, err)
}

// Parse returns the content of the message, or an error of message.ReadCreate.
func (m *Message) Parse() (message.Content, error) {
	body, _ := jsontext.AppendQuote([]byte(`{"content":`), m.Content) // the file is UTF-8
	for _, part := range []struct {
		key  string
		list []Definition
	}{{"embeds", m.Embeds}, {"components", m.Components}} {
		if len(part.list) > 0 {
			body = append(append(body, `,"`+part.key+`":`...), (&Commands{Definitions: part.list}).JSON()...)
		}
	}
	body = append(body, `,"flags":`...)
	body = append(strconv.AppendInt(body, int64(m.Flags), 10), '}')
	v, err := jsonbody.Parse(body)
	if err != nil {
		return message.Content{}, err
	}
	in, err := message.ReadCreate(v, nil, false)
	return in.Content, err
}

// Webhook is a webhook of a channel. Its token is made when it is new.
type Webhook struct {
	ID      snowflake.Webhook `json:"id"`
	Name    string            `json:"name"`             // default: "webhook-" and its id
	Creator snowflake.User    `json:"creator,omitzero"` // a user, or a bot by the id of its application
}

func (h *Webhook) read(o *object) {
	h.ID = id[snowflake.Webhook](o, "id")
	h.Name = o.text("name")
	h.Creator = id[snowflake.User](o, "creator")
}

func (h *Webhook) complete(t *jsonbody.Tree) {
	h.Name = cmp.Or(h.Name, "webhook-"+h.ID.String())
	required(t, "id", h.ID != 0)
	name(t, "name", h.Name, 1, 80)
}

// Thread is a thread of a channel, with its messages.
type Thread struct {
	ID       snowflake.Channel `json:"id"`
	Name     string            `json:"name"`             // default: "thread-" and its id
	Type     int               `json:"type,omitzero"`    // default: public
	Owner    snowflake.User    `json:"owner,omitzero"`   // default: the owner of the guild
	Members  []snowflake.User  `json:"members,omitzero"` // the owner is one too
	Archived bool              `json:"archived,omitzero"`
	Locked   bool              `json:"locked,omitzero"`
	Messages []Message         `json:"messages,omitzero"` // ascending ids
}

func (h *Thread) read(o *object) {
	h.ID = id[snowflake.Channel](o, "id")
	h.Name = o.text("name")
	h.Type = o.int("type", 0, PrivateThread)
	h.Owner = id[snowflake.User](o, "owner")
	h.Members = ids[snowflake.User](o, "members", MaxThreads)
	h.Archived = o.bool("archived")
	h.Locked = o.bool("locked")
	h.Messages = list[Message](o, "messages", MaxMessages)
}

func (h *Thread) complete(t *jsonbody.Tree) {
	h.Name = cmp.Or(h.Name, "thread-"+h.ID.String())
	required(t, "id", h.ID != 0)
	name(t, "name", h.Name, 1, 100)
	completeAll(t.At("messages"), &h.Messages, MaxMessages)
	if h.Type != 0 && !IsThread(h.Type) {
		find(t, "type", func(at *jsonbody.Tree) { jsonbody.NotOneOfInts(at, AnnouncementThread, PublicThread, PrivateThread) })
	}
	inOrder(t.At("messages"), h.Messages)
}

// checkContents sets the types of threads, and reports contents that the channel's type does not allow.
func (c *Channel) checkContents(t *jsonbody.Tree) {
	misplaced := func(key, text string) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(Misplaced, text) })
	}
	if len(c.Threads) > 0 && !HoldsThreads(c.Type) {
		misplaced("threads", "A channel of this type has no threads.")
	}
	if len(c.Messages) > 0 && slices.Contains([]int{Category, DirectoryChannel, ForumChannel, MediaChannel}, c.Type) {
		misplaced("messages", "A channel of this type has no messages.")
	}
	if len(c.Webhooks) > 0 && (IsThread(c.Type) || c.Type == Category) {
		misplaced("webhooks", "A channel of this type has no webhooks.")
	}
	for i := range c.Threads {
		if c.Threads[i].Type == 0 {
			c.Threads[i].Type = PublicThread
			if c.Type == AnnouncementChannel {
				c.Threads[i].Type = AnnouncementThread
			}
		}
	}
	inOrder(t.At("messages"), c.Messages)
}

// inOrder reports the first message whose id is not above the one before.
func inOrder(t *jsonbody.Tree, list []Message) {
	for i := 1; i < len(list); i++ {
		if list[i].ID <= list[i-1].ID {
			t.Index(i).At("id").Add(Misplaced, "The ids of messages ascend.")
			return
		}
	}
}
