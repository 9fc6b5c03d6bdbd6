package directory

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"reflect"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Applied is what came of a change.
type Applied struct {
	// Changed counts the records that were written. It is 0 when everything was as it should be.
	Changed int
	// Secrets that were made because there were none. They are shown once: only their hashes are kept.
	BotTokens     map[snowflake.Application]auth.Secret
	ClientSecrets map[snowflake.Application]auth.Secret
	UserTokens    map[snowflake.User]auth.Secret
	// ActivitiesOn and ActivitiesOff are the applications whose activities were switched.
	ActivitiesOn, ActivitiesOff []snowflake.Application
}

// Writer writes records of a world that are complete, within one decision. All fields but Applied are required.
type Writer struct {
	Tx  *store.Tx
	Put func(...store.Record) error // stores records of the directory in Tx
	IDs interface{ Next() uint64 }  // of roles that come with bots
	Now time.Time                   // in the form in which times are kept

	// Applied is what has come of everything so far.
	Applied Applied
}

// Apply makes the store hold what a world says. A record that the world names is written whole, what it does not name
// stays, so applying a world twice changes nothing. What is wrong with the world is a *problem.Tree.
func (w *Writer) Apply(all world.World) error {
	if err := Check(all, &w.Tx.Directory); err != nil {
		return err
	}
	var t jsonbody.Tree
	for i, u := range all.Users {
		if err := w.user(t.At("users").Index(i), u); err != nil {
			return err
		}
	}
	for i, a := range all.Applications {
		if err := w.application(t.At("applications").Index(i), a); err != nil {
			return err
		}
	}
	for i, g := range all.Guilds {
		if err := w.guild(t.At("guilds").Index(i), g); err != nil {
			return err
		}
	}
	for i, in := range all.UserInstalls {
		if err := w.userInstall(t.At("user_installs").Index(i), in); err != nil {
			return err
		}
	}
	return t.Err()
}

// replace writes a record unless it is there already, and reports whether it wrote.
func replace[R store.Record](w *Writer, old R, found error, record R) (wrote bool, err error) {
	if found != nil && !errors.Is(found, store.ErrNotFound) {
		return false, found
	}
	if found == nil && reflect.DeepEqual(old, record) {
		return false, nil
	}
	w.Applied.Changed++
	return true, w.Put(record)
}

func (w *Writer) user(t *jsonbody.Tree, u world.User) error {
	old, err := w.Tx.Directory.User(u.ID)
	if _, err := replace(w, old, err, userRecord(u)); err != nil {
		return err
	}
	made, err := w.token(t.At("token"), u.Token, store.Credential{Kind: store.UserToken, User: u.ID},
		func() auth.Secret { return auth.NewUserToken(u.ID, w.Now) })
	if made != "" {
		keep(&w.Applied.UserTokens, u.ID, made)
	}
	return err
}

func (w *Writer) application(t *jsonbody.Tree, a world.Application) error {
	old, err := w.Tx.Directory.Application(a.ID)
	record := applicationRecord(a, old)
	if len(record.SigningKey) == 0 {
		record.SigningKey = make([]byte, ed25519.SeedSize)
		_, _ = rand.Read(record.SigningKey) // never fails: the process ends when the machine has no randomness
	}
	w.clientSecret(&record, a.ClientSecret)
	if _, err := replace(w, old, err, record); err != nil {
		return err
	}
	if old.Owner != record.Owner {
		w.Tx.Touch(store.UserSubject(record.Owner)) // a user who owns an application is not deleted
	}
	if old.Activities != record.Activities {
		w.switchActivities(record)
	}
	made, err := w.token(t.At("bot_token"), a.BotToken, store.Credential{Kind: store.BotToken, Application: a.ID},
		func() auth.Secret { return auth.NewBotToken(a.ID, w.Now) })
	if made != "" {
		keep(&w.Applied.BotTokens, a.ID, made)
	}
	return err
}

func (w *Writer) switchActivities(app store.Application) {
	if app.Activities {
		w.Applied.ActivitiesOn = append(w.Applied.ActivitiesOn, app.ID)
	} else {
		w.Applied.ActivitiesOff = append(w.Applied.ActivitiesOff, app.ID)
	}
}

// clientSecret gives an application the secret of the world, or one when it has none.
func (w *Writer) clientSecret(a *store.Application, given string) {
	switch {
	case given != "" && auth.Matches(a.SecretHash, given):
		return
	case given == "" && len(a.SecretHash) > 0:
		return
	case given == "":
		made := auth.NewClientSecret()
		keep(&w.Applied.ClientSecrets, a.ID, made)
		given = made.Reveal()
	}
	hash := auth.Hash(given)
	a.SecretHash = hash[:]
}

// token makes a given token the only one of its kind and owner, or mints one when none is given and there is none. It
// returns what it minted.
func (w *Writer) token(t *jsonbody.Tree, given string, c store.Credential, mint func() auth.Secret) (auth.Secret, error) {
	if given == "" {
		have, err := w.Tx.Credentials.Credentials(c.Kind, c.Application, c.User)
		if err != nil || len(have) > 0 {
			return "", err
		}
		made := mint()
		c.Hash = auth.Hash(made.Reveal())
		w.Applied.Changed++
		return made, auth.PutCredential(w.Tx, c)
	}
	c.Hash = auth.Hash(given)
	old, err := w.Tx.Credentials.Credential(c.Hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		w.Applied.Changed++
		err = auth.PutCredential(w.Tx, c)
	case err == nil && !reflect.DeepEqual(old, c):
		t.Add(Taken, "Is the token of something else already.")
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return "", auth.RevokeOthers(w.Tx, c.Hash, c.Kind, c.Application, c.User)
}

// keep puts a secret into a map that may not be there yet.
func keep[K comparable](secrets *map[K]auth.Secret, id K, s auth.Secret) {
	if *secrets == nil {
		*secrets = map[K]auth.Secret{}
	}
	(*secrets)[id] = s
}
