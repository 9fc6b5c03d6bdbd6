package storetest

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// crosspostCases are the records of published messages.
func crosspostCases() []recordCase {
	post := store.Copy{Source: 5, Webhook: 70, Channel: 311, Message: 9}
	return []recordCase{
		{
			name: "crosspost", full: store.Crosspost{Message: 5, Channel: 310, After: 70, Fresh: true, Due: noon},
			bare: store.Crosspost{Message: 5, Channel: 310, Due: noon}, key: new(store.CrosspostKey(5)),
			get: func(r store.Reader) (any, error) { return value(r.Messages.Crosspost(5)) },
		},
		{
			name: "copy of a message", full: post, bare: store.Copy{Source: 5, Webhook: 70, Message: 9}, key: new(store.CopiesKey(5)),
			get: func(r store.Reader) (any, error) { return value(r.Messages.Copy(5, 70)) },
		},
	}
}

func crosspostQueries() queryCase {
	follower := func(id snowflake.Webhook, source snowflake.Channel) store.Webhook {
		return store.Webhook{ID: id, Guild: 300, Channel: 311, SourceChannel: source}
	}
	post := func(source snowflake.Message, webhook snowflake.Webhook, id snowflake.Message) store.Copy {
		return store.Copy{Source: source, Webhook: webhook, Channel: 311, Message: id}
	}
	work := func(id snowflake.Message, minutes int) store.Crosspost {
		return store.Crosspost{Message: id, Channel: 310, Due: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	type hooks = []snowflake.Webhook
	type due = store.DueRecord[snowflake.Message]
	return queryCase{
		name: "crossposts",
		put: []store.Record{
			follower(72, 310), follower(70, 310), follower(71, 310), follower(73, 312), follower(74, 0), follower(75, 310),
			post(5, 70, 90), post(5, 72, 91), post(5, 73, 92), post(6, 70, 93), post(7, 70, 94), work(5, 2), work(6, 1), work(7, 0),
		},
		delete: []store.Key{store.WebhookKey(follower(71, 310)), store.MessageKey(92), store.CopiesKey(7), store.CrosspostKey(7)},
		queries: []query{
			snapshotQuery("Followers()", hooks{70, 72}, func(r store.Reader) (hooks, error) { return r.Webhooks.Followers(310, 0, 2) }),
			snapshotQuery("Followers() above", hooks{75}, func(r store.Reader) (hooks, error) { return r.Webhooks.Followers(310, 72, 9) }),
			q("Copies()", []store.Copy{post(5, 70, 90), post(5, 72, 91)},
				func(r store.Reader) ([]store.Copy, error) { return r.Messages.Copies(5, 0, 9) }),
			q("Copies() above", []store.Copy{post(5, 72, 91)}, func(r store.Reader) ([]store.Copy, error) { return r.Messages.Copies(5, 70, 9) }),
			q("Copies() of none", []store.Copy(nil), func(r store.Reader) ([]store.Copy, error) { return r.Messages.Copies(7, 0, 9) }),
			snapshotQuery("DueCrossposts()", []due{{ID: 6, Due: noon.Add(time.Minute)}, {ID: 5, Due: noon.Add(2 * time.Minute)}},
				func(r store.Reader) ([]due, error) { return r.Messages.DueCrossposts(9) }),
		},
	}
}
