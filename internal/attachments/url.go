package attachments

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
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

// File URLs are signed, so that a client that got a URL can read the file without a token, also in a browser. A URL is
// valid for a day. It stays the same for an hour, so that browsers can cache the file.
const (
	urlLifetime = 24 * time.Hour
	urlStep     = time.Hour
)

const keySize = 32

// loadKey returns the key in a file. It creates a key if there is none. Nodes that share the folder and start at the
// same time get the same key.
func loadKey(file string) ([]byte, error) {
	key, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // it never returns an error
		if err = writeNew(file, key); errors.Is(err, fs.ErrExist) {
			key, err = os.ReadFile(file)
		}
	}
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s: %d bytes, want a key of %d", file, len(key), keySize)
	}
	return key, err
}

// writeNew creates a file atomically. The error is fs.ErrExist if the file exists.
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

// SetBase sets the first part of file URLs.
func (f *Files) SetBase(base string) { f.base.Store(&base) }

// Base returns the first part of file URLs.
func (f *Files) Base() string { return *f.base.Load() }

// WebhookToken returns the token of a webhook. It follows from the id and salt by the key of the folder, so it is not
// stored.
func (f *Files) WebhookToken(id snowflake.Webhook, salt []byte) string {
	mac := hmac.New(sha512.New, f.key)
	fmt.Fprintf(mac, "webhook %d ", id)
	mac.Write(salt)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:51])
}

// URL returns the signed URL of a file.
func (f *Files) URL(channel snowflake.Channel, id snowflake.Attachment, filename string) string {
	filename = Filename(filename)
	issued := f.cfg.Clock.Now().Truncate(urlStep)
	is, ex := seconds(issued), seconds(issued.Add(urlLifetime+urlStep))
	return f.Base() + "/attachments/" + channel.String() + "/" + id.String() + "/" + url.PathEscape(filename) +
		"?ex=" + ex + "&is=" + is + "&hm=" + hex.EncodeToString(f.sign(channel, id, filename, ex, is))
}

func seconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 16) }

// sign returns the signature of a URL.
func (f *Files) sign(channel snowflake.Channel, id snowflake.Attachment, filename, ex, is string) []byte {
	mac := hmac.New(sha256.New, f.key)
	fmt.Fprintf(mac, "attachment %d %d %s %s %s", channel, id, ex, is, filename)
	return mac.Sum(nil)
}

// Check reports whether URL made an address and it has not expired.
func (f *Files) Check(channel snowflake.Channel, id snowflake.Attachment, filename string, query url.Values) bool {
	ex, is := query.Get("ex"), query.Get("is")
	given, err := hex.DecodeString(query.Get("hm"))
	if err != nil || !hmac.Equal(given, f.sign(channel, id, filename, ex, is)) {
		return false
	}
	until, err := strconv.ParseInt(ex, 16, 64)
	return err == nil && f.cfg.Clock.Now().Unix() < until
}
