package oauth_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/api/oauth"
	"github.com/bellhop/bellhop/snowflake"
)

// TestNamesOfTheProviderFollowTheRules checks that names of the provider become usernames that follow the rules, with a suffix
// if another user has the name.
func TestNamesOfTheProviderFollowTheRules(t *testing.T) {
	t.Parallel()
	d := open(t).Sessions
	for i, tt := range []struct{ give, want string }{
		{"grace", "grace"},
		{"Grace", "grace_2"},
		{"ada", "ada_2"}, // a user of the world file
		{"ADA@example.com", "ada_3"},
		{"Ada Lovelace", "ada_lovelace"},
		{"..@everyone..", ""},
		{"everyone", "everyone_1"},
		{"a\u202eb\n\u0430", "a_b"},
		{strings.Repeat("x", 40), strings.Repeat("x", 32)},
		{strings.Repeat("x", 41), strings.Repeat("x", 30) + "_2"},
		{"", ""},
		{"ж", ""},
	} {
		user, err := d.ByIdentity(t.Context(), oauth.Identity{Issuer: "i", Subject: strconv.Itoa(i), Username: tt.give})
		if err != nil {
			t.Fatalf("%q: %v", tt.give, err)
		}
		want := tt.want
		if want == "" {
			want = "user_" + user.String()
		}
		if u, err := d.Directory.Users.User(t.Context(), user); err != nil || u.Username != want {
			t.Errorf("%q became %q, %v, want %q", tt.give, u.Username, err, want)
		}
		if list, err := d.Accounts.Identities(t.Context(), user); err != nil || len(list) != 1 {
			t.Errorf("%q: the identities are %v, %v, want that of the provider", tt.give, list, err)
		}
	}
}

// TestNamesOfTheProviderAreUnique signs in users with the same name at the same time.
func TestNamesOfTheProviderAreUnique(t *testing.T) {
	t.Parallel()
	d := open(t).Sessions
	users := make([]snowflake.User, 12)
	var all sync.WaitGroup
	for i := range users {
		all.Go(func() {
			var err error
			id := oauth.Identity{Issuer: "i", Subject: strconv.Itoa(i), Username: "sam"}
			if users[i], err = d.ByIdentity(context.WithoutCancel(t.Context()), id); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	names := map[string]bool{}
	for _, id := range users {
		u, err := d.Directory.Users.User(t.Context(), id)
		if err != nil || names[u.Username] {
			t.Fatalf("user %+v, %v: the name is taken", u, err)
		}
		names[u.Username] = true
	}
}

// usernameRule matches usernames.
var usernameRule = regexp.MustCompile(`^[a-z0-9_.]{2,32}$`)

// FuzzUsername checks that each name of a provider becomes a valid username or none, and that a valid one stays as it is.
func FuzzUsername(f *testing.F) {
	for _, seed := range []string{"ada", "Ada Lovelace", "a..b", "\u202eada", "ada@example.com", "__", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := oauth.Username(name)
		if got == "" {
			return
		}
		if !usernameRule.MatchString(got) || strings.Contains(got, "..") {
			t.Errorf("username(%q) = %q", name, got)
		}
		if again := oauth.Username(got); again != got {
			t.Errorf("username(%q) = %q, and of that %q", name, got, again)
		}
	})
}
