package resume_test

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
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/resume"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	lab   snowflake.Guild = 900000000000000001
	attic snowflake.Guild = 900000000004194304
	ada   snowflake.User  = 700000000000000001
	bob   snowflake.User  = 700000000000000002
)

// scripted is what nodes share, with answers that a test has chosen. It records what it is told.
type scripted struct {
	told   chan resume.Kept
	other  chan string      // what is told besides
	fates  chan resume.Fate // what becomes of what was told
	found  *resume.Found
	answer resume.Answer
	asides uint64 // what Take returns
}

var errLost = errors.New("lost")

func (s *scripted) Keep(_ context.Context, list []resume.Kept) ([]resume.Fate, error) {
	var fates []resume.Fate
	for _, k := range list {
		s.told <- k
		fates = append(fates, <-s.fates)
	}
	return fates, nil
}

func (s *scripted) Aside(_ context.Context, id string, _ uint64) error {
	s.other <- "aside " + id
	return nil
}

func (s *scripted) Drop(_ context.Context, ids []string) error {
	s.other <- "drop " + strings.Join(ids, " ")
	return nil
}

func (s *scripted) Find(context.Context, string) (*resume.Found, error) { return s.found, nil }

func (s *scripted) Take(context.Context, string, string, time.Duration) (uint64, error) {
	if s.asides == 0 {
		return 0, errLost
	}
	return s.asides, nil
}

func (s *scripted) Ask(context.Context, string, string, uint64) (resume.Answer, []byte, error) {
	return s.answer, nil, nil
}

func (s *scripted) After(context.Context, events.Position) ([]events.Event, error) {
	return nil, errLost
}

// place is a node with what it works with.
type place struct {
	*resume.Node

	shared *scripted
	index  *session.Index
	lost   chan *session.Session
}

var bounds = session.Bounds{ReplayEvents: 10, ReplayBytes: 1 << 10}

func open() *place {
	p := &place{index: session.NewIndex(true), lost: make(chan *session.Session, 1)}
	p.shared = &scripted{told: make(chan resume.Kept, 8), other: make(chan string, 1), fates: make(chan resume.Fate, 1)}
	p.Node = resume.New(resume.Config{
		Sessions: p.shared, Index: p.index, View: &session.View{}, Bounds: &bounds, Keep: time.Hour, Time: clock.System{},
		Log: slog.New(slog.DiscardHandler), Lose: func(s *session.Session) { p.lost <- s },
	})
	return p
}

// hears has the history come to a moment.
func (p *place) hears(moment uint64) {
	p.Lock()
	defer p.Unlock()
	p.Note(&events.Event{Position: events.Position{Time: moment}})
}

// begin lets a session of ada begin, whose client is away.
func (p *place) begin() *session.Session {
	s := session.New()
	s.Kind, s.User, s.Shard = session.Person, ada, session.Shard{Count: 1}
	k := &session.Link{}
	p.index.Enter(s, k)
	p.index.Settle(s, []snowflake.Guild{lab})
	s.Part(k, 1<<62)
	s.Started(&bounds)
	return s
}

func dispatch(s *session.Session) { s.Dispatch(socket.NewFrame("TEST", []byte(`1`)), &bounds) }

