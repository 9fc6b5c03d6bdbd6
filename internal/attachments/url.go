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
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/snowflake"
)

// File URLs are signed, so that a client that got a URL can read the file without a token, also in a browser. A URL is
// valid for a day. It stays the same for an hour, so that browsers can cache the file.
const (
	urlLifetime = 24 * time.Hour
	urlStep     = time.Hour
)

const keySize = 32

// keyLabel names the key of the folder for its encryption.
const keyLabel = "attachments"

// sealedPrefix begins a file with an encrypted key. The name of the encryption key and the encrypted key in Base64 follow. A file
// without the prefix is a key that is not encrypted.
const sealedPrefix = "sealed "

// loadKey returns the key in a file. It creates a key if there is none, and encrypts a key that is not encrypted with the
// current encryption key. Nodes that share the folder and start at the same time get the same key.
func loadKey(file string, sealer *auth.Sealer) ([]byte, error) {
	stored, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key := make([]byte, keySize)
		_, _ = rand.Read(key) // it never returns an error
		if err = auth.WriteNewFile(file, sealKey(key, sealer)); err == nil || errors.Is(err, fs.ErrExist) {
			stored, err = os.ReadFile(file)
		}
	}
	if err != nil {
		return nil, err
	}
	sealed, name, err := parseKey(stored)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	key, err := sealer.Open(sealed, name, keyLabel)
	if err == nil && !sealer.IsCurrent(name) {
		err = auth.ReplaceFile(file, sealKey(key, sealer))
	}
	return key, err
}

// sealKey returns the content of the file for a key.
func sealKey(key []byte, sealer *auth.Sealer) []byte {
	sealed, name := sealer.Seal(key, keyLabel)
	if name == "" {
		return key
	}
	return []byte(sealedPrefix + name + " " + base64.StdEncoding.EncodeToString(sealed) + "\n")
}

var errKeyFile = errors.New("not a key")

// parseKey returns the key in the content of a file, and the name of the key that encrypts it. The name is empty if the key is
// not encrypted.
func parseKey(content []byte) (key []byte, name string, err error) {
	text, isSealed := strings.CutPrefix(string(content), sealedPrefix)
	switch {
	case len(content) == keySize:
		return content, "", nil
	case !isSealed:
		return nil, "", fmt.Errorf("%d bytes instead of %d", len(content), keySize)
	}
	name, encoded, _ := strings.Cut(strings.TrimSpace(text), " ")
	key, err = base64.StdEncoding.DecodeString(encoded)
	if err != nil || name == "" {
		return nil, "", errKeyFile
	}
	return key, name, nil
}

// CheckKey reports whether a folder has a key, and the name of the key that encrypts it. The name is empty if the key is not
// encrypted. The error is auth.ErrSealed if sealer lacks the key.
func CheckKey(dir string, sealer *auth.Sealer) (name string, exists bool, err error) {
	content, err := os.ReadFile(filepath.Join(dir, "key"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", true, err
	}
	sealed, name, err := parseKey(content)
	if err == nil {
		_, err = sealer.Open(sealed, name, keyLabel)
	}
	return name, true, err
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
