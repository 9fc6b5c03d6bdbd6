package session_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/store/events"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
)

// fakeShared implements session.Shared with answers that a test has chosen, and records calls.
type fakeShared struct {
	put     chan session.SharedState
	other   chan string            // other calls
	results chan session.PutResult // results of Put
	found   *session.StoredSession
	result  session.HandoverResult
	private uint64 // result of Claim
	reading func() // called by EventsAfter; may be nil
}

var errLost = errors.New("lost")

func (s *fakeShared) Put(_ context.Context, list []session.SharedState) ([]session.PutResult, error) {
	var fates []session.PutResult
	for _, k := range list {
		s.put <- k
		fates = append(fates, <-s.results)
	}
	return fates, nil
}

func (s *fakeShared) CountPrivate(_ context.Context, id string, _ uint64) error {
	s.other <- "private " + id
	return nil
}

func (s *fakeShared) Delete(_ context.Context, ids []string) error {
	s.other <- "delete " + strings.Join(ids, " ")
	return nil
}

func (s *fakeShared) Find(context.Context, string) (*session.StoredSession, error) {
	return s.found, nil
}

func (s *fakeShared) Claim(context.Context, string, string, time.Duration) (uint64, error) {
	if s.private == 0 {
		return 0, errLost
	}
	return s.private, nil
}

func (s *fakeShared) RequestHandover(context.Context, string, string, uint64) (session.HandoverResult, []byte, error) {
	return s.result, nil, nil
}

// EventsAfter fails for a position before moment 7. The history has no event after that moment.
func (s *fakeShared) EventsAfter(_ context.Context, p events.Position, _ []events.Partition) ([]events.Event, error) {
	if s.reading != nil {
		s.reading()
	}
	if p.Transaction < 7 {
		return nil, errLost
	}
	return nil, nil
}

// testNode is a node with its dependencies.
type testNode struct {
	*session.Node

	shared   *fakeShared
	index    *session.Index
	released chan *session.Session
}

func newTestNode() *testNode {
	p := &testNode{index: session.NewIndex(true), released: make(chan *session.Session, 1)}
	p.shared = &fakeShared{put: make(chan session.SharedState, 8), other: make(chan string, 1), results: make(chan session.PutResult, 1)}
	p.Node = session.NewNode(session.NodeConfig{
		Shared: p.shared, Index: p.index, View: &session.View{}, Bounds: &bounds, ResumeWindow: time.Hour, Clock: clock.System{}, Wall: clock.System{},
		Log: slog.New(slog.DiscardHandler), Release: func(s *session.Session) { p.released <- s },
	})
	return p
}

// advance moves the history to a position.
func (p *testNode) advance(moment uint64) {
	p.Lock()
	defer p.Unlock()
	p.Advance(&events.Event{Position: events.Position{Transaction: moment}})
}

// add adds a detached session of Ada.
func (p *testNode) add() *session.Session {
	s := session.New()
	s.Kind, s.User, s.Shard = session.User, ada, session.Shard{Count: 1}
	k := &session.Conn{}
	p.index.Add(s, k)
	p.index.AddGuilds(s, []snowflake.Guild{lab})
	s.Detach(k, 1<<62)
	s.SetReady(&bounds)
	return s
}

func dispatch(s *session.Session) { s.Dispatch(socket.NewFrame("TEST", []byte(`1`)), &bounds) }

// TestPublisher checks the published states: everything at first, then what has changed.
func TestPublisher(t *testing.T) {
	t.Parallel()
	p := newTestNode()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	defer running.Wait()
	defer cancel()
	p.advance(1)
	s := p.add()
	for _, step := range []struct {
		name   string
		do     func()
		owner  bool
		guilds string
		state  string
		fate   session.PutResult
	}{
		{"it begins", func() {}, true, `["900000000000000001"]`, `{"m":[{"s":0,"p":{"x":1}}]}`, session.Stored},
		{"it hears an event", func() { dispatch(s); p.advance(2) }, false, "", `{"m":[{"s":0,"p":{"x":1}},{"s":1,"p":{"x":2}}]}`, session.Stored},
		{"its client has received it", func() { s.Acknowledge(1); dispatch(s); p.advance(3) }, false, "", `{"m":[{"s":1,"p":{"x":2}},{"s":2,"p":{"x":3}}]}`, session.Stored},
		{"it joins a guild", func() { p.index.JoinGuild(ada, attic); p.index.LeaveGuild(ada, lab) }, false, `["900000000004194304"]`, `{"m":[{"s":2,"p":{"x":3}}]}`, session.Stored},
		{"it hears something aside", s.CountPrivate, false, "", `{"a":1,"m":[{"s":2,"p":{"x":3}}]}`, session.Stored},
		{"the history is there again", func() { p.advance(3) }, false, "", `{"a":1,"m":[{"s":2,"p":{"x":3}}]}`, session.NotStored},
	} {
		step.do()
		p.PublishSoon(s)
		got := engines.Receive(t, "what is published after "+step.name, p.shared.put)
		p.shared.results <- step.fate
		if got.ID != s.Session || (got.Owner != nil) != step.owner || string(got.Guilds) != step.guilds || string(got.Progress) != step.state {
			t.Errorf("%s: published %s %s %s, want %v %s %s", step.name, got.Owner, got.Guilds, got.Progress, step.owner, step.guilds, step.state)
		}
	}
	close(p.shared.results)                                                    // later results do not matter
	if lost := engines.Receive(t, "the lost session", p.released); lost != s { // it is not stored, and its client is not connected
		t.Error("another session is lost")
	}
}