// TestKeeper tells how a session stands: all of it at first, then what has changed.
func TestKeeper(t *testing.T) {
	t.Parallel()
	p := open()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	defer running.Wait()
	defer cancel()
	p.hears(1)
	s := p.begin()
	for _, step := range []struct {
		name   string
		do     func()
		who    bool
		guilds string
		state  string
		fate   resume.Fate
	}{
		{"it begins", func() {}, true, `["900000000000000001"]`, `{"m":[{"s":0,"p":{"t":1,"n":0}}]}`, resume.Remains},
		{"it hears an event", func() { dispatch(s); p.hears(2) }, false, "", `{"m":[{"s":0,"p":{"t":1,"n":0}},{"s":1,"p":{"t":2,"n":0}}]}`, resume.Remains},
		{"its client has heard it", func() { s.HeardUpTo(1); dispatch(s); p.hears(3) }, false, "", `{"m":[{"s":1,"p":{"t":2,"n":0}},{"s":2,"p":{"t":3,"n":0}}]}`, resume.Remains},
		{"it comes into a guild", func() { p.index.Join(ada, attic); p.index.Quit(ada, lab) }, false, `["900000000004194304"]`, `{"m":[{"s":2,"p":{"t":3,"n":0}}]}`, resume.Remains},
		{"it hears something aside", s.Aside, false, "", `{"a":1,"m":[{"s":2,"p":{"t":3,"n":0}}]}`, resume.Remains},
		{"the history is there again", func() { p.hears(3) }, false, "", `{"a":1,"m":[{"s":2,"p":{"t":3,"n":0}}]}`, resume.Unknown},
	} {
		step.do()
		p.Soon(s)
		got := <-p.shared.told
		p.shared.fates <- step.fate
		if got.ID != s.Session || (got.Who != nil) != step.who || string(got.Guilds) != step.guilds || string(got.State) != step.state {
			t.Errorf("%s: told %s %s %s, want %v %s %s", step.name, got.Who, got.Guilds, got.State, step.who, step.guilds, step.state)
		}
	}
	close(p.shared.fates)            // what is told from now on is all the same
	if lost := <-p.lost; lost != s { // nobody knows it, and its client is away
		t.Error("another session is lost")
	}
}

// TestKeeperEnds tells of ended sessions that they have, and when the node ends of all others where they were.
func TestKeeperEnds(t *testing.T) {
	t.Parallel()
	p := open()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	defer running.Wait()
	p.hears(1)
	gone, stays := session.New(), p.begin()
	p.Drop(gone)
	if got := <-p.shared.other; got != "drop "+gone.Session {
		t.Errorf("told %q, want that it is dropped", got)
	}
	cancel()
	if got := <-p.shared.told; got.ID != stays.Session || !got.Free {
		t.Errorf("told %+v, want that the session is free", got)
	}
	p.shared.fates <- resume.Remains
}

// TestAside tells others before a session hears what stands in no history.
func TestAside(t *testing.T) {
	t.Parallel()
	p := open()
	s := p.begin()
	err := p.Aside(t.Context(), s, func() error {
		if got := <-p.shared.other; got != "aside "+s.Session {
			t.Errorf("told %q", got)
		}
		return errLost
	})
	if is, _ := p.index.Stand(s, false, 0); !errors.Is(err, errLost) || is.Begun != 1 || is.Done != 1 {
		t.Errorf("Aside() = %v, and then %+v", err, is)
	}
}

// TestGive answers another node that asks for a session.
func TestGive(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(*place, *session.Session)
		seq  uint64
		want resume.Answer
		text string
	}{
		{"what its client has not heard", func(p *place, _ *session.Session) { p.hears(7) }, 1, resume.Given, `{"f":["eyJvcCI6MCwidCI6IlRFU1QiLCJkIjoxLCJzIjo="],"s":2,"p":{"t":7,"n":0},"g":["900000000000000001"]}`},
		{"nothing that its client has heard", func(p *place, _ *session.Session) { p.hears(7) }, 2, resume.Given, `{"s":2,"p":{"t":7,"n":0},"g":["900000000000000001"]}`},
		{"a number that was never sent", func(p *place, _ *session.Session) { p.hears(7) }, 3, resume.Ahead, ""},
		{"a place in the history that is not known", func(*place, *session.Session) {}, 2, resume.Over, ""},
		{"a place that is not known any more", func(p *place, _ *session.Session) { p.hears(7); p.Lost() }, 2, resume.Over, ""},
		{"a session that it never had", func(p *place, s *session.Session) { p.hears(7); p.index.Exit(s) }, 2, resume.Absent, ""},
		{"a session that has just ended", func(p *place, s *session.Session) { p.hears(7); p.index.Exit(s); p.Drop(s) }, 2, resume.Over, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := open()
			s := p.begin()
			dispatch(s)
			dispatch(s)
			tt.do(p, s)
			answer, text := p.Give(s.Session, tt.seq)
			if answer != tt.want || string(text) != tt.text {
				t.Errorf("Give() = %v, %s, want %v, %s", answer, text, tt.want, tt.text)
			}
			if lost := len(p.lost) > 0; lost != (tt.want == resume.Given) {
				t.Errorf("lost here: %v", lost)
			}
		})
	}
}

