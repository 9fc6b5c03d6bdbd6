package bellhoptest

import (
	"testing"

	"github.com/bellhop/bellhop/client"
)

// Member joins or leaves a guild as a user, or sets the user's nickname there or presence. If the service refuses the action, Member ends
// the test.
func (s *Server) Member(t testing.TB, a client.MemberAction) client.MemberState {
	t.Helper()
	state, err := s.client("").Dev().Member(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return state
}
