package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
)

// last names the newest message.
const last = "last"

// say does the action of a person in the channel: a message, a reaction, an edit, a deletion, a vote or typing. The subject of the answer
// is the message.
func (x *execution) say(ctx context.Context, s *Step) (answer, error) {
	for _, one := range x.clients {
		one.Mark()
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
	case "vote":
		body["vote"] = *s.Vote
		body["message"], err = x.messageID(ctx, s.Message, false)
	case "typing":
		body["typing"] = true
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
		maps.DeleteFunc(x.said, func(_, id string) bool { return id == x.removed })
	}
	if s.Say != "" {
		x.acted = got.subject.Get("id").Text()
		x.said[x.in], x.said[x.in+" "+x.as] = x.acted, x.acted
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
	newest := x.said[x.in] // its event can still be under way
	if own && x.said[x.in+" "+x.as] != "" {
		return x.said[x.in+" "+x.as], nil
	}
	for _, m := range slices.Backward(one.Seen(x.in)) {
		if id := m.Get("id").Text(); len(id) > len(newest) || len(id) == len(newest) && id > newest {
			newest = id
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
	channel := x.in
	if e.In != "" {
		channel = cmp.Or(x.channelID(e.In), e.In)
	}
	one, err := x.watcher(ctx, s, e, channel)
	if err != nil {
		ms.add("messages", "a user who sees them", err.Error())
		return ms
	}
	if (s.expectsMessage() || e.In != "") && (e.Content != nil || e.At != nil || e.Ephemeral != nil) {
		if sent := one.SentByApps(channel); len(sent) > 0 {
			ms.answer(e, answer{subject: sent[0]})
		} else {
			ms.add("message", "the app sends one", "none")
		}
	}
	if len(e.Reactions) > 0 {
		seen := one.Reactions(x.acted, x.isApp)
		for _, emoji := range e.Reactions {
			if !slices.Contains(seen, emoji) {
				ms.add("reactions", emoji, "["+strings.Join(seen, " ")+"]")
			}
		}
	}
	if e.Edited != nil {
		ms.flag("edited", *e.Edited, one.EditedByApps(channel))
	}
	if e.Thread != "" && !one.OpenedByApps(channel, e.Thread, x.isApp) {
		ms.add("thread", e.Thread, "no such thread of an app")
	}
	if e.Typing != nil {
		ms.flag("typing", *e.Typing, one.TypedByApps(channel, x.isApp))
	}
	if e.Deleted != nil {
		ms.flag("deleted", *e.Deleted, one.Deleted(channel, x.removed))
	}
	return ms
}

// channelID returns the id of a channel: the id itself, a channel of the world, or a thread that a user sees. It returns "" for an
// unknown name.
func (x *execution) channelID(name string) string {
	if id, ok := x.vars["channel."+name]; ok {
		return id
	}
	if _, err := snowflake.Parse[snowflake.Channel](name); err == nil {
		return name
	}
	guild, thread, _ := strings.Cut(name, "/")
	for _, one := range x.clients {
		if id := one.ThreadID(x.vars["guild."+guild], thread); id != "" {
			return id
		}
	}
	return ""
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