// TestPublisherShutdown checks that ended sessions are deleted, and that the others are released when the node stops.
func TestPublisherShutdown(t *testing.T) {
	t.Parallel()
	p := newTestNode()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	defer running.Wait()
	p.advance(1)
	gone, stays := session.New(), p.add()
	p.Forget(gone)
	if got := engines.Receive(t, "the deletion", p.shared.other); got != "delete "+gone.Session {
		t.Errorf("got %q, want that it is deleted", got)
	}
	cancel()
	if got := engines.Receive(t, "the release", p.shared.put); got.ID != stays.Session || !got.Released {
		t.Errorf("published %+v, want that the session is released", got)
	}
	p.shared.results <- session.Stored
}

// TestSendPrivate checks that other nodes learn of a private send before it begins.
func TestSendPrivate(t *testing.T) {
	t.Parallel()
	p := newTestNode()
	s := p.add()
	err := p.SendPrivate(t.Context(), s, func() error {
		if got := engines.Receive(t, "the count of private sends", p.shared.other); got != "private "+s.Session {
			t.Errorf("got %q", got)
		}
		return errLost
	})
	if is, _ := p.index.Snapshot(s, false, 0); !errors.Is(err, errLost) || is.PrivateBegun != 1 || is.PrivateDone != 1 {
		t.Errorf("SendPrivate() = %v, then %+v", err, is)
	}
}

// TestNodeHandOver checks the answers to another node that requests a session.
func TestNodeHandOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(*testNode, *session.Session)
		seq  uint64
		want session.HandoverResult
		text string
	}{
		{"what its client has not received", func(p *testNode, _ *session.Session) { p.advance(7) }, 1, session.HandedOver, `{"f":["eyJvcCI6MCwidCI6IlRFU1QiLCJkIjoxLCJzIjo="],"s":2,"p":{"x":7},"g":["900000000000000001"]}`},
		{"nothing that its client has received", func(p *testNode, _ *session.Session) { p.advance(7) }, 2, session.HandedOver, `{"s":2,"p":{"x":7},"g":["900000000000000001"]}`},
		{"a number that was never sent", func(p *testNode, _ *session.Session) { p.advance(7) }, 3, session.InvalidSequence, ""},
		{"a place in the history that is not known", func(*testNode, *session.Session) {}, 2, session.Ended, ""},
		{"a place that is not known any more", func(p *testNode, _ *session.Session) { p.advance(7); p.Reset() }, 2, session.Ended, ""},
		{"a session that it never had", func(p *testNode, s *session.Session) { p.advance(7); p.index.Remove(s) }, 2, session.NotHere, ""},
		{"a session that it has handed over", func(p *testNode, s *session.Session) {
			p.advance(7)
			p.HandOver(s.Session, 2)
			p.index.Remove(s)
			engines.Receive(t, "the released session", p.released)
		}, 2, session.Moving, ""},
		{"a session that has just ended", func(p *testNode, s *session.Session) { p.advance(7); p.index.Remove(s); p.Forget(s) }, 2, session.Ended, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestNode()
			s := p.add()
			dispatch(s)
			dispatch(s)
			tt.do(p, s)
			answer, text := p.HandOver(s.Session, tt.seq)
			if answer != tt.want || string(text) != tt.text {
				t.Errorf("HandOver() = %v, %s, want %v, %s", answer, text, tt.want, tt.text)
			}
			if lost := len(p.released) > 0; lost != (tt.want == session.HandedOver) {
				t.Errorf("released: %v", lost)
			}
		})
	}
}

