package oauth

import (
	"errors"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// The rules for usernames.
const (
	minUsername = 2
	maxUsername = 32
)

// maxNamesRead bounds the users whose names freeName compares. In a larger directory every name gets a suffix.
const maxNamesRead = 20_000

// reservedNames look like mentions or like the service itself.
var reservedNames = map[string]bool{"everyone": true, "here": true, "system": true, "operator": true, "bellhop": true}

// username converts a name of the provider to a username: 2 to 32 letters a to z, digits, underscores and single dots. It
// returns an empty text if too little is left.
func username(name string) string {
	name, _, _ = strings.Cut(name, "@") // of an address, the part before the host
	var b strings.Builder
	last := '_' // no underscore at the beginning
	for _, r := range strings.ToLower(name) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' {
			r = '_'
		}
		if r == last && (r == '_' || r == '.') {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	name = b.String()
	name = strings.TrimRight(name[:min(len(name), maxUsername)], "_")
	if len(name) < minUsername || strings.Trim(name, "._") == "" {
		return ""
	}
	return name
}

// freeName returns a username for a new user that no other user has, and claims it in the transaction: of two users who sign in
// for the first time at the same moment, one gets a suffix.
func freeName(tx *store.Tx, wanted string, user snowflake.User) (string, error) {
	base := username(wanted)
	if base == "" {
		base = "user_" + user.String()
	}
	taken, all, err := usernames(tx.Reader)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		name := base
		if n > 1 || !all || reservedNames[base] {
			suffix := "_" + strconv.Itoa(n)
			if n > 9 || !all { // many users have the name, or their names are not known
				suffix = "_" + user.String()
			}
			name = base[:min(len(base), maxUsername-len(suffix))] + suffix
		}
		_, err := tx.Grants.Account(oauth.NameIssuer, name)
		switch {
		case err == nil || taken[name]:
			if n > 10 {
				return "", errNoName
			}
		case errors.Is(err, store.ErrNotFound):
			return name, tx.Put(store.Account{Issuer: oauth.NameIssuer, Subject: name, User: user})
		default:
			return "", err
		}
	}
}

var errNoName = errors.New("no free username found")

// usernames returns the names of the users in lower case. It returns false if there are too many users to read.
func usernames(r store.Reader) (names map[string]bool, all bool, err error) {
	const page = 1000
	names = map[string]bool{}
	var last snowflake.User
	for len(names) < maxNamesRead {
		list, err := r.Directory.Users(last, page)
		if err != nil {
			return nil, false, err
		}
		for _, u := range list {
			names[strings.ToLower(u.Username)] = true
			last = u.ID
		}
		if len(list) < page {
			return names, true, nil
		}
	}
	return names, false, nil
}
