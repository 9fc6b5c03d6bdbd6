package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

var somebody = session.Who{Kind: session.Person, User: ada}

// hear lets a session hear so many events.
func hear(s *session.Session, n int) {
	for range n {
		s.Dispatch(socket.NewFrame("TEST", nil), &bounds)
	}
}

// TestGive hands over what the client has not heard, and refuses what cannot be resumed.
func TestGive(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(*testing.T, *session.Index, *session.Session)
		seq  uint64
		now  int64
		most int
		want int // frames
		err  error
	}{
		{name: "nothing is missing", seq: 5},
		{name: "two are missing", seq: 3, want: 2},
		{name: "all are missing", seq: 0, want: 5},
		{name: "a number that was never sent", seq: 6, err: socket.ErrSequence},
		{name: "more bytes than may be given", seq: 0, most: 10, err: session.ErrForgotten},
		{name: "the client stayed away for too long", seq: 5, now: forever, err: session.ErrForgotten},
		{name: "the session has ended", seq: 5, do: func(_ *testing.T, _ *session.Index, s *session.Session) { s.Finish() }, err: session.ErrForgotten},
		{name: "the session was given before", seq: 5, do: func(t *testing.T, x *session.Index, s *session.Session) {
			if _, err := x.Give(s, 5, 0, 0); err != nil {
				t.Error(err)
			}
		}, err: session.ErrForgotten},
		{name: "some are kept no longer", seq: 4, do: func(_ *testing.T, _ *session.Index, s *session.Session) { hear(s, 11) }, err: session.ErrForgotten},
		{name: "as many as are kept", seq: 6, do: func(_ *testing.T, _ *session.Index, s *session.Session) { hear(s, 11) }, want: 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := session.NewIndex(true)
			s := begin(x, somebody, 0, lab)
			hear(s, 5)
			if tt.do != nil {
				tt.do(t, x, s)
			}
			if tt.most == 0 {
				tt.most = 1 << 10
			}
			got, err := x.Give(s, tt.seq, tt.now, tt.most)
			if !errors.Is(err, tt.err) || len(got.Frames) != tt.want {
				t.Fatalf("Give() = %d frames, %v, want %d, %v", len(got.Frames), err, tt.want, tt.err)
			}
			if err != nil {
				return
			}
			if !slices.Equal(got.Guilds, []snowflake.Guild{lab}) {
				t.Errorf("given in %v, want %v", got.Guilds, lab)
			}
			if _, err := s.Take(&session.Link{}, tt.seq, tt.now, &bounds); !errors.Is(err, session.ErrForgotten) {
				t.Errorf("Take() = %v of one that was given, want ErrForgotten", err)
			}
		})
	}
}

// TestStand tells of a session what has changed.
func TestStand(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(true)
	s := begin(x, somebody, 0, lab)
	hear(s, 3)
	was, ok := x.Stand(s, false, 0)
	if !ok || was.Seq != 3 || !was.Away || was.Expires != forever || !slices.Equal(was.Guilds, []snowflake.Guild{lab}) {
		t.Fatalf("Stand() = %+v, %v", was, ok)
	}
	if is, _ := x.Stand(s, true, was.Moves); is.Guilds != nil {
		t.Errorf("guilds are told that are known: %v", is.Guilds)
	}
	x.Join(ada, attic)
	s.HeardUpTo(2)
	begun := s.BeginAside()
	is, _ := x.Stand(s, true, was.Moves)
	if slices.Sort(is.Guilds); !slices.Equal(is.Guilds, []snowflake.Guild{lab, attic}) {
		t.Errorf("guilds %v, want both", is.Guilds)
	}
	if is.Heard != 2 || is.Begun != begun || is.Done == begun {
		t.Errorf("Stand() = %+v while it hears something aside", is)
	}
	s.EndAside()
	if is, _ := x.Stand(s, true, is.Moves); is.Done != begun {
		t.Errorf("Stand() = %+v after it heard something aside", is)
	}
	s.Finish()
	if _, ok := x.Stand(s, false, 0); ok {
		t.Error("a session stands that has ended")
	}
}

// TestGuilds puts sessions into guilds and takes them out, each once.
func TestGuilds(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(false)
	s := begin(x, somebody, 0, lab)
	if come := x.Join(ada, lab); come != nil {
		t.Errorf("Join() = %v of one that is there", come)
	}
	if come := x.Join(ada, attic); !slices.Equal(come, []*session.Session{s}) {
		t.Errorf("Join() = %v, want the session", come)
	}
	if gone := x.Quit(bob, lab); gone != nil {
		t.Errorf("Quit() = %v of nobody", gone)
	}
	if left := x.LeaveAllBut(s, []snowflake.Guild{attic}); !slices.Equal(left, []snowflake.Guild{lab}) || x.IsIn(s, lab) {
		t.Errorf("LeaveAllBut() = %v, want %v", left, lab)
	}
	if x.Vacate(attic); x.IsIn(s, attic) {
		t.Error("it is in a guild that is no more")
	}
	x.Exit(s)
	if x.Enlist(s, lab); x.IsIn(s, lab) || x.Len() != 0 {
		t.Error("a session that has ended is in a guild")
	}
}

// TestSettle leaves out a guild that was left while it was read which there are.
func TestSettle(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(false)
	s := session.New()
	s.Kind, s.User = session.Person, ada
	x.Enter(s, &session.Link{})
	x.Quit(ada, lab)
	if got := x.Settle(s, []snowflake.Guild{lab, attic}); !slices.Equal(got, []snowflake.Guild{attic}) {
		t.Errorf("Settle() = %v, want %v", got, attic)
	}
}

// TestConnected has a person there while there is a session, and while one is on its way to another node.
func TestConnected(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(true)
	s := begin(x, session.Who{Kind: session.Client, Application: echo, User: ada}, 0)
	here := func() string {
		var is []string
		for _, q := range []struct {
			name string
			yes  bool
		}{
			{"connected", x.Connected(s.Seat())},
			{"attends", x.Attends(s.Seat())},
			{"has clients", x.HasClients(echo)},
			{"among", len(x.Among(echo, slices.Values([]snowflake.User{bob, ada}))) == 1},
		} {
			if q.yes {
				is = append(is, q.name)
			}
		}
		return strings.Join(is, ", ")
	}
	if got := here(); got != "connected, attends, has clients, among" {
		t.Errorf("with a session: %s", got)
	}
	x.Depart(s, 1)
	x.Exit(s)
	if got := here(); got != "connected, has clients, among" {
		t.Errorf("on the way to another node: %s", got)
	}
	if x.Depart(s, -1); here() != "" {
		t.Errorf("after that: %s", here())
	}
}
