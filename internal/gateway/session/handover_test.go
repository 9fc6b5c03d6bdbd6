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

var adaSession = session.Owner{Kind: session.User, User: ada}

// dispatchN sends n events to a session.
func dispatchN(s *session.Session, n int) {
	for range n {
		s.Dispatch(socket.NewFrame("TEST", nil), &bounds)
	}
}

// TestHandOver checks the missed events of a handover, and sessions that cannot be handed over.
func TestHandOver(t *testing.T) {
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
		{name: "more bytes than may be given", seq: 0, most: 10, err: session.ErrNotResumable},
		{name: "the session has expired", seq: 5, now: forever, err: session.ErrNotResumable},
		{name: "the session has ended", seq: 5, do: func(_ *testing.T, _ *session.Index, s *session.Session) { s.End() }, err: session.ErrNotResumable},
		{name: "the session was given before", seq: 5, do: func(t *testing.T, x *session.Index, s *session.Session) {
			if _, err := x.HandOver(s, 5, 0, 0); err != nil {
				t.Error(err)
			}
		}, err: session.ErrNotResumable},
		{name: "some are kept no longer", seq: 4, do: func(_ *testing.T, _ *session.Index, s *session.Session) { dispatchN(s, 11) }, err: session.ErrNotResumable},
		{name: "as many as are kept", seq: 6, do: func(_ *testing.T, _ *session.Index, s *session.Session) { dispatchN(s, 11) }, want: 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := session.NewIndex(true)
			s := addSession(x, adaSession, 0, lab)
			dispatchN(s, 5)
			if tt.do != nil {
				tt.do(t, x, s)
			}
			if tt.most == 0 {
				tt.most = 1 << 10
			}
			got, err := x.HandOver(s, tt.seq, tt.now, tt.most)
			if !errors.Is(err, tt.err) || len(got.Frames) != tt.want {
				t.Fatalf("HandOver() = %d frames, %v, want %d, %v", len(got.Frames), err, tt.want, tt.err)
			}
			if err != nil {
				return
			}
			if !slices.Equal(got.Guilds, []snowflake.Guild{lab}) {
				t.Errorf("guilds %v, want %v", got.Guilds, lab)
			}
			if _, err := s.Resume(&session.Conn{}, tt.seq, tt.now, &bounds); !errors.Is(err, session.ErrNotResumable) {
				t.Errorf("Resume() = %v after the handover, want ErrNotResumable", err)
			}
		})
	}
}

// TestSnapshot checks what a snapshot contains.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(true)
	s := addSession(x, adaSession, 0, lab)
	dispatchN(s, 3)
	was, ok := x.Snapshot(s, false, 0)
	if !ok || was.Seq != 3 || !was.Detached || was.Expires != forever || !slices.Equal(was.Guilds, []snowflake.Guild{lab}) {
		t.Fatalf("Snapshot() = %+v, %v", was, ok)
	}
	if is, _ := x.Snapshot(s, true, was.GuildChanges); is.Guilds != nil {
		t.Errorf("Snapshot() contains known guilds: %v", is.Guilds)
	}
	x.JoinGuild(ada, attic)
	s.Acknowledge(2)
	begun := s.BeginPrivate()
	is, _ := x.Snapshot(s, true, was.GuildChanges)
	if slices.Sort(is.Guilds); !slices.Equal(is.Guilds, []snowflake.Guild{lab, attic}) {
		t.Errorf("guilds %v, want both", is.Guilds)
	}
	if is.Acked != 2 || is.PrivateBegun != begun || is.PrivateDone == begun {
		t.Errorf("Snapshot() = %+v during a private send", is)
	}
	s.EndPrivate()
	if is, _ := x.Snapshot(s, true, is.GuildChanges); is.PrivateDone != begun {
		t.Errorf("Snapshot() = %+v after a private send", is)
	}
	s.End()
	if _, ok := x.Snapshot(s, false, 0); ok {
		t.Error("a session stands that has ended")
	}
}

// TestGuilds adds sessions to guilds and removes them.
func TestGuilds(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(false)
	s := addSession(x, adaSession, 0, lab)
	if come := x.JoinGuild(ada, lab); come != nil {
		t.Errorf("JoinGuild() = %v, want none", come)
	}
	if come := x.JoinGuild(ada, attic); !slices.Equal(come, []*session.Session{s}) {
		t.Errorf("JoinGuild() = %v, want the session", come)
	}
	if gone := x.LeaveGuild(bob, lab); gone != nil {
		t.Errorf("LeaveGuild() = %v, want none", gone)
	}
	if left := x.KeepOnlyGuilds(s, []snowflake.Guild{attic}); !slices.Equal(left, []snowflake.Guild{lab}) || x.IsIn(s, lab) {
		t.Errorf("KeepOnlyGuilds() = %v, want %v", left, lab)
	}
	if x.RemoveGuild(attic); x.IsIn(s, attic) {
		t.Error("it is in a guild that is no more")
	}
	x.Remove(s)
	if x.AddToGuild(s, lab); x.IsIn(s, lab) || x.Len() != 0 {
		t.Error("a session that has ended is in a guild")
	}
}

// TestAddGuilds checks that a guild that the session left while its guilds were read is not added.
func TestAddGuilds(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(false)
	s := session.New()
	s.Kind, s.User = session.User, ada
	x.Add(s, &session.Conn{})
	x.LeaveGuild(ada, lab)
	if got := x.AddGuilds(s, []snowflake.Guild{lab, attic}); !slices.Equal(got, []snowflake.Guild{attic}) {
		t.Errorf("AddGuilds() = %v, want %v", got, attic)
	}
}

// TestConnected checks that a user is connected while there is a session, and while one moves to another node.
func TestConnected(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(true)
	s := addSession(x, session.Owner{Kind: session.Client, Application: echo, User: ada}, 0)
	here := func() string {
		var is []string
		for _, q := range []struct {
			name string
			yes  bool
		}{
			{"connected", x.Connected(s.AppUser())},
			{"attends", x.IsReady(s.AppUser())},
			{"has clients", x.HasClients(echo)},
			{"among", len(x.ConnectedUsers(echo, slices.Values([]snowflake.User{bob, ada}))) == 1},
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
	x.CountDeparting(s, 1)
	x.Remove(s)
	if got := here(); got != "connected, has clients, among" {
		t.Errorf("moving to another node: %s", got)
	}
	if x.CountDeparting(s, -1); here() != "" {
		t.Errorf("after that: %s", here())
	}
}
