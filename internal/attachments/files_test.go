package attachments_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/snowflake"
)

func TestFilesSurviveRestart(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.keep(t, "picture")
	address := d.URL(5, id, "a.png")
	if err := os.WriteFile(filepath.Join(d.dir, "spool", "upload-left"), []byte("left by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := openIn(t, d.dir)
	if got := again.content(t, id); got != "picture" {
		t.Errorf("content after a restart = %q", got)
	}
	if left := again.files(t, "spool"); len(left) > 0 {
		t.Errorf("files left in the spool: %q", left)
	}
	if !again.checks(t, address) {
		t.Error("a URL is not valid after a restart")
	}
	if err := again.Delete(t.Context(), id, id); err != nil {
		t.Errorf("Delete() = %v for a file that is already deleted", err)
	}
	if _, err := again.Open(t.Context(), id); !errors.Is(err, attachments.ErrUnknownFile) {
		t.Errorf("Open() of a deleted file = %v", err)
	}
}

// checks reports whether a URL is valid.
func (d *fixture) checks(t testing.TB, address string) bool {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	segments := strings.Split(u.Path, "/")
	if len(segments) != 5 || segments[1] != "attachments" {
		t.Fatalf("address %q", address)
	}
	channel, _ := snowflake.Parse[snowflake.Channel](segments[2])
	id, _ := snowflake.Parse[snowflake.Attachment](segments[3])
	return d.Check(channel, id, segments[4], u.Query())
}

func TestURL(t *testing.T) {
	t.Parallel()
	d := open(t)
	const id = 1300000000000000001
	address := d.URL(5, id, "Größe 1.png")
	if !strings.HasPrefix(address, "http://bellhop.test/attachments/5/1300000000000000001/Gr%C3%B6%C3%9Fe_1.png?ex=") || !d.checks(t, address) {
		t.Errorf("URL() = %q, valid: %v", address, d.checks(t, address))
	}
	for _, tt := range []struct{ name, from, to string }{
		{"another channel", "/5/", "/6/"},
		{"another file", "0001/", "0002/"},
		{"another name", ".png", ".svg"},
		{"a later expiry", "ex=6", "ex=7"},
		{"another issue time", "&is=6", "&is=5"},
		{"no signature", "&hm=", "&mh="},
	} {
		if changed := strings.Replace(address, tt.from, tt.to, 1); changed == address || d.checks(t, changed) {
			t.Errorf("%s: %q is valid", tt.name, changed)
		}
	}
	if open(t).checks(t, address) {
		t.Error("a URL of another service is valid")
	}
	d.clock.Advance(24 * time.Hour)
	if !d.checks(t, address) {
		t.Error("a URL is not valid for a day")
	}
	if again := d.URL(5, id, "Größe 1.png"); again == address {
		t.Error("the URL is the same a day later")
	}
	d.clock.Advance(time.Hour)
	if d.checks(t, address) {
		t.Error("a URL does not expire")
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	d := open(t)
	referenced, unreferenced := d.keep(t, "A"), d.keep(t, "B")
	d.kept[referenced] = true
	d.clock.Advance(26 * time.Hour)
	fresh := d.keep(t, "C")
	if err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Open(t.Context(), unreferenced); !errors.Is(err, attachments.ErrUnknownFile) {
		t.Errorf("Open() of an unreferenced file = %v after Sweep", err)
	}
	if d.content(t, referenced) != "A" || d.content(t, fresh) != "C" {
		t.Error("Sweep removed a file that is referenced or new")
	}
}

func TestFilename(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ give, want string }{
		{"cat.png", "cat.png"},
		{"a b\x00c\n.txt", "a_b_c_.txt"},
		{`C:\Users\x\report.pdf`, "report.pdf"},
		{"../../etc/passwd", "passwd"},
		{"..", "file"},
		{"", "file"},
		{".bashrc", "bashrc"},
		{"Größe_日本.png", "Größe_日本.png"},
		{"a\xffb", "a_b"},
		{strings.Repeat("ä", 300) + ".png", strings.Repeat("ä", 98) + ".png"},
		{`"><script>`, "___script_"},
	} {
		if got := attachments.Filename(tt.give); got != tt.want {
			t.Errorf("Filename(%q) = %q, want %q", tt.give, got, tt.want)
		}
	}
}

func TestServedType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"a.png": "image/png", "a.JPG": "image/jpeg", "a.svg": "", "a.html": "", "a": "", "png": "", "a.png.exe": ""} {
		kind, inline := attachments.ServedType(name)
		if inline != (want != "") || inline && kind != want || !inline && kind != "application/octet-stream" {
			t.Errorf("ServedType(%q) = %q, %v", name, kind, inline)
		}
	}
}

func TestPutTooLarge(t *testing.T) {
	t.Parallel()
	d := open(t)
	if _, err := d.Put(t.Context(), 1, "a", endless{}); !errors.Is(err, attachments.ErrFormTooLarge) {
		t.Errorf("Put() = %v, want ErrTooLarge", err)
	}
	if left := append(d.files(t, "spool"), d.files(t, "files")...); len(left) > 0 {
		t.Errorf("the refused file left %q", left)
	}
}
