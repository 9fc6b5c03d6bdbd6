package gateway_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/gateway"
)

// TestSessionsAreBounded checks that a new session above the bound closes the oldest session of the same owner, also one
// that waits for a resume.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"user-ada", "Bearer client-ada", "bot-echo"} {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			s := open(t, func(c *gateway.Config) { c.Limits.Policy.Sessions.User, c.Limits.Policy.Sessions.Application = 2, 2 })
			s.grant(t, "client-ada", ada, "identify", "gateway.connect")
			s.grant(t, "client-bob", bob, "identify", "gateway.connect")
			other, _ := s.login(t, "user-bob", 0)
			otherClient, _ := s.login(t, "Bearer client-bob", 0)
			otherBot, _ := s.login(t, "bot-other", 0)
			first, _ := s.login(t, token, 0)
			second, _ := s.login(t, token, 0)
			third, _ := s.login(t, token, 0)
			if code := first.closed(); code != 4009 {
				t.Errorf("the oldest session is closed with %d, want 4009", code)
			}
			second.cut() // it can be resumed
			fourth, _ := s.login(t, token, 0)
			again := s.connect(t, usual)
			again.resume(token, second.id, second.seq)
			if p := again.want("op 9"); string(p.D) != "false" {
				t.Errorf("a session above the bound: op 9 with %s, want false", p.D)
			}
			for name, c := range map[string]*client{"third": third, "fourth": fourth, "other": other, "otherClient": otherClient, "otherBot": otherBot} {
				c.beat()
				t.Logf("%s is open", name)
			}
		})
	}
}
