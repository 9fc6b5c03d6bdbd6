package polls_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/polls"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	guild   snowflake.Guild   = 300
	general snowflake.Channel = 310
	direct  snowflake.Channel = 400 // of bob and the bot
	body                      = `{"poll":{"question":{"text":"Tea?"},"answers":[{"poll_media":{"text":"Yes"}},{"poll_media":{"text":"No"}}],"duration":1}}`
)

var (
	ada = directory.Viewer{User: 200} // owns the guild
	bob = directory.Viewer{User: 201}
	bot = directory.Viewer{User: 100, Bot: true}
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

// service is Polls over its own store.
type service struct {
	*polls.Polls

	db    store.Store
	clock *clock.Movable
	sent  []store.Event
}

func open(t *testing.T) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db := lab.OpenStore(t)
	s := &service{db: db, clock: clock.NewMovable(stillClock{})}
	const everyone = permission.ViewChannel | permission.SendMessages | permission.ReadMessageHistory | permission.SendPolls
	err := store.Decide(t.Context(), db, func(tx *store.Tx) error {
		return tx.Put(
			store.User{ID: 200, Username: "ada"}, store.User{ID: 201, Username: "bob"},
			store.Application{ID: 100, Name: "Echo", Owner: 200},
			store.Guild{ID: guild, Name: "Lab", Owner: 200, Everyone: everyone},
			store.Member{Guild: guild, User: 200}, store.Member{Guild: guild, User: 201}, store.Member{Guild: guild, User: 100},
			store.Channel{ID: general, Guild: guild, Name: "general"},
			store.Channel{ID: direct, Type: 1, Recipients: []snowflake.User{100, 201}},
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	states := cache.New(db, 1<<20)
	ids := store.NewIDs(1, s.clock.Now, time.Time{})
	dir := directory.New(directory.Config{Store: db, Cache: states, Clock: s.clock, IDs: ids, Log: log})
	written := messages.New(messages.Config{
		Cache: states, Clock: s.clock, IDs: ids, Files: noFiles{}, Metrics: metrics.New("test"), Log: log, Directory: dir,
	})
	s.Polls = polls.New(polls.Config{Cache: states, Clock: s.clock, Messages: written, Log: log})
	db.Subscribe(func(c *store.Change) { s.sent = append(s.sent, c.Events...) })
	return s
}

// run ends polls until the test ends.
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
		t.Fatalf("Run has not looked for polls after 30 s: %v", err)
	}
}

// parse parses a JSON text.
func parse(t *testing.T, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// create creates a message and returns its id. It forgets the events before.
func (s *service) create(t *testing.T, by directory.Viewer, channel snowflake.Channel, text string) polls.Path {
	t.Helper()
	made, err := s.Messages.Create(t.Context(), by, channel, messages.Request{Body: parse(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	id, err := snowflake.Parse[snowflake.Message](parse(t, string(made)).Get("id").Text())
	if err != nil {
		t.Fatal(err)
	}
	s.sent = nil
	return polls.Path{Channel: channel, Message: id}
}

func (s *service) vote(t *testing.T, by directory.Viewer, at polls.Path, answers string) {
	t.Helper()
	if err := s.Vote(t.Context(), by, at, parse(t, `{"answer_ids":`+answers+`}`)); err != nil {
		t.Fatalf("vote for %s: %v", answers, err)
	}
}

// wantEvents checks the names, intents and data of the events since the last call. An empty text is any data.
func (s *service) wantEvents(t *testing.T, when string, want ...sentEvent) {
	t.Helper()
	got := s.sent
	s.sent = nil
	if len(got) != len(want) {
		t.Fatalf("%s: %d events, want %d: %v", when, len(got), len(want), got)
	}
	for i, w := range want {
		e := got[i]
		if e.Name != w.name || e.To.Intents != w.intents || w.data != "" && !strings.Contains(string(e.Data), w.data) {
			t.Errorf("%s: event %d is %s to %d\n%s, want %s to %d with\n%s", when, i, e.Name, e.To.Intents, e.Data, w.name, w.intents, w.data)
		}
	}
}

type sentEvent struct {
	name    string
	intents uint32
	data    string
}

// TestVoteEvents checks the events about votes in a guild and in direct messages.
func TestVoteEvents(t *testing.T) {
	t.Parallel()
	s := open(t)
	at := s.create(t, bot, general, strings.Replace(body, `"duration":1`, `"allow_multiselect":true`, 1))
	data := func(user, answer int) string {
		return fmt.Sprintf(`{"user_id":"%d","channel_id":"310","message_id":"%v","guild_id":"300","answer_id":%d}`, user, at.Message, answer)
	}
	s.vote(t, bob, at, `[2]`)
	s.vote(t, bob, at, `[2]`)
	s.wantEvents(t, "a vote, and again", sentEvent{"MESSAGE_POLL_VOTE_ADD", events.GuildPolls, data(201, 2)})
	s.vote(t, ada, at, `[1,2]`)
	s.wantEvents(t, "two answers", sentEvent{"MESSAGE_POLL_VOTE_ADD", events.GuildPolls, data(200, 1)}, sentEvent{"MESSAGE_POLL_VOTE_ADD", events.GuildPolls, data(200, 2)})
	s.vote(t, bob, at, `[1]`)
	s.wantEvents(t, "another answer", sentEvent{"MESSAGE_POLL_VOTE_REMOVE", events.GuildPolls, data(201, 2)}, sentEvent{"MESSAGE_POLL_VOTE_ADD", events.GuildPolls, data(201, 1)})
	s.vote(t, bob, at, `[]`)
	s.wantEvents(t, "no answer", sentEvent{"MESSAGE_POLL_VOTE_REMOVE", events.GuildPolls, data(201, 1)})

	at = s.create(t, bot, direct, body)
	s.vote(t, bob, at, `[1]`)
	text := fmt.Sprintf(`{"user_id":"201","channel_id":"400","message_id":"%v","answer_id":1}`, at.Message)
	s.wantEvents(t, "a direct message", sentEvent{"MESSAGE_POLL_VOTE_ADD", 0, text}, sentEvent{"MESSAGE_POLL_VOTE_ADD", events.DirectPolls, text})
}

// TestExpiry moves the clock to the end of a poll: the message gets the final results, and a message announces them.
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.run(t)
	at := s.create(t, bob, general, body)
	s.vote(t, ada, at, `[1]`)
	s.vote(t, bob, at, `[1]`)
	s.sent = nil
	s.clock.Advance(time.Hour - time.Second)
	s.wantEvents(t, "a second before the end")
	s.clock.Advance(time.Second)
	s.wantEvents(t, "the end",
		sentEvent{"MESSAGE_UPDATE", events.GuildMessages, `"results":{"is_finalized":true,"answer_counts":[{"id":1,"count":2,"me_voted":false}]}`},
		sentEvent{"MESSAGE_CREATE", events.GuildMessages, `"embeds":[{"type":"poll_result","fields":[{"name":"poll_question_text","value":"Tea?","inline":false},` +
			`{"name":"victor_answer_votes","value":"2","inline":false},{"name":"total_votes","value":"2","inline":false},` +
			`{"name":"victor_answer_id","value":"1","inline":false},{"name":"victor_answer_text","value":"Yes","inline":false}]}],"mentions":[{"id":"201"`},
	)
	if err := s.Vote(t.Context(), ada, at, parse(t, `{"answer_ids":[2]}`)); !errors.Is(err, apierror.PollExpired) {
		t.Errorf("a vote after the end: %v, want %v", err, apierror.PollExpired)
	}
	if _, err := s.End(t.Context(), bob, at); !errors.Is(err, apierror.PollExpired) {
		t.Errorf("a second end: %v, want %v", err, apierror.PollExpired)
	}
	s.clock.Advance(24 * time.Hour)
	s.wantEvents(t, "a day later")
}

// TestVotesAfterTheTime refuses votes in a poll whose time is over although no node has ended it yet.
func TestVotesAfterTheTime(t *testing.T) {
	t.Parallel()
	s := open(t)
	at := s.create(t, bob, general, body)
	s.clock.Advance(time.Hour)
	if err := s.Vote(t.Context(), ada, at, parse(t, `{"answer_ids":[2]}`)); !errors.Is(err, apierror.PollExpired) {
		t.Errorf("a vote after the time: %v, want %v", err, apierror.PollExpired)
	}
}

// TestDeletedPoll deletes a message with a poll: its votes go with it, and it does not end.
func TestDeletedPoll(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.run(t)
	at := s.create(t, bob, general, body)
	s.vote(t, ada, at, `[1]`)
	if err := s.Messages.DeleteOne(t.Context(), bob, at.Channel, at.Message); err != nil {
		t.Fatal(err)
	}
	s.sent = nil
	s.clock.Advance(2 * time.Hour)
	s.wantEvents(t, "after the time of a deleted poll")
	err := s.db.Read(t.Context(), func(r store.Reader) error {
		voters, err := r.Messages.Voters(at.Message, 1, 0, 10)
		if len(voters) > 0 {
			t.Errorf("users %v still vote in a deleted poll", voters)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestConcurrentVotes counts votes that arrive at the same time.
func TestConcurrentVotes(t *testing.T) {
	t.Parallel()
	s := open(t)
	at := s.create(t, bot, general, body)
	done := make(chan error, 2)
	for _, by := range []directory.Viewer{ada, bob} {
		vote := parse(t, `{"answer_ids":[2]}`)
		go func() { done <- s.Vote(t.Context(), by, at, vote) }()
	}
	if err := errors.Join(<-done, <-done); err != nil {
		t.Fatal(err)
	}
	text, err := s.End(t.Context(), bot, at)
	if want := `"answer_counts":[{"id":2,"count":2,"me_voted":false}]`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("End() = %s, %v, want %s in it", text, err, want)
	}
}
