package bellhoptest_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/optional"
)

// TestMember joins and leaves a guild as a person.
func TestMember(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	act := func(as string, a client.MemberAction) string {
		t.Helper()
		a.As, a.Guild = as, "Lab"
		return string(srv.Member(t, a).Member)
	}
	if got := act("bob", client.MemberAction{Leave: true}); got != "null" {
		t.Errorf("the member after leaving is %s", got)
	}
	if got := act("bob", client.MemberAction{Join: true}); !strings.Contains(got, `"username":"bob"`) {
		t.Errorf("the member after joining is %s", got)
	}
	if got := act("ada", client.MemberAction{Nick: optional.Of("Countess")}); !strings.Contains(got, `"nick":"Countess"`) {
		t.Errorf("the member with a nickname is %s", got)
	}
	if got := act("ada", client.MemberAction{Nick: optional.Null[string]()}); !strings.Contains(got, `"nick":null`) {
		t.Errorf("the member without a nickname is %s", got)
	}
}
