package guilds_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

const entry = " GUILD_AUDIT_LOG_ENTRY_CREATE"

func TestBan(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx := audit.WithActor(t.Context(), &audit.Actor{Application: 100, Reason: "spam"})
	if err := s.Ban(ctx, game, lab, 202, parse(t, `{"delete_message_seconds":60}`)); err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(s.events, func(e string) bool { return strings.HasPrefix(e, "GUILD_BAN_ADD ") }); i < 0 ||
		!strings.HasPrefix(s.events[i], `GUILD_BAN_ADD to 300/0 100 132: {"guild_id":"300","user":{"id":"202",`) {
		t.Errorf("events %q, want one to members who may ban or read the audit log", s.events)
	}
	if slices.Contains(s.wrote, store.MemberSubject(lab, 200)) {
		t.Errorf("wrote %v", s.wrote)
	}
	if got := s.take(); got != "GUILD_BAN_ADD CHANNEL_UPDATE GUILD_MEMBER_REMOVE"+entry {
		t.Errorf("events %s", got)
	}
	if want := []string{"300 [202]11:59:00"}; !slices.Equal(s.deleted, want) {
		t.Errorf("deleted the messages of %q, want %q", s.deleted, want)
	}
	if b, err := s.ShowBan(ctx, game, lab, 202); err != nil || b.Reason != "spam" || b.User.Username != "carl" {
		t.Errorf("the ban is %+v, %v", b, err)
	}
	err := s.Directory.Guilds.AcceptInvite(t.Context(), 202, func(*store.Tx) (snowflake.Guild, error) { return lab, nil })
	if !errors.Is(err, apierror.BannedUser) {
		t.Errorf("a banned user joins: %v", err)
	}
	if err := s.Ban(ctx, game, lab, 202, parse(t, `{"delete_message_days":1}`)); err != nil || len(s.deleted) != 2 {
		t.Errorf("a second ban: %v, deleted %q", err, s.deleted)
	}
	if got := s.take(); got != "" {
		t.Errorf("a second ban has the events %s", got)
	}
	if err := s.Unban(ctx, game, lab, 202); err != nil {
		t.Fatal(err)
	}
	if got := s.take(); got != "GUILD_BAN_REMOVE"+entry {
		t.Errorf("events %s", got)
	}
	if got := s.log(t); !slices.Equal(got, []string{"22 100 202  map[] spam", "23 100 202  map[] spam"}) {
		t.Errorf("audit log %q", got)
	}
}

func TestBulkBan(t *testing.T) {
	t.Parallel()
	s := open(t)
	done, err := s.BulkBan(t.Context(), game, lab, parse(t, `{"user_ids":["100","200","201","202","203","299"]}`))
	if got := fmt.Sprint(done); err != nil || got != "{[202 203] [200 201 299]}" {
		t.Errorf("banned and failed: %s, %v", got, err)
	}
	if got := s.take(); got != "GUILD_BAN_ADD CHANNEL_UPDATE GUILD_MEMBER_REMOVE GUILD_BAN_ADD"+entry+entry {
		t.Errorf("events %s", got)
	}
	if _, err := s.BulkBan(t.Context(), game, lab, parse(t, `{"user_ids":["202"]}`)); !errors.Is(err, apierror.NoneBanned) {
		t.Errorf("a bulk ban of a banned user: %v", err)
	}
	bans, err := s.Bans(t.Context(), game, lab, guilds.BanPage{Before: 203, Limit: 5})
	if err != nil || len(bans) != 1 || bans[0].User.ID != 202 {
		t.Errorf("bans before 203: %v, %v", bans, err)
	}
}

// TestBanMeetsJoin bans a user who joins at the same time. Afterwards the user is never a member.
func TestBanMeetsJoin(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 20 {
		var both errgroup.Group
		both.Go(func() error { return s.Ban(t.Context(), ada, lab, 203, jsonbody.Value{}) })
		both.Go(func() error {
			err := s.Directory.Guilds.AcceptInvite(t.Context(), 203, func(*store.Tx) (snowflake.Guild, error) { return lab, nil })
			if errors.Is(err, apierror.BannedUser) {
				return nil
			}
			return err
		})
		if err := both.Wait(); err != nil {
			t.Fatal(err)
		}
		if m, err := s.Directory.Guilds.Member(t.Context(), lab, 203); err == nil {
			t.Fatalf("the banned user is the member %+v", m)
		}
		if err := s.Unban(t.Context(), ada, lab, 203); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBansEnd checks that bans disappear with their user and with their guild.
func TestBansEnd(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, user := range []snowflake.User{202, 203} {
		if err := s.Ban(t.Context(), ada, lab, user, jsonbody.Value{}); err != nil {
			t.Fatal(err)
		}
	}
	stored := func() (n int) {
		err := s.db.Read(t.Context(), func(r store.Reader) error {
			list, err := r.Directory.Bans(lab, 0, 9)
			n = len(list)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := s.Directory.Users.Delete(t.Context(), 203); err != nil || stored() != 1 {
		t.Errorf("after the deletion of a user: %d bans, %v", stored(), err)
	}
	if err := s.Directory.Guilds.Delete(t.Context(), lab); err != nil || stored() != 0 {
		t.Errorf("after the deletion of the guild: %d bans, %v", stored(), err)
	}
}