// TestFetchRefused has clients begin anew that cannot go on without missing or repeating anything.
func TestFetchRefused(t *testing.T) {
	t.Parallel()
	found := func(node, state string) *resume.Found {
		return &resume.Found{
			Node: node, Who: []byte(`{"Session":"s","Kind":2,"User":"700000000000000001","Shard":{"ID":0,"Count":1}}`),
			Guilds: []byte(`[]`), State: []byte(state), Asides: 1,
		}
	}
	const here = `{"a":1,"m":[{"s":2,"p":{"t":7,"n":0}}]}`
	for _, tt := range []struct {
		name   string
		found  *resume.Found
		answer resume.Answer
		asides uint64
		user   snowflake.User
		seq    uint64
		want   error
	}{
		{"nobody knows it", nil, 0, 0, ada, 2, session.ErrForgotten},
		{"it is somebody else's", found("", here), 0, 2, bob, 2, session.ErrForgotten},
		{"its node has ended it", found("a", here), resume.Over, 2, ada, 2, session.ErrForgotten},
		{"its node never sent that", found("a", here), resume.Ahead, 2, ada, 2, socket.ErrSequence},
		{"others cannot be reached", found("", here), 0, 0, ada, 2, session.ErrForgotten},
		{"nobody knows what it heard aside", found("", `{"m":[{"s":2,"p":{"t":7,"n":0}}]}`), 0, 2, ada, 2, session.ErrForgotten},
		{"the client has heard less than is known", found("", here), 0, 2, ada, 1, session.ErrForgotten},
		{"the client has heard more than there is", found("", here), 0, 2, ada, 3, session.ErrForgotten},
		{"the history does not go back that far", found("", `{"a":1,"m":[{"s":2,"p":{"t":6,"n":0}}]}`), 0, 2, ada, 2, session.ErrForgotten},
		{"another version wrote where it is", found("", `{"a":1,"m":[{"s":2,"p":{}}]}`), 0, 2, ada, 2, session.ErrForgotten},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := open()
			p.hears(7)
			p.shared.found, p.shared.answer, p.shared.asides = tt.found, tt.answer, tt.asides
			w := resume.Wish{Session: "s", Principal: auth.Principal{Kind: store.UserToken, User: tt.user}, Seq: tt.seq}
			if _, _, err := p.Fetch(t.Context(), &session.Link{}, w); !errors.Is(err, tt.want) {
				t.Errorf("Fetch() = %v, want %v", err, tt.want)
			}
			if p.index.Len() > 0 {
				t.Error("it is here all the same")
			}
		})
	}
}

// TestQueue does what is asked about one session one after another, in the order in which it was asked.
func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := resume.New(resume.Config{})
		var order []int
		var others sync.WaitGroup
		err := n.Queue(t.Context(), "s", func() error {
			for i := range 3 {
				others.Go(func() {
					if err := n.Queue(t.Context(), "s", func() error { order = append(order, i); return nil }); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait() // it waits for its turn
			}
			return n.Queue(t.Context(), "another", func() error { return errLost })
		})
		others.Wait()
		if !errors.Is(err, errLost) || !slices.Equal(order, []int{0, 1, 2}) {
			t.Errorf("Queue() = %v, then in the order %v", err, order)
		}
	})
}
