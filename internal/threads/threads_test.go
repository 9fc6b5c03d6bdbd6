package threads_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/threads"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

const (
	guild    snowflake.Guild   = 300
	general  snowflake.Channel = 310
	forum    snowflake.Channel = 311
	hidden   snowflake.Channel = 312
	ada      snowflake.User    = 200 // owns the guild
	bob      snowflake.User    = 201
	cleo     snowflake.User    = 202
	app      snowflake.User    = 100 // a bot
	everyone                   = permission.ViewChannel | permission.SendMessages | permission.ReadMessageHistory |
		permission.SendMessagesInThreads | permission.CreatePublicThreads | permission.CreatePrivateThreads
)

var (
	asAda = directory.Viewer{User: ada}
	asBob = directory.Viewer{User: bob}
	asBot = directory.Viewer{User: app, Bot: true}
)

// noFiles stores no files.
type noFiles struct{}

func (noFiles) Put(context.Context, snowflake.Attachment, string, io.Reader) (int64, error) {
	return 0, errors.New("no files")
}
func (noFiles) Delete(context.Context, ...snowflake.Attachment) error      { return nil }
func (noFiles) URL(snowflake.Channel, snowflake.Attachment, string) string { return "" }

type stillClock struct{}

func (stillClock) Now() time.Time { return time.Date(2026, 5, 1, 12, 30, 0, 0, time.UTC) }
func (stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	return clock.System{}.AfterFunc(time.Hour, func() {})
}

// service is Threads over its own store.
type service struct {
	*threads.Threads

	db     store.Store
	clock  *clock.Movable
	events []store.Event
}

func open(t *testing.T) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db := lab.OpenStore(t)
	s := &service{db: db, clock: clock.NewMovable(stillClock{})}
	s.put(t,
		store.User{ID: ada, Username: "ada"}, store.User{ID: bob, Username: "bob"}, store.User{ID: cleo, Username: "cleo"},
		store.Application{ID: snowflake.Application(app), Name: "Echo", Owner: ada},
		store.Guild{ID: guild, Name: "Lab", Owner: ada, Everyone: everyone},
		store.Member{Guild: guild, User: ada}, store.Member{Guild: guild, User: bob}, store.Member{Guild: guild, User: cleo}, store.Member{Guild: guild, User: app},
		store.Channel{ID: general, Guild: guild, Name: "general"},
		store.Channel{ID: forum, Guild: guild, Name: "posts", Type: 15, Flags: 16, Forum: &store.Forum{
			AutoArchive: 60, SlowMode: 7, Tags: []store.ForumTag{{ID: 1, Name: "solved"}, {ID: 2, Name: "staff", Moderated: true}},
		}},
		store.Channel{ID: hidden, Guild: guild, Name: "hidden", Overwrites: []store.ChannelOverwrite{{ID: snowflake.Target(guild), Deny: permission.ViewChannel}}},
	)
	db.Subscribe(func(c *store.Change) { s.events = append(s.events, c.Events...) })
	states := cache.New(db, 1<<20)
	ids := store.NewIDs(1, s.clock.Now, time.Time{})
	dir := directory.New(directory.Config{Store: db, Cache: states, Clock: s.clock, IDs: ids, Log: log, Threads: threads.Follow})
	written := messages.New(messages.Config{
		Cache: states, Clock: s.clock, IDs: ids, Files: noFiles{}, Metrics: metrics.New("test"), Log: log, Directory: dir,
	})
	s.Threads = threads.New(threads.Config{Cache: states, Clock: s.clock, IDs: ids, Directory: dir, Messages: written, Log: log})
	written.Threads = s.Threads
	dir.Removals.Dependents = []directory.Dependent{written, s.Threads}
	return s
}

// put stores records.
func (s *service) put(t *testing.T, records ...store.Record) {
	t.Helper()
	if err := store.Decide(t.Context(), s.db, func(tx *store.Tx) error { return tx.Put(records...) }); err != nil {
		t.Fatal(err)
	}
}

