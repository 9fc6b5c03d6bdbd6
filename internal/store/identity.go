package store

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Identity is a player of an application, as an identity provider knows the player. It belongs to a provisional user of the
// application, or to the user with whom that one was merged.
type Identity struct {
	Hash        TokenHash             `json:"-"` // see IdentityHash
	Application snowflake.Application `json:"application"`
	Provider    string                `json:"provider"`         // the type of the provider, such as OIDC
	Issuer      string                `json:"issuer,omitzero"`  // which provider of the type; empty if there is only one
	Subject     string                `json:"subject,omitzero"` // the player's id there
	User        snowflake.User        `json:"user"`
	Created     time.Time             `json:"created"`
}

// Transfer says that a user takes over the lobbies of another user in an application.
type Transfer struct {
	Application snowflake.Application `json:"application"`
	From        snowflake.User        `json:"from"`
	To          snowflake.User        `json:"to"`
	Operation   uint64                `json:"operation"` // an id for the event at its end
	Created     time.Time             `json:"created"`
}

// IdentityHash returns the hash that identifies a player.
func IdentityHash(app snowflake.Application, provider, issuer, subject string) TokenHash {
	text := binary.BigEndian.AppendUint64(nil, uint64(app))
	for _, part := range []string{provider, issuer, subject} {
		text = binary.BigEndian.AppendUint64(text, uint64(len(part)))
		text = append(text, part...)
	}
	return sha256.Sum256(text)
}

func (i Identity) subjects() []Subject {
	return []Subject{IdentitySubject(i.Hash), IdentitiesSubject(i.Application, i.User)}
}

func (i Identity) write(w *writes) {
	w.put(identitiesTable, i.Hash[:], key(i.Application), key(i.User), w.doc(i))
}

// IdentityKey names the identity of a player. A user has one identity in an application at most.
func IdentityKey(i Identity) Key {
	return Key{
		ends: []Subject{IdentitySubject(i.Hash), IdentitiesSubject(i.Application, i.User)},
		rows: []rowKey{{identitiesTable, []string{"hash"}, []any{i.Hash[:]}}},
	}
}

func (t Transfer) subjects() []Subject { return []Subject{TransferSubject(t.Application, t.From)} }

func (t Transfer) write(w *writes) {
	w.put(transfersTable, key(t.Application), key(t.From), w.doc(t))
}

// TransferKey names a transfer.
func TransferKey(app snowflake.Application, from snowflake.User) Key {
	return Key{
		ends: []Subject{TransferSubject(app, from)},
		rows: []rowKey{{transfersTable, []string{"application_id", "user_id"}, []any{key(app), key(from)}}},
	}
}

// IdentityQueries reads the identities of players, and the transfers.
type IdentityQueries struct{ *reader }

func identityHash(i *Identity) *TokenHash { return &i.Hash }

// Identity returns the identity of a player.
func (q IdentityQueries) Identity(hash TokenHash) (Identity, error) {
	q.read(IdentitySubject(hash))
	return findHashed(q.reader, identityHash, identitiesTable, []string{"hash"}, hash[:])
}

// Identities returns the identities of a user in an application, in the order of their hashes.
func (q IdentityQueries) Identities(app snowflake.Application, user snowflake.User) ([]Identity, error) {
	q.read(IdentitiesSubject(app, user))
	return listHashed(q.reader, identityHash, identitiesTable, []string{"user_id", "application_id"}, key(user), key(app))
}

// OfUser returns the identities of a user in all applications. A decision does not depend on the result.
func (q IdentityQueries) OfUser(user snowflake.User) ([]Identity, error) {
	return listHashed(q.reader, identityHash, identitiesTable, []string{"user_id"}, key(user))
}

// OfApplication returns up to limit identities of an application. A decision does not depend on the result.
func (q IdentityQueries) OfApplication(app snowflake.Application, limit int) ([]Identity, error) {
	hashes, err := q.hashes("SELECT hash FROM identities WHERE application_id = ? LIMIT ?", key(app), int64(limit))
	if err != nil {
		return nil, err
	}
	var found []Identity
	for _, h := range hashes {
		i, err := q.Identity(h)
		if err != nil {
			return nil, err
		}
		found = append(found, i)
	}
	return found, nil
}

// Transfer returns the transfer of a user's lobbies.
func (q IdentityQueries) Transfer(app snowflake.Application, from snowflake.User) (Transfer, error) {
	q.read(TransferSubject(app, from))
	return find[Transfer](q.reader, transfersTable, key(app), key(from))
}

// Transfers returns up to limit transfers. A decision does not depend on the result.
func (q IdentityQueries) Transfers(limit int) ([]Transfer, error) {
	return list[Transfer](q.reader, transfersTable, page{"application_id", -1, limit}, nil)
}
