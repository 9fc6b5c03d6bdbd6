package userclient

import (
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Mark begins a new list of events.
func (u *Client) Mark() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.events = nil
}

// happened is an event since the last mark.
type happened struct {
	name string
	data jsonbody.Value
}

// SentByApps returns the messages that apps sent to a channel since the last mark, oldest first, in their present state.
func (u *Client) SentByApps(channel string) []jsonbody.Value {
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

// EditedByApps reports whether an app edited a message of a channel since the last mark.
func (u *Client) EditedByApps(channel string) bool {
	return u.saw(func(e happened) bool {
		return e.name == "MESSAGE_UPDATE" && e.data.Get("channel_id").Text() == channel && isBot(e.data) && e.data.Get("edited_timestamp").IsSet()
	})
}

// OpenedByApps reports whether an app created a thread of a channel with a name since the last mark.
func (u *Client) OpenedByApps(channel, name string, isApp func(id string) bool) bool {
	return u.saw(func(e happened) bool {
		return e.name == "THREAD_CREATE" && e.data.Get("parent_id").Text() == channel && e.data.Get("name").Text() == name && isApp(e.data.Get("owner_id").Text())
	})
}

// TypedByApps reports whether an app typed in a channel since the last mark.
func (u *Client) TypedByApps(channel string, isApp func(id string) bool) bool {
	return u.saw(func(e happened) bool {
		return e.name == "TYPING_START" && e.data.Get("channel_id").Text() == channel && isApp(e.data.Get("user_id").Text())
	})
}

// saw reports whether there was an event since the last mark.
func (u *Client) saw(match func(happened) bool) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.events, match)
}

// Deleted reports whether a message of a channel was deleted since the last mark. The deletion by the person does not count.
func (u *Client) Deleted(channel, byPerson string) bool {
	return u.saw(func(e happened) bool {
		return e.name == "MESSAGE_DELETE" && e.data.Get("channel_id").Text() == channel && e.data.Get("id").Text() != byPerson ||
			e.name == "MESSAGE_DELETE_BULK" && e.data.Get("channel_id").Text() == channel
	})
}

// Reactions returns the emojis with which apps reacted to a message since the last mark, without removed reactions.
func (u *Client) Reactions(message string, isApp func(id string) bool) []string {
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

// ThreadID returns the id of a thread of a guild that the user sees, or "".
func (u *Client) ThreadID(guild, name string) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.threads[guild+"/"+name]
}

// countVote changes the number of votes for an answer of a poll. The service sends no other event about it. The caller holds mu.
func (u *Client) countVote(d jsonbody.Value, add int64) {
	channel := d.Get("channel_id").Text()
	i := slices.IndexFunc(u.messages[channel], func(m jsonbody.Value) bool { return m.Get("id").Text() == d.Get("message_id").Text() })
	if i < 0 {
		return
	}
	m := u.messages[channel][i]
	poll, answer := m.Get("poll"), d.Get("answer_id")
	results := poll.Get("results")
	counts := slices.Clone(results.Get("answer_counts").Items())
	at := slices.IndexFunc(counts, func(c jsonbody.Value) bool { return c.Get("id").Text() == answer.Text() })
	if at < 0 {
		at = len(counts)
		counts = append(counts, jsonbody.ObjectOf(jsonbody.Member{Name: "id", Value: answer}))
	}
	n, _ := strconv.ParseInt(counts[at].Get("count").Text(), 10, 64) // 0 for a new one
	counts[at] = with(counts[at], "count", jsonbody.IntOf(int(n+add)))
	results = with(results, "answer_counts", jsonbody.ListOf(counts...))
	u.messages[channel][i] = with(m, "poll", with(poll, "results", results))
}

// with returns an object with a member in place of its own.
func with(v jsonbody.Value, name string, member jsonbody.Value) jsonbody.Value {
	return v.With(jsonbody.ObjectOf(jsonbody.Member{Name: name, Value: member}))
}