// run archives threads until the test ends.
func (s *service) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	waiting, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	if err := s.WaitUntilRunning(waiting); err != nil {
		t.Fatalf("waited for the sweep to run: %v", err)
	}
}

func body(t *testing.T, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// start creates a thread and returns its id.
func (s *service) start(t *testing.T, as directory.Viewer, in snowflake.Channel, text string) snowflake.Channel {
	t.Helper()
	answer, err := s.Start(t.Context(), as, in, messages.Request{Body: body(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	return idOf[snowflake.Channel](t, answer)
}

// say sends a message and returns its id.
func (s *service) say(t *testing.T, as directory.Viewer, in snowflake.Channel, text string) snowflake.Message {
	t.Helper()
	answer, err := s.Messages.Create(t.Context(), as, in, messages.Request{Body: body(t, `{"content":"`+text+`"}`)})
	if err != nil {
		t.Fatal(err)
	}
	return idOf[snowflake.Message](t, answer)
}

func idOf[ID ~uint64](t *testing.T, text []byte) ID {
	t.Helper()
	var v struct {
		ID uint64 `json:"id,string"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return ID(v.ID)
}

// thread returns a stored thread.
func (s *service) thread(t *testing.T, id snowflake.Channel) store.Channel {
	t.Helper()
	c, err := s.Directory.Channels.Channel(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return *c
}

// heard returns the events since the last call: the name, and whom the event is for.
func (s *service) heard() []string {
	var list []string
	for _, e := range s.events {
		to := fmt.Sprintf("channel %d", e.To.Channel)
		switch {
		case len(e.To.Users) > 0:
			to = fmt.Sprintf("user %d", e.To.Users[0])
		case e.To.Application != 0:
			to = fmt.Sprintf("app %d", e.To.Application)
		}
		list = append(list, e.Name+" "+to)
	}
	s.events = nil
	return list
}

func want(t *testing.T, what string, got, wanted []string) {
	t.Helper()
	if !slices.Equal(got, wanted) {
		t.Errorf("%s: events\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}

// TestEvents checks the events of threads and their order (channels.md, sections 2, 13.1, 13.2 and 13.4).
func TestEvents(t *testing.T) {
	t.Parallel()
	s := open(t)
	source := s.say(t, asBob, general, "hello")
	s.heard()
	if _, err := s.StartFromMessage(t.Context(), asBot, general, source, body(t, `{"name":"a"}`)); err != nil {
		t.Fatal(err)
	}
	created := string(s.events[0].Data)
	if !strings.Contains(created, `"newly_created":true`) || !strings.Contains(created, `"member_count":1`) || strings.Contains(created, `"member":`) {
		t.Errorf("THREAD_CREATE is %s", created)
	}
	if updated := string(s.events[3].Data); !strings.Contains(updated, `"flags":32`) || !strings.Contains(updated, `"thread":{`) {
		t.Errorf("MESSAGE_UPDATE is %s", updated)
	}
	id := snowflake.Channel(source)
	in := fmt.Sprintf("channel %d", id)
	want(t, "from a message", s.heard(), []string{
		"THREAD_CREATE " + in, "THREAD_MEMBERS_UPDATE " + in, "THREAD_MEMBERS_UPDATE app 100", "MESSAGE_UPDATE channel 310", "MESSAGE_CREATE " + in,
	})
	s.say(t, asBob, id, "hi <@202>")
	want(t, "a message adds its author and the mentioned user", s.heard(), []string{
		"THREAD_CREATE user 201", "THREAD_CREATE user 202", "THREAD_MEMBERS_UPDATE " + in, "THREAD_MEMBERS_UPDATE user 201",
		"THREAD_MEMBERS_UPDATE user 202", "MESSAGE_CREATE " + in,
	})
	if _, err := s.Edit(t.Context(), asAda, id, body(t, `{"archived":true,"name":"b"}`)); err != nil {
		t.Fatal(err)
	}
	want(t, "archived and renamed", s.heard(), []string{"THREAD_UPDATE " + in, "MESSAGE_CREATE " + in})
	s.say(t, asBob, id, "again")
	want(t, "a message unarchives", s.heard(), []string{
		"THREAD_UPDATE " + in, "THREAD_MEMBER_UPDATE app 100", "THREAD_MEMBER_UPDATE user 201", "THREAD_MEMBER_UPDATE user 202", "MESSAGE_CREATE " + in,
	})
	if err := s.Remove(t.Context(), asAda, id, cleo); err != nil {
		t.Fatal(err)
	}
	if removed := string(s.events[0].Data); removed != fmt.Sprintf(`{"id":"%d","guild_id":"300","member_count":2,"removed_member_ids":["202"]}`, id) {
		t.Errorf("THREAD_MEMBERS_UPDATE is %s", removed)
	}
	want(t, "removed", s.heard(), []string{"THREAD_MEMBERS_UPDATE " + in, "THREAD_MEMBERS_UPDATE user 202", "MESSAGE_CREATE " + in})
	if _, err := s.Delete(t.Context(), asAda, id); err != nil {
		t.Fatal(err)
	}
	want(t, "deleted", s.heard(), []string{"THREAD_DELETE channel 310"})
	err := s.db.Read(t.Context(), func(r store.Reader) error {
		members, err := r.Threads.Members(id)
		if len(members) > 0 {
			t.Errorf("a deleted thread has the members %v", members)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPrivateThreads checks who sees a private thread.
func TestPrivateThreads(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.start(t, asBot, general, `{"name":"secret"}`)
	sees := func(user snowflake.User) bool {
		t.Helper()
		list, err := s.Directory.Guilds.WhoSees(t.Context(), guild, events.Sight{Channel: id}, []directory.Viewer{{User: user}})
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	if !sees(ada) || sees(bob) || !sees(app) {
		t.Errorf("the owner, a member and the creator see a private thread: %v %v %v, want the first and the last", sees(ada), sees(bob), sees(app))
	}
	if err := s.Add(t.Context(), asBob, id, bob); !errors.Is(err, apierror.MissingAccess) {
		t.Errorf("Add() = %v, want %v", err, apierror.MissingAccess)
	}
	s.heard()
	if err := s.Add(t.Context(), asBot, id, bob); err != nil {
		t.Fatal(err)
	}
	changed := slices.ContainsFunc(s.events, func(e store.Event) bool { return e.Change != nil && e.Change.Guild == guild })
	if !sees(bob) || !changed {
		t.Errorf("a new member sees the thread: %v; the gateway is told: %v", sees(bob), changed)
	}
	if _, err := s.Edit(t.Context(), asBot, id, body(t, `{"archived":true}`)); err != nil {
		t.Fatal(err)
	}
	if !sees(bob) || sees(cleo) {
		t.Errorf("a member and another user see the archived thread: %v %v", sees(bob), sees(cleo))
	}
	list, err := s.Archived(t.Context(), asBob, general, threads.ArchivedPage{Private: true, Joined: true, Limit: 50})
	if err != nil || len(list.Threads) != 1 || len(list.Members) != 1 {
		t.Errorf("Archived() = %+v, %v", list, err)
	}
}

// TestPosts checks the rules of forums: tags, defaults and slow mode.
func TestPosts(t *testing.T) {
	t.Parallel()
	s := open(t)
	for text, wanted := range map[string]error{
		`{"name":"a","message":{"content":"x"}}`:                      apierror.TagRequired,
		`{"name":"a","applied_tags":["9"],"message":{"content":"x"}}`: apierror.UnknownTag,
		`{"name":"a","applied_tags":["2"],"message":{"content":"x"}}`: apierror.MissingPermission,
	} {
		if _, err := s.Start(t.Context(), asBob, forum, messages.Request{Body: body(t, text)}); !errors.Is(err, wanted) {
			t.Errorf("%s: %v, want %v", text, err, wanted)
		}
	}
	if len(s.events) > 0 {
		t.Errorf("failed requests have the events %v", s.heard())
	}
	id := s.start(t, asBob, forum, `{"name":"a","applied_tags":["1"],"message":{"content":"x"}}`)
	got := s.thread(t, id)
	if got.SlowMode != 7 || got.Thread.AutoArchive != 60 || !slices.Equal(got.Thread.Tags, []snowflake.Tag{1}) || got.Owner != bob {
		t.Errorf("the post is %+v %+v", got, got.Thread)
	}
	shown, err := s.Directory.Channels.Thread(t.Context(), &got)
	if err != nil || shown.MessageCount != 0 || shown.LastMessageID == nil || uint64(*shown.LastMessageID) != uint64(id) {
		t.Errorf("the post is shown as %+v, %v", shown, err)
	}
}

// TestArchive moves the clock until threads are archived.
func TestArchive(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.run(t)
	quiet := s.start(t, asBob, general, `{"name":"quiet","type":11,"auto_archive_duration":60}`)
	busy := s.start(t, asBob, general, `{"name":"busy","type":11,"auto_archive_duration":60}`)
	pinned := s.start(t, asBob, forum, `{"name":"pinned","auto_archive_duration":60,"applied_tags":["1"],"message":{"content":"x"}}`)
	if _, err := s.Edit(t.Context(), asAda, pinned, body(t, `{"flags":2}`)); err != nil {
		t.Fatal(err)
	}
	move := func(d time.Duration) {
		t.Helper()
		s.clock.Advance(d)
	}
	archived := func() []bool {
		return []bool{s.thread(t, quiet).Archived, s.thread(t, busy).Archived, s.thread(t, pinned).Archived}
	}
	move(59 * time.Minute)
	s.say(t, asBob, busy, "still here")
	if got := archived(); slices.Contains(got, true) {
		t.Errorf("archived after 59 minutes: %v", got)
	}
	s.heard()
	move(2 * time.Minute)
	if got := archived(); !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("archived after 61 minutes: %v, want the quiet one", got)
	}
	want(t, "archived by the clock", s.heard(), []string{fmt.Sprintf("THREAD_UPDATE channel %d", quiet)})
	move(time.Hour)
	if got := archived(); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("archived after 121 minutes: %v, want all but the pinned one", got)
	}
	list, err := s.Archived(t.Context(), asBob, general, threads.ArchivedPage{Limit: 50})
	if err != nil || len(list.Threads) != 2 || list.Threads[0].ID != busy {
		t.Errorf("Archived() = %+v, %v, want the last archived first", list, err)
	}
	if page, err := s.Archived(t.Context(), asBob, general, threads.ArchivedPage{Limit: 1}); err != nil || len(page.Threads) != 1 || !page.HasMore {
		t.Errorf("a page of 1 = %+v, %v, want more", page, err)
	}
}

// TestDeletedChannel deletes a channel with an archived thread, and then the guild with another one.
func TestDeletedChannel(t *testing.T) {
	t.Parallel()
	s := open(t)
	stored := func(id snowflake.Channel) bool {
		t.Helper()
		err := s.db.Read(t.Context(), func(r store.Reader) error {
			_, err := r.Directory.Channel(id)
			return err
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	archived := func(in snowflake.Channel, text string) snowflake.Channel {
		t.Helper()
		id := s.start(t, asBob, in, text)
		if _, err := s.Edit(t.Context(), asAda, id, body(t, `{"archived":true}`)); err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := archived(general, `{"name":"a","type":11}`)
	second := archived(forum, `{"name":"a","applied_tags":["1"],"message":{"content":"x"}}`)
	if err := s.Directory.Guilds.DeleteChannel(t.Context(), guild, general); err != nil {
		t.Fatal(err)
	}
	if stored(first) || !stored(second) {
		t.Errorf("after the deletion of the channel its thread is there: %v, that of another channel: %v", stored(first), stored(second))
	}
	if err := s.Directory.Guilds.Delete(t.Context(), guild); err != nil {
		t.Fatal(err)
	}
	if stored(second) {
		t.Error("after the deletion of the guild an archived thread is there")
	}
}
