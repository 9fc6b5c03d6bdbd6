// Package provision writes records of the world file's format to the directory: whole files, and single records under the
// same rules.
package provision

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Provisioner writes worlds and single records to a directory. It is safe for concurrent use. Directory, Clock and Audit
// belong together.
type Provisioner struct {
	Directory *directory.Directory
	Clock     clock.Clock
	// Audit gets an entry for each world. It may be nil. The directory adds the entries of records.
	Audit *audit.Log

	// Sealer encrypts the keys that sign deliveries to new applications. It may be nil: they are not encrypted.
	Sealer *auth.Sealer
	// StrongSecrets refuses tokens and client secrets that an attacker could guess. Development uses short ones.
	StrongSecrets bool
	// AllIntents switches the privileged intents on for a new application that does not list its own.
	AllIntents bool
	// OnActivities is called within the transaction that turns an application's activities on or off, after all other
	// writes. It may be nil.
	OnActivities func(tx *store.Tx, app store.Application) error
	// OnCommands is called within the transaction of a world with commands. It writes the definitions, a JSON list, and
	// returns how many commands it wrote, and the id of each command by the id in the list. Invalid definitions are a
	// *jsonbody.Tree. It may be nil: then worlds cannot have commands.
	OnCommands func(tx *store.Tx, app store.Application, guild snowflake.Guild, definitions []byte) (
		ids map[snowflake.Command]snowflake.Command, changed int, err error)
}

// Applied is the result of writing world records.
type Applied struct {
	// Changed is the number of written records. It is 0 when the directory already held all of them.
	Changed int
	// Secrets that were created because there were none. They are shown once: the store keeps their hashes only.
	BotTokens     map[snowflake.Application]auth.Secret
	ClientSecrets map[snowflake.Application]auth.Secret
	UserTokens    map[snowflake.User]auth.Secret
	// ActivitiesOn and ActivitiesOff are the applications whose activities were turned on or off.
	ActivitiesOn, ActivitiesOff []snowflake.Application
}

// Apply writes all records of a world in one transaction. A record in the world replaces the stored one. Records that
// the world does not name stay, so applying a world twice changes nothing. A world that breaks a rule is a
// *jsonbody.Tree.
func (p *Provisioner) Apply(ctx context.Context, all world.World) (applied Applied, err error) {
	if all, err = all.Complete(); err != nil {
		return Applied{}, err
	}
	err = p.Directory.Update(ctx, p.decision(&applied, func(w *batch) error { return w.apply(all) }))
	return applied, err
}

// Reset replaces the contents of the store with a world in one transaction. Signing keys, tokens and client secrets
// that were created for applications and users of the world stay, so that clients can go on using them. The operator's
// token stays too.
func (p *Provisioner) Reset(ctx context.Context, all world.World) (applied Applied, err error) {
	if all, err = all.Complete(); err != nil {
		return Applied{}, err
	}
	write := p.decision(&applied, func(w *batch) error { return w.apply(all) })
	err = p.Directory.Update(ctx, func(tx *directory.Tx) error {
		records, err := createdSecrets(tx.Tx, all)
		if err != nil {
			return err
		}
		tx.Clear()
		if err := tx.Put(records...); err != nil {
			return err
		}
		if err := write(tx); err != nil {
			return err
		}
		tx.Forget()
		if err := p.Audit.Add(ctx, tx.Tx, audit.Entry{Action: "world.reset", Target: "world"}); err != nil {
			return err
		}
		tx.Announce(directory.Reload(true))
		return nil
	})
	return applied, err
}

// createdSecrets returns the credentials and keys that were created for the records of a world, except those that the
// world replaces. The applications hold only ids and keys.
func createdSecrets(tx *store.Tx, all world.World) ([]store.Record, error) {
	credentials, err := tx.Credentials.Credentials(store.AdminToken, 0, 0)
	if err != nil {
		return nil, err
	}
	var records []store.Record
	given := map[store.TokenHash]bool{}
	keep := func(token string, c store.Credential) error {
		if token != "" {
			given[auth.Hash(token)] = true
			return nil
		}
		have, err := tx.Credentials.Credentials(c.Kind, c.Application, c.User)
		credentials = append(credentials, have...)
		return err
	}
	for _, a := range all.Applications {
		old, err := tx.Directory.Application(a.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		records = append(records, store.Application{
			ID: a.ID, SecretHash: old.SecretHash, SigningKey: old.SigningKey, Sealed: old.Sealed, VerifyKey: old.VerifyKey,
		})
		if err := keep(a.BotToken, store.Credential{Kind: store.BotToken, Application: a.ID}); err != nil {
			return nil, err
		}
	}
	for _, u := range all.Users {
		if err := keep(u.Token, store.Credential{Kind: store.UserToken, User: u.ID}); err != nil {
			return nil, err
		}
	}
	for _, c := range credentials {
		if !given[c.Hash] {
			records = append(records, c)
		}
	}
	return records, nil
}
