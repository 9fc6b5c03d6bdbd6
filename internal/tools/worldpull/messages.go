package worldpull

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxMessages is the largest number of messages that a pull reads of a channel: one page.
const MaxMessages = 100

// pulledMessage holds the members of a message that a world can have.
type pulledMessage struct {
	ID         snowflake.Message `json:"id"`
	Type       message.Type      `json:"type"`
	Author     wire.User         `json:"author"`
	Webhook    string            `json:"webhook_id"`
	Content    string            `json:"content"`
	Embeds     jsontext.Value    `json:"embeds"`
	Components jsontext.Value    `json:"components"`
	Flags      message.Flags     `json:"flags"`
	Pinned     bool              `json:"pinned"`
	Reference  struct {
		Message snowflake.Message `json:"message_id"`
	} `json:"message_reference"`
}

// readMessages adds the newest messages to the text channels of a guild.
func (p *Puller) readMessages(ctx context.Context, g *world.Guild) error {
	left := 0
	for i := range g.Channels {
		c := &g.Channels[i]
		if c.Type != world.TextChannel && c.Type != world.AnnouncementChannel {
			continue
		}
		var page []pulledMessage
		err := p.get(ctx, "/channels/"+c.ID.String()+"/messages", url.Values{"limit": {strconv.Itoa(p.Messages)}}, &page)
		if refused(err) {
			p.Notes = append(p.Notes, "channel "+c.ID.String()+": the token may not read its messages")
			continue
		}
		if err != nil {
			return err
		}
		for j := range page {
			if m, ok := p.worldMessage(&page[j]); ok {
				c.Messages = append(c.Messages, m)
			} else {
				left++
			}
		}
		sortBy(c.Messages, func(m world.Message) snowflake.Message { return m.ID })
		for j := range c.Messages {
			if m := &c.Messages[j]; !slices.ContainsFunc(c.Messages, func(to world.Message) bool { return to.ID == m.ReplyTo }) {
				m.ReplyTo = 0
			}
		}
		p.Progress.Step(int64(i+1), int64(len(g.Channels)))
	}
	if left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d messages left out: notices, polls, files without text, and messages of webhooks and of other bots", left))
	}
	return nil
}

// worldMessage returns a message as a record of a world. It reports false for a message that a world cannot have.
func (p *Puller) worldMessage(from *pulledMessage) (world.Message, bool) {
	author := p.own(from.Author.ID)
	own := author == snowflake.User(p.app.ID)
	if !from.Type.Written() || from.Webhook != "" && !own || from.Author.Bot && !own {
		return world.Message{}, false
	}
	const settable = message.SuppressEmbeds | message.SuppressNotifications | message.IsComponentsV2
	m := world.Message{
		ID: from.ID, Author: author, Content: from.Content, Flags: int(from.Flags & settable), ReplyTo: from.Reference.Message, Pinned: from.Pinned,
		Embeds: objects(from.Embeds), Components: objects(from.Components),
	}
	if _, err := m.Parse(); err != nil {
		return m, false
	}
	if !own {
		p.users[author] = worldUser(from.Author)
	}
	return m, true
}

// objects returns the objects of a JSON list.
func objects(list jsontext.Value) []world.Definition {
	v, err := jsonbody.Parse(list)
	if err != nil {
		return nil // absent
	}
	return world.Definitions(v)
}
