package storetest

import (
	"testing"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/snowflake"
)

var messageChecks = []check{
	{"a message is kept with every field", postRecord},
	{"messages of a channel come in pages, both ways, without ephemeral ones", postPages},
	{"ephemeral messages are found by their age", postsEphemeral},
	{"messages are deleted by their ids", postsDeleted},
	{"a file is in use as long as its message is there", postFiles},
	{"messages go with their channel", postsGoWithChannel},
	{"messages go with their guild", postsGoWithGuild},
	{"messages between people go with one of them", postsGoWithUser},
}

// fullMessage is a message with everything set.
func fullMessage(id snowflake.Message) store.Message {
	return store.Message{
		ID: id, Channel: 310, Guild: 300, Application: 100, Interaction: 1, User: 200, Type: message.Reply,
		Edited: noon, Reference: 3, Path: "deploy start", Everyone: true,
		Metadata: store.Metadata{
			ID: 1, Type: interaction.MessageComponent, User: 200, Owners: store.Owners{ByGuild: true, Guild: 300}, Original: 3,
			TargetUser: 201, TargetMessage: 4, Interacted: 5, Triggering: &store.Metadata{ID: 6, Type: 2, User: 200},
		},
		Mentions: []snowflake.User{200, 201}, Roles: []snowflake.Role{301}, Content: []byte(`{"content":"é","flags":0}`),
		Files: []snowflake.Attachment{snowflake.Attachment(id) + 1000},
	}
}

func messageOf(id snowflake.Message) func(store.Reader) (store.Message, error) {
	return func(r store.Reader) (store.Message, error) { return r.Message(id) }
}

func post(id snowflake.Message, channel snowflake.Channel, ephemeral bool) store.Message {
	return store.Message{
		ID: id, Channel: channel, Ephemeral: ephemeral, Content: []byte(`{}`), Files: []snowflake.Attachment{snowflake.Attachment(id) + 1000},
	}
}

func putPosts(list ...store.Message) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, m := range list {
			if err := tx.PutMessage(m); err != nil {
				return err
			}
		}
		return nil
	}
}

func messageIDs(list []store.Message) []snowflake.Message {
	var ids []snowflake.Message
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

func postRecord(t *testing.T, s store.Store) {
	missing(t, s, messageOf(1))
	update(t, s, putPosts(fullMessage(1)))
	same(t, "Message()", read(t, s, messageOf(1)), fullMessage(1))
	edited := fullMessage(1)
	edited.Content, edited.Mentions = []byte(`{"content":"other"}`), nil
	update(t, s, putPosts(edited))
	same(t, "edited", read(t, s, messageOf(1)), edited)
}

func postPages(t *testing.T, s store.Store) {
	update(t, s, putPosts(
		post(1, 310, false), post(2, 310, false), post(3, 310, true), post(4, 311, false), post(5, 310, false), post(6, 310, false)))
	before := func(id snowflake.Message, limit int) []snowflake.Message {
		return messageIDs(read(t, s, func(r store.Reader) ([]store.Message, error) { return r.MessagesBefore(310, id, limit) }))
	}
	after := func(id snowflake.Message, limit int) []snowflake.Message {
		return messageIDs(read(t, s, func(r store.Reader) ([]store.Message, error) { return r.MessagesAfter(310, id, limit) }))
	}
	same(t, "newest", before(snowflake.Max, 2), []snowflake.Message{6, 5})
	same(t, "before 5", before(5, 9), []snowflake.Message{2, 1})
	same(t, "after 1", after(1, 2), []snowflake.Message{2, 5})
	same(t, "after all", after(6, 2), []snowflake.Message(nil))
	same(t, "none wanted", before(6, 0), []snowflake.Message(nil))
}

func postsEphemeral(t *testing.T, s store.Store) {
	update(t, s, putPosts(post(1, 310, true), post(2, 310, false), post(3, 311, true), post(4, 310, true)))
	got := messageIDs(read(t, s, func(r store.Reader) ([]store.Message, error) { return r.EphemeralMessages(4, 9) }))
	same(t, "EphemeralMessages()", got, []snowflake.Message{1, 3})
}

func postsDeleted(t *testing.T, s store.Store) {
	update(t, s, putPosts(post(1, 310, false), post(2, 310, true), post(3, 310, false)))
	update(t, s, func(tx store.Tx) error { return tx.DeleteMessages(1, 2, 9) })
	update(t, s, func(tx store.Tx) error { return tx.DeleteMessages() })
	missing(t, s, messageOf(1))
	missing(t, s, messageOf(2))
	read(t, s, messageOf(3))
}

func postsGoWithChannel(t *testing.T, s store.Store) {
	update(t, s, putPosts(post(1, 310, false), post(2, 310, true), post(3, 311, false)))
	update(t, s, func(tx store.Tx) error { return tx.DeleteChannel(310) })
	missing(t, s, messageOf(1))
	missing(t, s, messageOf(2))
	read(t, s, messageOf(3))
	same(t, "files", inUse(t, s), []snowflake.Attachment{1003})
}

func postsGoWithGuild(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) error {
		return all(tx.PutChannel(store.Channel{ID: 310, Guild: 300}), tx.PutChannel(store.Channel{ID: 320, Guild: 301}))
	})
	update(t, s, putPosts(post(1, 310, false), post(2, 320, false)))
	update(t, s, func(tx store.Tx) error { return tx.DeleteGuild(300) })
	missing(t, s, messageOf(1))
	read(t, s, messageOf(2))
	same(t, "files", inUse(t, s), []snowflake.Attachment{1002})
}

func postsGoWithUser(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) error {
		return all(tx.PutChannel(store.Channel{ID: 500, Recipients: []snowflake.User{200, 201}}),
			tx.PutChannel(store.Channel{ID: 501, Recipients: []snowflake.User{201, 202}}))
	})
	update(t, s, putPosts(post(1, 500, false), post(2, 501, false)))
	update(t, s, func(tx store.Tx) error { return tx.DeleteUser(200) })
	missing(t, s, messageOf(1))
	read(t, s, messageOf(2))
	same(t, "files", inUse(t, s), []snowflake.Attachment{1002})
}

// inUse returns the messages that are still there by their files.
func inUse(t *testing.T, s store.Store) []snowflake.Attachment {
	t.Helper()
	return read(t, s, func(r store.Reader) ([]snowflake.Attachment, error) { return r.FilesInUse(1001, 1002, 1003, 7) })
}

func postFiles(t *testing.T, s store.Store) {
	update(t, s, putPosts(post(1, 310, false), post(2, 310, true), post(3, 310, false)))
	same(t, "FilesInUse()", inUse(t, s), []snowflake.Attachment{1001, 1002, 1003})
	bare := post(1, 310, false)
	bare.Files = nil
	update(t, s, putPosts(bare, post(2, 310, true)))
	same(t, "after an edit", inUse(t, s), []snowflake.Attachment{1001, 1002, 1003})
	update(t, s, func(tx store.Tx) error { return tx.DeleteMessages(1) })
	same(t, "after a deletion", inUse(t, s), []snowflake.Attachment{1002, 1003})
	same(t, "of nothing", read(t, s, func(r store.Reader) ([]snowflake.Attachment, error) { return r.FilesInUse() }), []snowflake.Attachment(nil))
}
