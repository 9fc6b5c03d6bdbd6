package bellhoptest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	waitLimit = 10 * time.Second      // of WaitFor
	lookEvery = 20 * time.Millisecond // between two looks of WaitFor
)

// Say writes a message as a user and returns it. as is the id or username of the user. in is the id of the channel, or the names of
// guild and channel, such as "Lab/general". If the service refuses the message, Say ends the test.
func (s *Server) Say(t testing.TB, as, in, text string) client.Message {
	t.Helper()
	return *s.Act(t, client.PersonAction{As: as, In: in, Content: text}).Message
}

// Act is like Say for all that a person does in a channel: replies, files, reactions, edits, deletions, votes and typing.
func (s *Server) Act(t testing.TB, a client.PersonAction) client.Said {
	t.Helper()
	said, err := s.client("").Dev().Say(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// WaitFor waits until a user sees a message in a channel for which match is true, and returns it. The message shows its
// reactions and edits, so WaitFor also waits for those. After 10 seconds it ends the test.
func (s *Server) WaitFor(t testing.TB, as, in string, match func(client.Message) bool) client.Message {
	t.Helper()
	user, channel, err := s.find(as, in)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	var seen []client.Message
	for {
		list, err := s.User(user).Messages(ctx, channel)
		switch {
		case ctx.Err() != nil:
			t.Fatalf("no message in %s matches after %v; %s sees %+v", in, waitLimit, as, seen)
		case err != nil:
			t.Fatal(err)
		}
		seen = list
		for _, m := range list {
			if match(m) {
				return m
			}
		}
		clock.Pause(ctx, lookEvery)
	}
}

// find returns the ids of a user and a channel of the world. An id of a channel need not be in the world.
func (s *Server) find(as, in string) (user snowflake.User, channel snowflake.Channel, err error) {
	for _, u := range s.World.Users {
		if u.Username == as || u.ID.String() == as {
			user = u.ID
		}
	}
	if user == 0 {
		return 0, 0, fmt.Errorf("bellhoptest: the world has no user %q", as)
	}
	if channel, err = snowflake.Parse[snowflake.Channel](in); err == nil {
		return user, channel, nil
	}
	guild, name, _ := strings.Cut(in, "/")
	for _, g := range s.World.Guilds {
		for _, c := range g.Channels {
			if g.Name == guild && c.Name == name {
				return user, c.ID, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("bellhoptest: the world has no channel %q", in)
}
