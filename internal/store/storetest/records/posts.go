package records

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/snowflake"
)

var messageRules = []check.Rule{
	{Name: "a message is kept with every field", Run: postRecord},
	{Name: "messages of a channel come in pages, both ways, without ephemeral ones", Run: postPages},
	{Name: "ephemeral messages are found by their age", Run: postsEphemeral},
	{Name: "messages are deleted by their ids", Run: postsDeleted},
	{Name: "a file is in use as long as its message is there", Run: postFiles},
	{Name: "messages go with their channel", Run: postsGoWithChannel},
	{Name: "messages go with their guild", Run: postsGoWithGuild},
	{Name: "messages between people go with one of them", Run: postsGoWithUser},
}

// fullMessage is a message with everything set.
func fullMessage(id snowflake.Message) store.Message {
	return store.Message{
		ID: id, Channel: 310, Guild: 300, Application: 100, Interaction: 1, User: 200, Type: message.Reply,
		Edited: check.Noon, Reference: 3, Path: "deploy start", Everyone: true,
		Metadata: store.Metadata{
			ID: 1, Type: interaction.MessageComponent, User: 200, Owners: store.Owners{ByGuild: true, Guild: 300}, Original: 3,
			TargetUser: 201, TargetMessage: 4, Interacted: 5, Triggering: &store.Metadata{ID: 6, Type: 2, User: 200},
		},
		Mentions: []snowflake.User{200, 201}, Roles: []snowflake.Role{301}, Content: []byte(`{"content":"é","flags":0}`),
		Files: []snowflake.Attachment{snowflake.Attachment(id) + 1000},
	}
}

func messageOf(id snowflake.Message) func(store.Reader) (store.Message, error) {
	return check.By(store.Reader.Message, id)
}

func post(id snowflake.Message, channel snowflake.Channel, ephemeral bool) store.Message {
	return store.Message{
		ID: id, Channel: channel, Ephemeral: ephemeral, Content: []byte(`{}`), Files: []snowflake.Attachment{snowflake.Attachment(id) + 1000},
	}
}

func putPosts(list ...store.Message) func(store.Tx) error {
	return check.Each(store.Tx.PutMessage, list...)
}

func messageIDs(list []store.Message) []snowflake.Message {
	var ids []snowflake.Message
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

func postRecord(t *testing.T, s store.Store) {
	check.Missing(t, s, messageOf(1))
	check.Update(t, s, putPosts(fullMessage(1)))
	check.Shows(t, s, "Message()", messageOf(1), fullMessage(1))
	edited := fullMessage(1)
	edited.Content, edited.Mentions = []byte(`{"content":"other"}`), nil
	check.Update(t, s, putPosts(edited))
	check.Shows(t, s, "edited", messageOf(1), edited)
}

func postPages(t *testing.T, s store.Store) {
	check.Update(t, s, putPosts(
		post(1, 310, false), post(2, 310, false), post(3, 310, true), post(4, 311, false), post(5, 310, false), post(6, 310, false)))
	before := func(id snowflake.Message, limit int) []snowflake.Message {
		return messageIDs(check.Read(t, s, func(r store.Reader) ([]store.Message, error) { return r.MessagesBefore(310, id, limit) }))
	}
	after := func(id snowflake.Message, limit int) []snowflake.Message {
		return messageIDs(check.Read(t, s, func(r store.Reader) ([]store.Message, error) { return r.MessagesAfter(310, id, limit) }))
	}
	check.Same(t, "newest", before(snowflake.Max, 2), []snowflake.Message{6, 5})
	check.Same(t, "before 5", before(5, 9), []snowflake.Message{2, 1})
	check.Same(t, "after 1", after(1, 2), []snowflake.Message{2, 5})
	check.Same(t, "after all", after(6, 2), []snowflake.Message(nil))
	check.Same(t, "none wanted", before(6, 0), []snowflake.Message(nil))
}

func postsEphemeral(t *testing.T, s store.Store) {
	check.Update(t, s, putPosts(post(1, 310, true), post(2, 310, false), post(3, 311, true), post(4, 310, true)))
	got := messageIDs(check.Read(t, s, func(r store.Reader) ([]store.Message, error) { return r.EphemeralMessages(4, 9) }))
	check.Same(t, "EphemeralMessages()", got, []snowflake.Message{1, 3})
}

func postsDeleted(t *testing.T, s store.Store) {
	check.Update(t, s, putPosts(post(1, 310, false), post(2, 310, true), post(3, 310, false)))
	check.Update(t, s, func(tx store.Tx) error { return tx.DeleteMessages(1, 2, 9) })
	check.Update(t, s, func(tx store.Tx) error { return tx.DeleteMessages() })
	check.Missing(t, s, messageOf(1))
	check.Missing(t, s, messageOf(2))
	check.Read(t, s, messageOf(3))
}

func postsGoWithChannel(t *testing.T, s store.Store) {
	check.Update(t, s, putPosts(post(1, 310, false), post(2, 310, true), post(3, 311, false)))
	check.Update(t, s, check.Each(store.Tx.DeleteChannel, 310))
	check.Missing(t, s, messageOf(1))
	check.Missing(t, s, messageOf(2))
	check.Read(t, s, messageOf(3))
	check.Same(t, "files", inUse(t, s), []snowflake.Attachment{1003})
}

func postsGoWithGuild(t *testing.T, s store.Store) {
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutChannel(store.Channel{ID: 310, Guild: 300}), tx.PutChannel(store.Channel{ID: 320, Guild: 301}))
	})
	check.Update(t, s, putPosts(post(1, 310, false), post(2, 320, false)))
	check.Update(t, s, check.Each(store.Tx.DeleteGuild, 300))
	check.Missing(t, s, messageOf(1))
	check.Read(t, s, messageOf(2))
	check.Same(t, "files", inUse(t, s), []snowflake.Attachment{1002})
}

func postsGoWithUser(t *testing.T, s store.Store) {
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutChannel(store.Channel{ID: 500, Recipients: []snowflake.User{200, 201}}),
			tx.PutChannel(store.Channel{ID: 501, Recipients: []snowflake.User{201, 202}}))
	})
	check.Update(t, s, putPosts(post(1, 500, false), post(2, 501, false)))
	check.Update(t, s, check.Each(store.Tx.DeleteUser, 200))
	check.Missing(t, s, messageOf(1))
	check.Read(t, s, messageOf(2))
	check.Same(t, "files", inUse(t, s), []snowflake.Attachment{1002})
}

// inUse returns the messages that are still there by their files.
func inUse(t *testing.T, s store.Store) []snowflake.Attachment {
	t.Helper()
	return check.Read(t, s, func(r store.Reader) ([]snowflake.Attachment, error) { return r.FilesInUse(1001, 1002, 1003, 7) })
}

func postFiles(t *testing.T, s store.Store) {
	check.Update(t, s, putPosts(post(1, 310, false), post(2, 310, true), post(3, 310, false)))
	check.Same(t, "FilesInUse()", inUse(t, s), []snowflake.Attachment{1001, 1002, 1003})
	bare := post(1, 310, false)
	bare.Files = nil
	check.Update(t, s, putPosts(bare, post(2, 310, true)))
	check.Same(t, "after an edit", inUse(t, s), []snowflake.Attachment{1001, 1002, 1003})
	check.Update(t, s, func(tx store.Tx) error { return tx.DeleteMessages(1) })
	check.Same(t, "after a deletion", inUse(t, s), []snowflake.Attachment{1002, 1003})
	check.Shows(t, s, "of nothing", func(r store.Reader) ([]snowflake.Attachment, error) { return r.FilesInUse() }, nil)
}
