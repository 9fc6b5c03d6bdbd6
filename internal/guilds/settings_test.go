package guilds_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
)

// TestEdit verifies the event and the entry in the audit log of an edit, that an edit without a change has neither, and that a
// replaced image and the image of a refused edit leave no file.
func TestEdit(t *testing.T) {
	t.Parallel()
	s, files := open(t), noFiles{}
	s.Images = &images.Images{Store: s.db, Directory: s.Directory, Files: files, IDs: s.IDs, Log: slog.New(slog.DiscardHandler)}
	ctx := audit.WithActor(t.Context(), &audit.Actor{User: 200, Reason: "new name"})
	edit := func(body string) error {
		v, err := jsonbody.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Edit(ctx, ada, lab, v)
		return err
	}
	if err := edit(`{"name":"Base","system_channel_id":"310","icon":"` + picture(t, 1) + `"}`); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.events[0], `GUILD_UPDATE to 300/0 1 0: {"id":"300","name":"Base"`) || !strings.Contains(s.events[0], `"system_channel_id":"310"`) {
		t.Errorf("event %s", s.events[0])
	}
	if got := s.take(); got != "GUILD_UPDATE GUILD_AUDIT_LOG_ENTRY_CREATE" {
		t.Errorf("events %s", got)
	}
	if got := s.log(t); len(got) != 1 || !strings.HasPrefix(got[0], `1 200 300 [{"key":"name","old_value":"Lab","new_value":"Base"},{"key":"system_channel_id","new_value":"310"},`+
		`{"key":"icon_hash","new_value":"`) || !strings.HasSuffix(got[0], "}] map[] new name") {
		t.Errorf("audit log %q", got)
	}
	if err := edit(`{"name":"Base"}`); err != nil || s.take() != "" || len(s.log(t)) != 1 {
		t.Errorf("an edit without a change: %v, log %q", err, s.log(t))
	}
	first := len(files)
	if err := edit(`{"icon":null}`); err != nil || first != 1 || len(files) != 0 {
		t.Errorf("removed icon: %v, %d files before, %d after", err, first, len(files))
	}
	if err := edit(`{"icon":"` + picture(t, 1) + `","afk_channel_id":"310"}`); err == nil || len(files) != 0 {
		t.Errorf("refused edit: %v, %d files", err, len(files))
	}
	s.take()
	if err := s.Directory.Guilds.DeleteChannel(t.Context(), lab, 310); err != nil {
		t.Fatal(err)
	}
	if got := s.take(); !slices.Contains(strings.Fields(got), "GUILD_UPDATE") {
		t.Errorf("events of the deleted channel %s, want GUILD_UPDATE", got)
	}
	err := s.db.Read(t.Context(), func(r store.Reader) error {
		g, err := r.Directory.Guild(lab)
		if err == nil && g.SystemChannel != 0 {
			t.Errorf("the deleted channel is still the system channel")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
