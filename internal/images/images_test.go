package images_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

const testWorld = `
users: [{id: "200", username: ada}]
applications: [{id: "100", name: Game, owner: "200", description: It plays.}]
`

// memory holds files in memory.
type memory map[snowflake.Attachment][]byte

func (m memory) Put(_ context.Context, id snowflake.Attachment, _ string, r io.Reader) (int64, error) {
	data, err := io.ReadAll(r)
	m[id] = data
	return int64(len(data)), err
}

type opened struct{ *bytes.Reader }

func (opened) Close() error { return nil }

func (m memory) Open(_ context.Context, id snowflake.Attachment) (io.ReadSeekCloser, error) {
	return opened{bytes.NewReader(m[id])}, nil
}

func (m memory) Delete(_ context.Context, ids ...snowflake.Attachment) error {
	for _, id := range ids {
		delete(m, id)
	}
	return nil
}

// contents returns the files in order.
func (m memory) contents() []string {
	all := []string{}
	for _, data := range m {
		all = append(all, string(data))
	}
	slices.Sort(all)
	return all
}

type service struct {
	*images.Images

	dir   *directory.Directory
	files memory
	apply func() error
}

func open(t *testing.T) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db := lab.OpenStore(t)
	ids := store.NewIDs(1, clock.System{}.Now, time.Time{})
	dir := directory.New(directory.Config{Store: db, Cache: cache.New(db, 1<<20), Clock: clock.System{}, IDs: ids, Log: log})
	w, err := world.Parse("test.yaml", []byte(testWorld))
	if err != nil {
		t.Fatal(err)
	}
	p := &provision.Provisioner{Directory: dir, Clock: clock.System{}}
	s := &service{dir: dir, files: memory{}, apply: func() error {
		_, err := p.Apply(t.Context(), w)
		return err
	}}
	if err := s.apply(); err != nil {
		t.Fatal(err)
	}
	s.Images = &images.Images{Store: db, Directory: dir, Files: s.files, IDs: ids, Log: log}
	return s
}

// picture returns an image with a name as its bytes and its hash.
func picture(name string) optional.Value[imagedata.Image] {
	return optional.Of(imagedata.Image{Data: []byte(name), ContentType: "image/png", Hash: name})
}

// set sets the avatar of the bot.
func (s *service) set(t *testing.T, v optional.Value[imagedata.Image]) {
	t.Helper()
	if _, err := s.EditApplication(t.Context(), 100, convert.ApplicationPatch{BotAvatar: v}); err != nil {
		t.Fatalf("EditApplication() = %v", err)
	}
}

func (s *service) wantFiles(t *testing.T, when string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), s.files.contents()); diff != "" {
		t.Errorf("%s: files differ (-want +got):\n%s", when, diff)
	}
}

func TestReplaceImages(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(t, picture("one"))
	s.wantFiles(t, "after the first image", "one")
	im, err := s.Open(t.Context(), "avatars/100", "one")
	if err != nil || im.ContentType != "image/png" || im.Hash != "one" {
		t.Fatalf("Open() = %+v, %v", im, err)
	}
	if data, _ := io.ReadAll(im); string(data) != "one" {
		t.Errorf("the image has the bytes %q", data)
	}
	s.set(t, picture("one"))
	s.wantFiles(t, "after the same image", "one")
	if err := s.apply(); err != nil {
		t.Fatal(err)
	}
	if u, err := s.dir.Users.User(t.Context(), 100); err != nil || u.Avatar != "one" {
		t.Errorf("after the world was applied again the bot is %+v, %v", u, err)
	}
	s.set(t, picture("two"))
	s.wantFiles(t, "after another image", "two")
	if _, err := s.Open(t.Context(), "avatars/100", "one"); !errors.Is(err, images.ErrUnknown) {
		t.Errorf("Open() of the replaced image = %v", err)
	}
	s.set(t, optional.Null[imagedata.Image]())
	s.wantFiles(t, "after the image was removed")
}

// TestRefusedImages verifies that a decision that fails leaves no file behind.
func TestRefusedImages(t *testing.T) {
	t.Parallel()
	s := open(t)
	refused := errors.New("refused")
	draft := s.Draft()
	err := draft.End(t.Context(), s.dir.Update(t.Context(), func(tx *directory.Tx) error {
		for range 2 { // a decision that runs again stores one file
			if _, err := draft.Set(t.Context(), tx, images.BotAvatar(100), picture("one"), ""); err != nil {
				return err
			}
		}
		s.wantFiles(t, "during the decision", "one")
		return refused
	}))
	if !errors.Is(err, refused) {
		t.Errorf("End() = %v", err)
	}
	s.wantFiles(t, "after the decision")
}

// TestUnusedImages verifies what the sweep of files asks: the images of a deleted application are not in use, and their records go.
func TestUnusedImages(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(t, picture("one"))
	var ids []snowflake.Attachment
	for id := range s.files {
		ids = append(ids, id)
	}
	if used, err := s.InUse(t.Context(), append(ids, 5)); err != nil || !slices.Equal(used, ids) {
		t.Errorf("InUse() = %v, %v, want %v", used, err, ids)
	}
	if err := s.dir.Applications.Delete(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if used, err := s.InUse(t.Context(), ids); err != nil || len(used) > 0 {
		t.Errorf("InUse() = %v, %v after the application was deleted", used, err)
	}
	if err := s.Forget(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), "avatars/100", "one"); !errors.Is(err, images.ErrUnknown) {
		t.Errorf("Open() = %v after Forget()", err)
	}
}

func TestEditApplication(t *testing.T) {
	t.Parallel()
	s := open(t)
	edit := func(body string) *store.Application {
		t.Helper()
		v, err := jsonbody.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var tree jsonbody.Tree
		p, err := convert.ReadApplicationPatch(&tree, v)
		if err := errors.Join(tree.Err(), err); err != nil {
			t.Fatalf("ReadApplicationPatch() = %v", err)
		}
		a, err := s.EditApplication(t.Context(), 100, p)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	before := *edit(`{}`)
	want := before
	want.Description, want.Tags, want.Intents = "Says it back.", []string{"echo"}, 1<<15
	want.IntegrationTypes = []uint8{0}
	want.InstallParams = map[uint8]store.InstallParams{0: {Scopes: []string{"bot"}, Permissions: 8}}
	got := edit(`{"description":"Says it back.","tags":["echo"],"flags":8421376,
		"integration_types_config":{"0":{"oauth2_install_params":{"scopes":["bot"],"permissions":"8"}}}}`)
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("EditApplication() (-want +got):\n%s", diff)
	}
	if err := s.apply(); err != nil {
		t.Fatal(err)
	}
	kept, err := s.dir.Applications.Application(t.Context(), 100)
	if err != nil || len(kept.Tags) != 1 || kept.Intents != 1<<15 || kept.Description != "It plays." {
		t.Errorf("after the world was applied again the application is %+v, %v", kept, err)
	}
	if _, err := s.EditApplication(t.Context(), 5, convert.ApplicationPatch{}); !errors.Is(err, directory.ErrUnknownApplication) {
		t.Errorf("EditApplication() = %v for an unknown application", err)
	}
}
