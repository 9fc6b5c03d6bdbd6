package storetest

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// channelCases are the records of what happens in channels.
func channelCases() []recordCase {
	reaction := store.Reaction{Channel: 310, Message: 5, Emoji: "🔥", User: 200}
	vote := store.Vote{Channel: 310, Message: 5, Answer: 2, User: 200}
	hook := store.Webhook{
		ID: 70, Type: 1, Guild: 300, Channel: 310, Application: 100, User: 200, Name: "CI", Avatar: "a1", Salt: []byte{0, 255},
		SourceGuild: 301, SourceChannel: 320,
	}
	invite := store.GuildInvite{
		Code: "aB3", Guild: 300, Channel: 310, Inviter: 200, Created: noon, Expires: noon.Add(time.Hour), MaxAge: 3600, MaxUses: 5, Uses: 1,
		Temporary: true, TargetType: 1, TargetUser: 201, Application: 100, Roles: []snowflake.Role{301},
	}
	image := store.Image{Place: "avatars/200", Hash: "a_1", File: 90, Guild: 300, ContentType: "image/gif", Of: store.UserSubject(200)}
	emoji := store.CustomEmoji{
		ID: 80, Guild: 300, Name: "cat", Animated: true, Roles: []snowflake.Role{301}, User: 200, Image: "a_1",
	}
	ofApp := store.CustomEmoji{ID: 81, Application: 100, Name: "dog", User: 100, Image: "1"}
	planned := store.ScheduledEvent{
		ID: 82, Guild: 300, Creator: 200, Name: "Party", Description: "Cake", Start: noon, End: noon.Add(time.Hour), Entity: 3, Channel: 310,
		Location: "Pub", Status: 1, Image: "1", Recurrence: jsontext.Value(`{"a":1}`), Users: 2, Due: noon,
	}
	entitled := store.Entitlement{
		ID: 83, Application: 100, SKU: 5, Guild: 300, User: 200, Type: 8, Subscription: 84, Starts: noon, Ends: noon.Add(time.Hour), Deleted: true, Consumed: true,
	}
	subscribed := store.Subscription{
		ID: 84, Application: 100, SKU: 5, User: 200, Guild: 300, Entitlement: 83, Start: noon, End: noon.Add(time.Hour), Status: 2, Canceled: noon, Due: noon,
	}
	connected := store.RoleConnection{Application: 100, User: 200, PlatformName: "A", PlatformUsername: "B", Metadata: map[string]string{"a": "1"}}
	interest := store.EventUser{Guild: 300, Event: 82, User: 200}
	return []recordCase{
		{
			name: "scheduled event", full: planned, bare: store.ScheduledEvent{ID: 82, Guild: 300}, key: new(store.ScheduledEventKey(planned)),
			get: func(r store.Reader) (any, error) { return value(only(r.Directory.ScheduledEvents(300))) },
		},
		{
			name: "entitlement", full: entitled, bare: store.Entitlement{ID: 83, Application: 100, SKU: 5, Guild: 300, User: 200}, key: new(store.EntitlementKey(entitled)),
			get: func(r store.Reader) (any, error) {
				return value(only(r.Directory.EntitlementsOf(store.Owner{Application: 100, Guild: 300})))
			},
		},
		{
			name: "subscription", full: subscribed, bare: store.Subscription{ID: 84, Application: 100, SKU: 5, User: 200, Guild: 300}, key: new(store.SubscriptionKey(subscribed)),
			get: func(r store.Reader) (any, error) { return value(r.Directory.Subscription(84)) },
		},
		{
			name: "role connection", full: connected, bare: store.RoleConnection{Application: 100, User: 200}, key: new(store.RoleConnectionKey(100, 200)),
			get: func(r store.Reader) (any, error) { return value(r.Directory.RoleConnection(100, 200)) },
		},
		{
			name: "interest in a scheduled event", full: interest, bare: interest, key: new(store.EventUserKey(interest)),
			get: func(r store.Reader) (any, error) {
				return exists(interest, func() (bool, error) { return r.Directory.IsInterested(82, 200) })
			},
		},
		{
			name: "emoji of a guild", full: emoji, bare: store.CustomEmoji{ID: 80, Guild: 300}, key: new(store.EmojiKey(emoji)),
			get: func(r store.Reader) (any, error) { return value(only(r.Directory.Emojis(300))) },
		},
		{
			name: "emoji of an application", full: ofApp, bare: store.CustomEmoji{ID: 81, Application: 100}, key: new(store.EmojiKey(ofApp)),
			get: func(r store.Reader) (any, error) { return value(r.Directory.Emoji(81)) },
		},
		{
			name: "image", full: image, bare: store.Image{Place: "avatars/200", Hash: "a_1", File: 91, Of: store.UserSubject(200)},
			get: func(r store.Reader) (any, error) {
				i, err := r.Images.Image("avatars/200", "a_1")
				i.Of = image.Of
				return value(i, err)
			},
			key: new(store.ImageKey(image)),
		},
		{
			name: "messages of a channel",
			full: store.ChannelMessages{Channel: 310, Guild: 300, Last: 9, Count: 3, Sent: 4, Pins: 2, LastPin: noon},
			bare: store.ChannelMessages{Channel: 310, Guild: 300}, // the guild never changes
			get:  func(r store.Reader) (any, error) { return value(r.Messages.Channel(310)) },
			key:  new(store.ChannelMessagesKey(310)),
		},
		{
			name: "pin",
			full: store.Pin{Channel: 310, Message: 5, At: noon}, bare: store.Pin{Channel: 310, Message: 5, At: noon},
			get: func(r store.Reader) (any, error) { return value(only(r.Messages.Pins(310))) },
			key: new(store.PinKey(310, 5)),
		},
		{
			name: "reaction", full: reaction, bare: reaction, key: new(store.ReactionKey(reaction)),
			get: func(r store.Reader) (any, error) {
				return exists(reaction, func() (bool, error) { return r.Messages.Reacted(5, "🔥", 200) })
			},
		},
		{
			name: "vote", full: vote, bare: vote, key: new(store.VoteKey(vote)),
			get: func(r store.Reader) (any, error) {
				return exists(vote, func() (bool, error) { return r.Messages.Voted(5, 2, 200) })
			},
		},
		{
			name: "slow mode", full: store.SlowMode{Channel: 310, User: 200, Until: noon}, bare: store.SlowMode{Channel: 310, User: 200, Until: noon.Add(time.Hour)},
			get: func(r store.Reader) (any, error) { return value(r.Messages.SlowMode(310, 200)) },
			key: new(store.SlowModeKey(310, 200)),
		},
		{
			name: "last day",
			full: store.LastDay{User: 200, Day: 20594},
			bare: store.LastDay{User: 200},
			get:  func(r store.Reader) (any, error) { return value(r.Directory.LastDay(200)) },
			key:  new(store.LastDayKey(200)),
		},
		{
			name: "event failures",
			full: store.EventFailures{Application: 100, Count: 3, At: noon, Why: "it answered 500"},
			bare: store.EventFailures{Application: 100, At: noon},
			get:  func(r store.Reader) (any, error) { return value(r.Outbox.EventFailures(100)) },
			key:  new(store.EventFailuresKey(100)),
		},
		{
			name: "thread member",
			full: store.ThreadMember{Thread: 320, User: 200, Joined: noon}, bare: store.ThreadMember{Thread: 320, User: 200, Joined: noon},
			get: func(r store.Reader) (any, error) { return value(only(r.Threads.Members(320))) },
			key: new(store.ThreadMemberKey(320, 200)),
		},
		{
			name: "webhook", full: hook, bare: store.Webhook{ID: 70, Channel: 310}, key: new(store.WebhookKey(hook)),
			get: func(r store.Reader) (any, error) { return value(r.Webhooks.Webhook(70)) },
		},
		{
			name: "invite to a guild", full: invite, bare: store.GuildInvite{Code: "aB3", Guild: 300, Created: noon},
			key: new(store.GuildInviteKey(invite)),
			get: func(r store.Reader) (any, error) { return value(r.Invites.Invite("aB3")) },
		},
		{
			name: "ban", full: store.Ban{Guild: 300, User: 201, Reason: "spam"}, bare: store.Ban{Guild: 300, User: 201}, key: new(store.BanKey(300, 201)),
			get: func(r store.Reader) (any, error) { return value(r.Directory.Ban(300, 201)) },
		},
	}
}

