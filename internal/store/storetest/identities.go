package storetest

import (
	"strings"

	"github.com/bellhop/bellhop/internal/store"
)

// identityCases are the records of players and of the users who take over their lobbies.
func identityCases() []recordCase {
	hash := store.IdentityHash(100, "OIDC", "https://id.example.com", "p")
	identity := store.Identity{Hash: hash, Application: 100, User: 200}
	return []recordCase{
		{
			name: "identity of a player",
			full: store.Identity{
				Hash: hash, Application: 100, Provider: "OIDC", Issuer: "https://id.example.com", Subject: strings.Repeat("☃", 1024), User: 200, Created: noon,
			},
			bare: identity,
			get: func(r store.Reader) (any, error) {
				i, err := r.Identities.Identity(hash)
				if all, listErr := r.Identities.Identities(100, 200); listErr != nil || len(all) > 1 || len(all) == 0 && err == nil {
					return nil, listErr
				}
				return i, err
			},
			key: new(store.IdentityKey(identity)),
		},
		{
			name: "transfer of lobbies",
			full: store.Transfer{Application: 100, From: 200, To: 201, Operation: 7, Created: noon},
			bare: store.Transfer{Application: 100, From: 200},
			get:  func(r store.Reader) (any, error) { return value(r.Identities.Transfer(100, 200)) },
			key:  new(store.TransferKey(100, 200)),
		},
	}
}