// TestRestoreRefused checks that a session is not restored if the client would miss or repeat an event.
func TestRestoreRefused(t *testing.T) {
	t.Parallel()
	found := func(node, state string) *session.StoredSession {
		return &session.StoredSession{
			Node: node, Owner: []byte(`{"Session":"s","Kind":2,"User":"700000000000000001","Shard":{"ID":0,"Count":1}}`),
			Guilds: []byte(`[]`), Progress: []byte(state), Private: 1,
		}
	}
	const here = `{"a":1,"m":[{"s":2,"p":{"x":7}}]}`
	for _, tt := range []struct {
		name   string
		found  *session.StoredSession
		answer session.HandoverResult
		asides uint64
		user   snowflake.User
		seq    uint64
		want   error
	}{
		{"it is not stored", nil, 0, 0, ada, 2, session.ErrNotResumable},
		{"it belongs to another user", found("", here), 0, 2, bob, 2, session.ErrNotResumable},
		{"its node has ended it", found("a", here), session.Ended, 2, ada, 2, session.ErrNotResumable},
		{"its node never sent that", found("a", here), session.InvalidSequence, 2, ada, 2, socket.ErrSequence},
		{"others cannot be reached", found("", here), 0, 0, ada, 2, session.ErrNotResumable},
		{"a private send is not counted", found("", `{"m":[{"s":2,"p":{"x":7}}]}`), 0, 2, ada, 2, session.ErrNotResumable},
		{"the client has received less than is known", found("", here), 0, 2, ada, 1, session.ErrNotResumable},
		{"the client has received more than there is", found("", here), 0, 2, ada, 3, session.ErrNotResumable},
		{"the history does not go back that far", found("", `{"a":1,"m":[{"s":2,"p":{"x":6}}]}`), 0, 2, ada, 2, session.ErrNotResumable},
		{"its position belongs to another history", found("", `{"a":1,"m":[{"s":2,"p":{"h":5,"x":7}}]}`), 0, 2, ada, 2, session.ErrNotResumable},
		{"another version wrote where it is", found("", `{"a":1,"m":[{"s":2,"p":{}}]}`), 0, 2, ada, 2, session.ErrNotResumable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestNode()
			p.advance(7)
			p.shared.found, p.shared.result, p.shared.private = tt.found, tt.answer, tt.asides
			w := session.ResumeRequest{Session: "s", Principal: auth.Principal{Kind: store.UserToken, User: tt.user}, Seq: tt.seq}
			if _, _, err := p.Restore(t.Context(), &session.Conn{}, w); !errors.Is(err, tt.want) {
				t.Errorf("Restore() = %v, want %v", err, tt.want)
			}
			if p.index.Len() > 0 {
				t.Error("it is here all the same")
			}
		})
	}
}

// TestRestoreUnlocked restores sessions that need the history. Other sessions of the node can be used while it is read.
func TestRestoreUnlocked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at  string
		seq uint64
	}{
		"the node holds fewer events":                {`{"a":1,"m":[{"s":2,"p":{"x":6}}]}`, 2},
		"the client has received more than the node": {`{"a":1,"m":[{"s":2,"p":{"x":7}}]}`, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, reads := newTestNode(), 0
			p.advance(7)
			p.shared.private, p.shared.found = 2, &session.StoredSession{
				Owner:  []byte(`{"Session":"s","Kind":2,"User":"700000000000000001","Shard":{"ID":0,"Count":1}}`),
				Guilds: []byte(`[]`), Progress: []byte(tt.at), Private: 1,
			}
			p.shared.reading = func() {
				reads++
				locked := make(chan struct{})
				go func() {
					p.Lock()
					defer p.Unlock()
					close(locked)
				}()
				select {
				case <-locked:
				case <-time.After(20 * time.Second):
					t.Error("the node is locked for 20 s while the history is read")
				}
			}
			w := session.ResumeRequest{Session: "s", Principal: auth.Principal{Kind: store.UserToken, User: ada}, Seq: tt.seq}
			if _, _, err := p.Restore(t.Context(), &session.Conn{}, w); err == nil || reads == 0 {
				t.Errorf("Restore() = %v after %d reads of the history, want an error after a read", err, reads)
			}
		})
	}
}

// TestQueue checks that functions for one session run one after another, in order.
func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := session.NewNode(session.NodeConfig{})
		var order []int
		var others sync.WaitGroup
		err := n.Queue(t.Context(), "s", func() error {
			for i := range 3 {
				others.Go(func() {
					if err := n.Queue(t.Context(), "s", func() error { order = append(order, i); return nil }); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait() // the function waits in the queue
			}
			return n.Queue(t.Context(), "another", func() error { return errLost })
		})
		others.Wait()
		if !errors.Is(err, errLost) || !slices.Equal(order, []int{0, 1, 2}) {
			t.Errorf("Queue() = %v, then in the order %v", err, order)
		}
	})
}