// exists returns a record if it is stored.
func exists(record store.Record, stored func() (bool, error)) (any, error) {
	found, err := stored()
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return record, err
}

func channelQueryCases() []queryCase {
	pin := func(id snowflake.Message, minutes int) store.Pin {
		return store.Pin{Channel: 310, Message: id, At: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	return []queryCase{
		{
			name: "messages of channels",
			put: []store.Record{
				store.ChannelMessages{Channel: 310, Guild: 300, Last: 9},
				store.ChannelMessages{Channel: 311, Guild: 301},
				store.ChannelMessages{Channel: 309, Guild: 300},
				store.ChannelMessages{Channel: 312, Guild: 300},
			},
			delete: []store.Key{store.ChannelMessagesKey(312)},
			queries: []query{snapshotQuery(
				"OfChannels()", map[snowflake.Channel]store.ChannelMessages{309: {Channel: 309, Guild: 300}, 310: {Channel: 310, Guild: 300, Last: 9}},
				func(r store.Reader) (map[snowflake.Channel]store.ChannelMessages, error) {
					ids := make([]snowflake.Channel, 300) // more than one query
					for i := range ids {
						ids[i] = snowflake.Channel(1000 + i)
					}
					return r.Messages.OfChannels(append(ids, 309, 310, 312)...)
				},
			)},
		},
		{
			name:   "pins",
			put:    []store.Record{pin(1, 1), pin(2, 3), pin(3, 2), pin(4, 4), store.Pin{Channel: 311, Message: 5, At: noon}},
			delete: []store.Key{store.PinKey(310, 4), store.MessageKey(3)},
			queries: []query{
				q("Pins()", []store.Pin{pin(1, 1), pin(2, 3)}, func(r store.Reader) ([]store.Pin, error) { return r.Messages.Pins(310) }),
			},
		},
		{
			name: "slow modes that ended",
			put: []store.Record{
				store.SlowMode{Channel: 310, User: 200, Until: noon.Add(time.Minute)},
				store.SlowMode{Channel: 310, User: 201, Until: noon},
				store.SlowMode{Channel: 311, User: 200, Until: noon.Add(time.Hour)},
			},
			queries: []query{snapshotQuery("EndedSlowModes()", []store.SlowMode{
				{Channel: 310, User: 201, Until: noon}, {Channel: 310, User: 200, Until: noon.Add(time.Minute)},
			}, func(r store.Reader) ([]store.SlowMode, error) {
				return r.Messages.EndedSlowModes(noon.Add(time.Hour), 9)
			})},
		},
		reactionQueries(), eventQueries(), premiumQueries(), voteQueries(), threadQueries(), archivedQueries(), webhookQueries(), imageQueries(), inviteQueries(), banQueries(), crosspostQueries(), outgoingQueries(),
	}
}

func imageQueries() queryCase {
	image := func(place, hash string, file snowflake.Attachment) store.Image {
		return store.Image{Place: place, Hash: hash, File: file, ContentType: "image/png", Of: store.UserSubject(200)}
	}
	plain := func(list []store.Image, err error) ([]store.Image, error) {
		for i := range list {
			list[i].Of = store.UserSubject(200)
		}
		return list, err
	}
	one, two := image("avatars/200", "1", 90), image("avatars/200", "2", 91)
	return queryCase{
		name:   "images",
		put:    []store.Record{one, two, image("avatars/200", "3", 92), image("avatars/201", "1", 93)},
		delete: []store.Key{store.ImageKey(image("avatars/200", "3", 92))},
		queries: []query{
			q("At()", []store.Image{one, two}, func(r store.Reader) ([]store.Image, error) { return plain(r.Images.At("avatars/200")) }),
			q("WithFile()", []store.Image{two}, func(r store.Reader) ([]store.Image, error) { return plain(r.Images.WithFile(91)) }),
			q("WithFile() of none", []store.Image{}, func(r store.Reader) ([]store.Image, error) { return plain(r.Images.WithFile(92)) }),
		},
	}
}

func eventQueries() queryCase {
	event := func(id snowflake.Event, guild snowflake.Guild, due time.Time) store.ScheduledEvent {
		return store.ScheduledEvent{ID: id, Guild: guild, Due: due}
	}
	interest := func(event snowflake.Event, user snowflake.User) store.EventUser {
		return store.EventUser{Guild: 300, Event: event, User: user}
	}
	return queryCase{
		name: "scheduled events",
		put: []store.Record{
			event(1, 300, noon.Add(time.Hour)), event(2, 300, noon), event(3, 301, time.Time{}), event(4, 300, noon),
			interest(1, 200), interest(1, 201), interest(1, 202), interest(2, 200), interest(4, 200), interest(1, 203),
		},
		delete: []store.Key{store.ScheduledEventKey(event(4, 300, noon)), store.EventUserKey(interest(1, 203))},
		queries: []query{
			snapshotQuery("due", []store.DueRecord[snowflake.Event]{{ID: 2, Due: noon}, {ID: 1, Due: noon.Add(time.Hour)}}, func(r store.Reader) ([]store.DueRecord[snowflake.Event], error) {
				return r.Directory.DueScheduledEvents(5)
			}),
			q("users", []snowflake.User{201}, func(r store.Reader) ([]snowflake.User, error) { return r.Directory.EventUsers(1, 200, 1) }),
			snapshotQuery("users before", []snowflake.User{200, 201}, func(r store.Reader) ([]snowflake.User, error) { return r.Directory.EventUsersBefore(1, 202, 5) }),
			q("of a user", []snowflake.Event{1, 2}, func(r store.Reader) ([]snowflake.Event, error) { return r.Directory.EventsOfUser(200, 5) }),
		},
	}
}

func reactionQueries() queryCase {
	react := func(id snowflake.Message, emoji string, user snowflake.User) store.Reaction {
		return store.Reaction{Channel: 310, Message: id, Emoji: emoji, User: user}
	}
	reactors := func(name string, id snowflake.Message, emoji string, after snowflake.User, limit int, want ...snowflake.User) query {
		return q(name, want, func(r store.Reader) ([]snowflake.User, error) { return r.Messages.Reactors(id, emoji, after, limit) })
	}
	return queryCase{
		name: "reactions",
		put: []store.Record{
			react(1, "🔥", 202), react(1, "🔥", 200), react(1, "🔥", 201), react(1, "600", 200), react(1, "👍", 200), react(2, "🔥", 200),
			react(3, "🔥", 200),
		},
		delete: []store.Key{store.ReactionKey(react(1, "🔥", 201)), store.ReactionsKey(310, 1, "👍"), store.ReactionsKey(310, 2, ""), store.MessageKey(3)},
		queries: []query{
			reactors("of a standard emoji", 1, "🔥", 0, 9, 200, 202), reactors("after", 1, "🔥", 200, 9, 202), reactors("one", 1, "🔥", 0, 1, 200),
			reactors("of a custom emoji", 1, "600", 0, 9, 200), reactors("of a deleted emoji", 1, "👍", 0, 9),
			reactors("of a message without reactions", 2, "🔥", 0, 9), reactors("of a deleted message", 3, "🔥", 0, 9),
		},
	}
}

func voteQueries() queryCase {
	vote := func(answer int, user snowflake.User) store.Vote {
		return store.Vote{Channel: 310, Message: 1, Answer: answer, User: user}
	}
	poll := func(id snowflake.Message, minutes int) store.OpenPoll {
		return store.OpenPoll{Channel: 310, Message: id, Due: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	voters := func(name string, answer int, after snowflake.User, want ...snowflake.User) query {
		return q(name, want, func(r store.Reader) ([]snowflake.User, error) { return r.Messages.Voters(1, answer, after, 9) })
	}
	type due = store.DueRecord[snowflake.Message]
	return queryCase{
		name:   "polls and votes",
		put:    []store.Record{vote(1, 201), vote(1, 200), vote(2, 200), vote(2, 202), poll(1, 2), poll(2, 1), poll(3, 0), poll(4, 0)},
		delete: []store.Key{store.VoteKey(vote(2, 200)), store.OpenPollKey(310, 3), store.MessageKey(4)},
		queries: []query{
			voters("of an answer", 1, 0, 200, 201), voters("after", 1, 200, 201), voters("after a deletion", 2, 0, 202), voters("none", 3, 0),
			snapshotQuery("DuePolls()", []due{{ID: 2, Due: noon.Add(time.Minute)}, {ID: 1, Due: noon.Add(2 * time.Minute)}},
				func(r store.Reader) ([]due, error) { return r.Messages.DuePolls(9) }),
		},
	}
}

func threadQueries() queryCase {
	member := func(thread snowflake.Channel, user snowflake.User) store.ThreadMember {
		return store.ThreadMember{Thread: thread, User: user, Joined: noon}
	}
	return queryCase{
		name:   "members of threads",
		put:    []store.Record{member(320, 201), member(320, 200), member(321, 200), member(322, 200), member(320, 202)},
		delete: []store.Key{store.ThreadMemberKey(320, 202), store.ThreadMembersKey(322)},
		queries: []query{
			q("Members()", []store.ThreadMember{member(320, 200), member(320, 201)},
				func(r store.Reader) ([]store.ThreadMember, error) { return r.Threads.Members(320) }),
			q("Joined()", []store.ThreadMember{member(320, 200), member(321, 200)},
				func(r store.Reader) ([]store.ThreadMember, error) { return r.Threads.Joined(200) }),
		},
	}
}

func archivedQueries() queryCase {
	thread := func(id snowflake.Channel, archived int) store.Channel {
		c := store.Channel{ID: id, Guild: 300, Type: 11, Parent: 310, Thread: &store.Thread{Since: noon, Due: noon.Add(time.Hour)}}
		if archived > 0 {
			c.Archived, c.Thread.Since = true, noon.Add(time.Duration(archived)*time.Minute)
		}
		return c
	}
	ids := func(list []store.Channel, err error) ([]snowflake.Channel, error) {
		return idsOf(func(c store.Channel) snowflake.Channel { return c.ID }, list, err)
	}
	type channels = []snowflake.Channel
	return queryCase{
		name: "threads",
		put: []store.Record{
			store.Channel{ID: 310, Guild: 300},
			thread(320, 0), thread(321, 3), thread(322, 1), thread(323, 2), thread(324, 4), thread(325, 0),
			thread(321, 5), // archived again
		},
		delete: []store.Key{store.ChannelKey(thread(324, 4)), store.ChannelKey(thread(325, 0))},
		queries: []query{
			q("Channels() has no archived ones", channels{310, 320}, func(r store.Reader) (channels, error) { return ids(r.Directory.Channels(300)) }),
			snapshotQuery("Archived()", channels{321, 323, 322}, func(r store.Reader) (channels, error) {
				return ids(r.Threads.Archived(310, noon.Add(time.Hour), 9))
			}),
			snapshotQuery("Archived() before", channels{323}, func(r store.Reader) (channels, error) {
				return ids(r.Threads.Archived(310, noon.Add(5*time.Minute), 1))
			}),
			snapshotQuery("ArchivedBelow()", channels{322, 321}, func(r store.Reader) (channels, error) { return ids(r.Threads.ArchivedBelow(310, 323, 9)) }),
			snapshotQuery("Of()", channels{320, 321, 322, 323}, func(r store.Reader) (channels, error) { return ids(r.Threads.Of(310, 9)) }),
			snapshotQuery("Due()", []store.DueThread{{ID: 320, Due: noon.Add(time.Hour)}},
				func(r store.Reader) ([]store.DueThread, error) { return r.Threads.Due(9) }),
		},
	}
}

func webhookQueries() queryCase {
	hook := func(id snowflake.Webhook, guild snowflake.Guild, channel snowflake.Channel) store.Webhook {
		return store.Webhook{ID: id, Guild: guild, Channel: channel}
	}
	type hooks = []store.Webhook
	return queryCase{
		name: "webhooks",
		put: []store.Record{
			hook(72, 300, 310), hook(70, 300, 310), hook(71, 300, 311), hook(73, 301, 320), hook(74, 300, 310), hook(70, 300, 311), // moved
		},
		delete: []store.Key{store.WebhookKey(hook(74, 300, 310))},
		queries: []query{
			q("OfChannel()", hooks{hook(72, 300, 310)}, func(r store.Reader) (hooks, error) { return r.Webhooks.OfChannel(310) }),
			q("OfGuild()", hooks{hook(70, 300, 311), hook(71, 300, 311), hook(72, 300, 310)}, func(r store.Reader) (hooks, error) {
				return r.Webhooks.OfGuild(300)
			}),
		},
	}
}

func inviteQueries() queryCase {
	invite := func(code string, channel snowflake.Channel, minutes int) store.GuildInvite {
		i := store.GuildInvite{Code: code, Guild: 300, Channel: channel, Created: noon}
		if minutes > 0 {
			i.Expires = noon.Add(time.Duration(minutes) * time.Minute)
		}
		return i
	}
	type invites = []store.GuildInvite
	return queryCase{
		name: "invites to guilds",
		put: []store.Record{
			invite("b", 310, 2), invite("B", 311, 1), invite("a", 310, 0), invite("c", 310, 0), store.GuildInvite{Code: "d", Guild: 301, Created: noon},
		},
		delete: []store.Key{store.GuildInviteKey(invite("c", 310, 0))},
		queries: []query{
			q("OfGuild()", invites{invite("B", 311, 1), invite("a", 310, 0), invite("b", 310, 2)}, func(r store.Reader) (invites, error) {
				return r.Invites.OfGuild(300)
			}),
			q("OfChannel()", invites{invite("a", 310, 0), invite("b", 310, 2)}, func(r store.Reader) (invites, error) { return r.Invites.OfChannel(310) }),
			snapshotQuery("Expired()", []string{"B", "b"}, func(r store.Reader) ([]string, error) { return r.Invites.Expired(noon.Add(2*time.Minute), 9) }),
		},
	}
}

func banQueries() queryCase {
	ban := func(guild snowflake.Guild, user snowflake.User) store.Ban { return store.Ban{Guild: guild, User: user} }
	type bans = []store.Ban
	return queryCase{
		name:   "bans",
		put:    []store.Record{ban(300, 203), ban(300, 201), ban(301, 201), ban(300, 202), ban(300, 204)},
		delete: []store.Key{store.BanKey(300, 204), store.BanKey(300, 209)},
		queries: []query{
			q("Bans()", bans{ban(300, 202), ban(300, 203)}, func(r store.Reader) (bans, error) { return r.Directory.Bans(300, 201, 9) }),
			q("Bans() of one", bans{ban(300, 201)}, func(r store.Reader) (bans, error) { return r.Directory.Bans(300, 0, 1) }),
			snapshotQuery("BansBefore()", bans{ban(300, 201), ban(300, 202)}, func(r store.Reader) (bans, error) {
				return r.Directory.BansBefore(300, 203, 2)
			}),
			snapshotQuery("BansBefore() of one", bans{ban(300, 203)}, func(r store.Reader) (bans, error) {
				return r.Directory.BansBefore(300, 209, 1)
			}),
			q("BansOf()", bans{ban(300, 201), ban(301, 201)}, func(r store.Reader) (bans, error) { return r.Directory.BansOf(201, 9) }),
		},
	}
}
