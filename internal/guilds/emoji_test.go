package guilds_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// noFiles counts the files that are stored, and keeps none.
type noFiles map[snowflake.Attachment]bool

func (f noFiles) Put(_ context.Context, id snowflake.Attachment, _ string, r io.Reader) (int64, error) {
	f[id] = true
	return io.Copy(io.Discard, r)
}

func (f noFiles) Open(context.Context, snowflake.Attachment) (io.ReadSeekCloser, error) {
	return nil, errors.New("no files")
}

func (f noFiles) Delete(_ context.Context, ids ...snowflake.Attachment) error {
	for _, id := range ids {
		delete(f, id)
	}
	return nil
}

// picture returns a GIF image with a number of frames as a data URI.
func picture(t *testing.T, frames int) string {
	t.Helper()
	var all gif.GIF
	for range frames {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black, color.White}))
		all.Delay = append(all.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &all); err != nil {
		t.Fatal(err)
	}
	return "data:image/gif;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestEmojis verifies the slots of a guild, which count animated emojis apart, the event with the complete list, the audit log,
// and that a deleted emoji leaves no file.
func TestEmojis(t *testing.T) {
	t.Parallel()
	s, files := open(t), noFiles{}
	s.Images = &images.Images{Store: s.db, Directory: s.Directory, Files: files, IDs: s.IDs, Log: slog.New(slog.DiscardHandler)}
	create := func(name string, frames int) (snowflake.Emoji, error) {
		body, err := jsonbody.Parse(fmt.Appendf(nil, `{"name":%q,"image":%q}`, name, picture(t, frames)))
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.CreateEmoji(t.Context(), ada, lab, body)
		return e.ID, err
	}
	first, err := create("cat", 1)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(s.events, func(e string) bool {
		return strings.HasPrefix(e, "GUILD_EMOJIS_UPDATE to 300/0 1000 0: ")
	}); i < 0 || !strings.Contains(s.events[i], `{"guild_id":"300","emojis":[{"id":"`+first.String()+`","name":"cat"`) {
		t.Errorf("events %q, want GUILD_EMOJIS_UPDATE with the emoji for the intent 8", s.events)
	}
	for i := range guild.EmojiSlots(0) - 1 {
		if _, err := create(fmt.Sprintf("still_%d", i), 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := create("too_many", 1); !errors.Is(err, apierror.TooManyEmojis) {
		t.Errorf("emoji 51: %v", err)
	}
	for i := range guild.EmojiSlots(0) {
		if _, err := create(fmt.Sprintf("moving_%d", i), 2); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := create("too_many", 2); !errors.Is(err, apierror.TooManyAnimated) {
		t.Errorf("animated emoji 51: %v", err)
	}
	if n := 2 * guild.EmojiSlots(0); len(files) != n {
		t.Errorf("%d files of %d emojis", len(files), n)
	}
	s.take()
	if err := s.DeleteEmoji(t.Context(), ada, lab, first); err != nil {
		t.Fatal(err)
	}
	if got := s.take(); got != "GUILD_EMOJIS_UPDATE GUILD_AUDIT_LOG_ENTRY_CREATE" {
		t.Errorf("events %s after a deletion", got)
	}
	if n := 2*guild.EmojiSlots(0) - 1; len(files) != n {
		t.Errorf("%d files of %d emojis after a deletion", len(files), n)
	}
	if state, err := s.Directory.Guilds.State(t.Context(), lab); err != nil || len(state.Emojis) != 2*guild.EmojiSlots(0)-1 {
		t.Errorf("the guild has %d emojis, %v", len(state.Emojis), err)
	}
}
