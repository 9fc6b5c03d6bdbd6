package attachments

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Addresses are signed, so that whoever was shown a file can read it without a token, in a browser too, and nobody else
// can. They are the same for an hour, so that browsers need not read a picture twice, and hold for a day.
const (
	linkLife = 24 * time.Hour
	linkStep = time.Hour
)

const keySize = 32

// loadKey returns the key in a file, which it makes when there is none. Nodes that share the folder and start together find
// the same.
func loadKey(file string) ([]byte, error) {
	key, err := os.ReadFile(file) //nolint:gosec // a file of our own
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // it never fails
		if err = writeNew(file, key); errors.Is(err, fs.ErrExist) {
			key, err = os.ReadFile(file) //nolint:gosec // a file of our own
		}
	}
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s: %d bytes, want a key of %d", file, len(key), keySize)
	}
	return key, err
}

// writeNew writes a file that is there as a whole or not at all. It fails with fs.ErrExist when there is one already.
func writeNew(file string, data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".key-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Link(tmp.Name(), file)
	}
	if err = errors.Join(err, os.Remove(tmp.Name())); err != nil {
		return err
	}
	return syncDir(filepath.Dir(file))
}

// SetBase says what addresses begin with from now on.
func (a *Attachments) SetBase(base string) { a.base.Store(&base) }

// URL returns the address of a file.
func (a *Attachments) URL(channel snowflake.Channel, id snowflake.Attachment, filename string) string {
	filename = Filename(filename)
	issued := a.cfg.Clock.Now().Truncate(linkStep)
	is, ex := seconds(issued), seconds(issued.Add(linkLife+linkStep))
	return *a.base.Load() + "/attachments/" + channel.String() + "/" + id.String() + "/" + url.PathEscape(filename) +
		"?ex=" + ex + "&is=" + is + "&hm=" + hex.EncodeToString(a.sign(channel, id, filename, ex, is))
}

func seconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 16) }

// sign returns what proves that an address was made here.
func (a *Attachments) sign(channel snowflake.Channel, id snowflake.Attachment, filename, ex, is string) []byte {
	mac := hmac.New(sha256.New, a.key)
	fmt.Fprintf(mac, "attachment %d %d %s %s %s", channel, id, ex, is, filename)
	return mac.Sum(nil)
}

// Check reports whether an address was made by URL and still holds.
func (a *Attachments) Check(channel snowflake.Channel, id snowflake.Attachment, filename string, query url.Values) bool {
	ex, is := query.Get("ex"), query.Get("is")
	given, err := hex.DecodeString(query.Get("hm"))
	if err != nil || !hmac.Equal(given, a.sign(channel, id, filename, ex, is)) {
		return false
	}
	until, err := strconv.ParseInt(ex, 16, 64)
	return err == nil && a.cfg.Clock.Now().Unix() < until
}
