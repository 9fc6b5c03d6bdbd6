package messages_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/snowflake"
)

// service is Messages over its own store, without package dispatch.
type service struct {
	*messages.Messages

	files *fixture

	mu     sync.Mutex // guards what follows against decisions that run at the same time
	events []string   // names of the committed events
	sent   []store.Event
	linked []string // names of the events passed to Linked
}

func openService(t *testing.T, quota messages.Quota) *service {
	t.Helper()
	return openServiceOver(t, lab.OpenStore(t), quota)
}

// openServiceOver is openService over an empty store.
func openServiceOver(t *testing.T, db store.Store, quota messages.Quota) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	err := store.Decide(t.Context(), db, func(tx *store.Tx) error { return tx.Put(store.Channel{ID: 310, Guild: 300, Name: "general"}) })
	if err != nil {
		t.Fatal(err)
	}
	s := &service{files: open(t)}
	states := cache.New(db, 1<<20)
	ids := store.NewIDs(1, s.files.clock.Now, time.Time{})
	db.Subscribe(func(c *store.Change) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range c.Events {
			s.events = append(s.events, e.Name)
			s.sent = append(s.sent, e)
		}
	})
	s.Messages = messages.New(messages.Config{
		Cache: states, Clock: s.files.clock, IDs: ids, Files: s.files, Metrics: metrics.New("test"), Log: log, Quota: quota,
		Directory: directory.New(directory.Config{Store: db, Cache: states, Clock: s.files.clock, IDs: ids, Log: log}),
		Linked: func(_ context.Context, _ *store.Change, name string, _ *store.Message) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.linked = append(s.linked, name)
			return nil
		},
	})
	return s
}

// create creates a message with a file in a channel: it prepares, decides, and finishes after the commit.
func (s *service) create(t *testing.T, body, file string) (*store.Message, error) {
	t.Helper()
	value, err := jsonbody.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	id := s.IDs.Next()
	files := s.Receive(t.Context(), []attachments.Upload{{
		Name: "a.txt", ContentType: "text/plain", Size: int64(len(file)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader([]byte(file))), nil },
	}}, false)
	var content message.Content
	var made messages.Announcement
	err = s.Cache.Decide(t.Context(), func(ctx context.Context) (c store.Change, err error) {
		if content, err = message.Read(value, files.Files); err != nil {
			return c, err
		}
		if err := files.AddTo(ctx, &c, messages.Owner{Application: 100, Guild: 300}, content.Attachments); err != nil {
			return c, err
		}
		by := store.Interaction{ID: snowflake.Interaction(id), Application: 100, User: 200, Origin: store.Origin{Channel: 310, Guild: 300}}
		m := messages.Compose(&by, snowflake.Message(id), 0, content)
		made, err = s.Put(ctx, &c, messages.Created, &m, content, "")
		c.Put = append(c.Put, by)
		return c, err
	})
	if err != nil {
		files.Discard(t.Context())
		return nil, err
	}
	files.Keep(t.Context(), content.Attachments)
	s.Announced(t.Context(), &made)
	return made.Message, nil
}

// TestCreate creates messages with files without package dispatch.
func TestCreate(t *testing.T) {
	t.Parallel()
	s := openService(t, messages.Quota{Application: 6})
	m, err := s.create(t, `{"content":"hello"}`, "text")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := s.Render(t.Context(), m, m.Author()); err != nil || !strings.Contains(string(text), `"filename":"a.txt"`) {
		t.Errorf("Render() = %s, %v, want the file", text, err)
	}
	if kept, err := s.Find(t.Context(), m.ID); err != nil || kept == nil || !slices.Equal(kept.Files, m.Files) {
		t.Errorf("Find() = %+v, %v, want the message", kept, err)
	}
	if got := s.files.content(t, m.Files[0]); got != "text" {
		t.Errorf("the file is %q, want %q", got, "text")
	}
	if want := []string{messages.Created}; !slices.Equal(s.events, want) || !slices.Equal(s.linked, want) {
		t.Errorf("events %q, linked %q, want %q", s.events, s.linked, want)
	}
	for name, body := range map[string]string{"above the quota": `{"content":"more"}`, "with an invalid body": `{"content":7}`} {
		if _, err := s.create(t, body, "text"); err == nil {
			t.Errorf("a message %s was created", name)
		}
	}
	if got := s.files.files(t); len(got) != 1 {
		t.Errorf("stored files %q, want one", got)
	}
	if len(s.events) != 1 || len(s.linked) != 1 {
		t.Errorf("refused messages were announced: events %q, linked %q", s.events, s.linked)
	}
}
