package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// last names the newest message.
const last = "last"

// say does the action of a person in the channel: a message, a reaction, an edit or a deletion. The subject of the answer
// is the message.
func (x *execution) say(ctx context.Context, s *Step) (answer, error) {
	for _, one := range x.clients {
		one.mark()
	}
	body := object{"as": x.as, "in": x.in}
	var err error
	switch s.action() {
	case "say":
		body["content"] = s.Say
		if s.Reply != "" {
			body["reply_to"], err = x.messageID(ctx, s.Reply, false)
		}
	case "react":
		body["react"] = s.React
		body["message"], err = x.messageID(ctx, s.Message, false)
	case "edit":
		body["edit"] = s.Edit
		body["message"], err = x.messageID(ctx, s.Message, true)
	case "delete":
		body["delete"] = true
		body["message"], err = x.messageID(ctx, s.Message, true)
	}
	if err != nil {
		return answer{}, err
	}
	q := client.Request{Method: http.MethodPost, Path: x.service.url + "/_dev/say", Body: body}
	if len(s.Attachments) > 0 {
		form, contentType, err := x.form(body, s.Attachments)
		if err != nil {
			return answer{}, err
		}
		q.Body, q.Header = form, http.Header{"Content-Type": {contentType}, "X-Bellhop-Dev": {"1"}}
	}
	got, err := x.request(ctx, "", q)
	if err != nil || got.refused != nil {
		return got, err
	}
	got.subject = got.body.Get("message")
	x.acted, _ = body["message"].(string)
	x.removed = ""
	if s.Delete {
		x.removed = x.acted
	}
	if s.Say != "" {
		x.acted = got.subject.Get("id").Text()
	}
	if s.Save != "" {
		x.vars[s.Save] = x.acted
	}
	return got, nil
}

// messageID returns the id of a message: that of a saved name, or the newest one that the user sees in the channel. With
// own, it is the newest one of the user, if there is one.
func (x *execution) messageID(ctx context.Context, name string, own bool) (string, error) {
	if name != "" && name != last {
		if id, ok := x.vars[name]; ok {
			return id, nil
		}
		if _, err := snowflake.Parse[snowflake.Message](name); err != nil {
			return "", fmt.Errorf("no earlier step saves a message as %q", name)
		}
		return name, nil
	}
	one, err := x.currentUser(ctx)
	if err != nil {
		return "", err
	}
	user, err := x.service.user(x.as)
	if err != nil {
		return "", err
	}
	newest := ""
	for _, m := range slices.Backward(one.seen(x.in)) {
		if newest == "" {
			newest = m.Get("id").Text()
		}
		if own && m.Get("author").Get("id").Text() == user.ID.String() {
			return m.Get("id").Text(), nil
		}
	}
	if newest == "" {
		return "", errors.New("there is no message yet")
	}
	return newest, nil
}

// appDid checks what apps did in a channel since the last action of a person.
func (x *execution) appDid(ctx context.Context, s *Step, e *Expect) (ms mismatches) {
	one, err := x.currentUser(ctx)
	if err != nil {
		ms.add("messages", "a user who sees them", err.Error())
		return ms
	}
	channel := x.in
	if e.In != "" {
		channel = e.In
		if id, ok := x.vars["channel."+e.In]; ok {
			channel = id
		}
	}
	if (s.writes() || e.In != "") && (e.Content != nil || e.At != nil || e.Ephemeral != nil) {
		if sent := one.sentByApps(channel); len(sent) > 0 {
			ms.answer(e, answer{subject: sent[0]})
		} else {
			ms.add("message", "the app sends one", "none")
		}
	}
	if len(e.Reactions) > 0 {
		seen := one.reactions(x.acted, x.isApp)
		for _, emoji := range e.Reactions {
			if !slices.Contains(seen, emoji) {
				ms.add("reactions", emoji, "["+strings.Join(seen, " ")+"]")
			}
		}
	}
	if e.Edited != nil {
		ms.flag("edited", *e.Edited, one.editedByApps(channel))
	}
	if e.Deleted != nil {
		ms.flag("deleted", *e.Deleted, one.deleted(channel, x.removed))
	}
	return ms
}

// flag compares what happened with what was expected.
func (ms *mismatches) flag(what string, want, got bool) {
	if want != got {
		ms.add(what, strconv.FormatBool(want), strconv.FormatBool(got))
	}
}

// isApp reports whether an id is that of an app of the world.
func (x *execution) isApp(id string) bool {
	for name, known := range x.vars {
		if known == id && strings.HasPrefix(name, "app.") {
			return true
		}
	}
	return false
}

// mark begins a new list of events.
func (u *userClient) mark() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.events = nil
}

// happened is an event since the last mark.
type happened struct {
	name string
	data jsonbody.Value
}

// sentByApps returns the messages that apps sent to a channel since the last mark, oldest first, in their present state.
func (u *userClient) sentByApps(channel string) []jsonbody.Value {
	u.mu.Lock()
	defer u.mu.Unlock()
	var sent []jsonbody.Value
	for _, e := range u.events {
		if e.name != "MESSAGE_CREATE" || e.data.Get("channel_id").Text() != channel || !isBot(e.data) {
			continue
		}
		if i := u.index(e.data); i >= 0 {
			sent = append(sent, u.messages[channel][i])
		}
	}
	return sent
}

// isBot reports whether an app wrote a message.
func isBot(m jsonbody.Value) bool { return jsonbody.IsTrue(m.Get("author"), "bot") }

// editedByApps reports whether an app edited a message of a channel since the last mark.
func (u *userClient) editedByApps(channel string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.events, func(e happened) bool {
		return e.name == "MESSAGE_UPDATE" && e.data.Get("channel_id").Text() == channel && isBot(e.data) && e.data.Get("edited_timestamp").IsSet()
	})
}

// deleted reports whether a message of a channel was deleted since the last mark. The deletion by the person does not count.
func (u *userClient) deleted(channel, byPerson string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.events, func(e happened) bool {
		return e.name == "MESSAGE_DELETE" && e.data.Get("channel_id").Text() == channel && e.data.Get("id").Text() != byPerson ||
			e.name == "MESSAGE_DELETE_BULK" && e.data.Get("channel_id").Text() == channel
	})
}

// reactions returns the emojis with which apps reacted to a message since the last mark, without removed reactions.
func (u *userClient) reactions(message string, isApp func(id string) bool) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var list []string
	for _, e := range u.events {
		emoji := e.data.Get("emoji").Get("name").Text()
		switch {
		case e.data.Get("message_id").Text() != message || !isApp(e.data.Get("user_id").Text()):
		case e.name == "MESSAGE_REACTION_ADD":
			list = append(list, emoji)
		case e.name == "MESSAGE_REACTION_REMOVE":
			list = slices.DeleteFunc(list, func(known string) bool { return known == emoji })
		}
	}
	return list
}
