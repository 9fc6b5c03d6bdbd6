package provision

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
)

// batch checks and writes completed records of a world in a transaction.
type batch struct {
	*Provisioner

	tx      *directory.Tx
	now     time.Time // with the precision of the store
	applied Applied   // the result so far
	// activities are the applications whose activities are turned on or off.
	activities []store.Application
	noTokens   bool // users without a token get none
}

// decision returns the decision that runs write on a batch and then OnActivities. It sets applied to the result.
func (p *Provisioner) decision(applied *Applied, write func(*batch) error) func(*directory.Tx) error {
	return func(tx *directory.Tx) error {
		*applied = Applied{}
		w := &batch{Provisioner: p, tx: tx, now: p.Clock.Now().UTC().Truncate(time.Millisecond)}
		if err := write(w); err != nil {
			return err
		}
		for _, app := range w.activities {
			if p.OnActivities == nil {
				break
			}
			if err := p.OnActivities(tx.Tx, app); err != nil {
				return err
			}
		}
		*applied = w.applied
		return nil
	}
}

// count counts a record that was written.
func (w *batch) count(wrote bool) {
	if wrote {
		w.applied.Changed++
	}
}

// apply writes all records of a world.
func (w *batch) apply(all world.World) error {
	if err := Check(all, &w.tx.Directory); err != nil {
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
	if err := w.commands(&t, all); err != nil {
		return err
	}
	return t.Err()
}

// checkAndWrite calls write when validate finds no problem.
func (w *batch) checkAndWrite(validate func(*check, *jsonbody.Tree), write func(*jsonbody.Tree) error) error {
	var t jsonbody.Tree
	c := newCheck(&w.tx.Directory)
	validate(c, &t)
	if err := c.end(&t); err != nil {
		return err
	}
	if err := write(&t); err != nil {
		return err
	}
	return t.Err()
}

// replace writes a record unless the stored one equals it, and reports whether it wrote. err is the result of reading
// old.
func replace[R store.Record](w *batch, kind *directory.Kind[R], old R, err error, record R) (wrote bool, _ error) {
	wrote, err = kind.Replace(w.tx, old, err, record)
	w.count(wrote)
	return wrote, err
}

func (w *batch) user(t *jsonbody.Tree, u world.User) error {
	old, err := w.tx.Directory.User(u.ID)
	if _, err := replace(w, &directory.UserKind, old, err, convert.UserRecord(u, old)); err != nil {
		return err
	}
	if w.noTokens && u.Token == "" {
		return nil
	}
	created, err := w.token(t.At("token"), u.Token, store.Credential{Kind: store.UserToken, User: u.ID},
		func() auth.Secret { return auth.NewUserToken(u.ID, w.now) })
	if created != "" {
		addSecret(&w.applied.UserTokens, u.ID, created)
	}
	return err
}

func (w *batch) application(t *jsonbody.Tree, a world.Application) error {
	old, err := w.tx.Directory.Application(a.ID)
	if w.AllIntents && a.Intents == nil && old.Owner == 0 { // new, or only the keys that a reset keeps
		a.Intents = world.AllIntents()
	}
	record := convert.ApplicationRecord(a, old)
	if len(record.SigningKey) == 0 {
		if err := w.Sealer.NewApplicationKey(&record); err != nil {
			return err
		}
	}
	w.clientSecret(t.At("client_secret"), &record, a.ClientSecret)
	if _, err := replace(w, &directory.ApplicationKind, old, err, record); err != nil {
		return err
	}
	if old.Activities != record.Activities {
		w.activities = append(w.activities, record)
	}
	if old.Owner != record.Owner {
		w.tx.Touch(store.UserSubject(record.Owner)) // conflicts with a concurrent deletion of the owner
	}
	switch {
	case record.Activities && !old.Activities:
		w.applied.ActivitiesOn = append(w.applied.ActivitiesOn, a.ID)
	case old.Activities && !record.Activities:
		w.applied.ActivitiesOff = append(w.applied.ActivitiesOff, a.ID)
	}
	created, err := w.token(t.At("bot_token"), a.BotToken, store.Credential{Kind: store.BotToken, Application: a.ID},
		func() auth.Secret { return auth.NewBotToken(a.ID, w.now) })
	if created != "" {
		addSecret(&w.applied.BotTokens, a.ID, created)
	}
	return err
}

// clientSecret sets the client secret that the world gives. When it gives none, clientSecret creates one for an
// application without a secret.
func (w *batch) clientSecret(t *jsonbody.Tree, a *store.Application, given string) {
	w.checkSecret(t, given)
	switch {
	case given != "" && auth.Matches(a.SecretHash, given):
		return
	case given == "" && len(a.SecretHash) > 0:
		return
	case given == "":
		created := auth.NewClientSecret()
		addSecret(&w.applied.ClientSecrets, a.ID, created)
		given = created.Reveal()
	}
	if len(a.SecretHash) > 0 {
		w.tx.Record(directory.SecretEntry(a.ID))
	}
	hash := auth.Hash(given)
	a.SecretHash = hash[:]
}

// checkSecret reports a given secret that an attacker could guess or knows. An empty one is not given.
func (w *batch) checkSecret(t *jsonbody.Tree, given string) {
	switch {
	case !w.StrongSecrets || given == "":
	case slices.Contains(world.PublishedSecrets(), given):
		t.Add(Weak, "Is in the documentation of Bellhop, so everyone knows it. Leave it out to get a new one, or "+world.HowToMake+".")
	case world.WeakSecret(given):
		t.Add(Weak, "Is too easy to guess. Leave it out to get a new one, or "+world.HowToMake+". Easy ones work with --dev only.")
	}
}

// token makes a given token the only one of its kind and owner. When none is given and none exists, it creates one and
// returns it.
func (w *batch) token(t *jsonbody.Tree, given string, c store.Credential, create func() auth.Secret) (auth.Secret, error) {
	if given == "" {
		have, err := w.tx.Credentials.Credentials(c.Kind, c.Application, c.User)
		if err != nil || len(have) > 0 {
			return "", err
		}
		created := create()
		c.Hash = auth.Hash(created.Reveal())
		w.applied.Changed++
		w.tx.Record(directory.CredentialEntry(c, false))
		return created, w.tx.Put(c)
	}
	w.checkSecret(t, given)
	c.Hash = auth.Hash(given)
	old, err := w.tx.Credentials.Credential(c.Hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		w.applied.Changed++
		w.tx.Record(directory.CredentialEntry(c, true))
		err = w.tx.Put(c)
	case err == nil && !reflect.DeepEqual(old, c):
		t.Add(Taken, "Is the token of something else already.")
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return "", auth.RevokeOthers(w.tx.Tx, c.Hash, c.Kind, c.Application, c.User)
}

// addSecret adds a secret to a map that may be nil.
func addSecret[K comparable](secrets *map[K]auth.Secret, id K, s auth.Secret) {
	if *secrets == nil {
		*secrets = map[K]auth.Secret{}
	}
	(*secrets)[id] = s
}

func (w *batch) userInstall(t *jsonbody.Tree, in world.UserInstall) error {
	old, err := w.tx.Directory.UserInstall(in.User, in.Application)
	wrote, err := replace(w, &directory.UserInstallKind, old, err, convert.UserInstallRecord(in, old, w.now))
	if err != nil || !wrote {
		return err
	}
	return directory.CheckUserInstalls(t, w.tx.Directory, in.User)
}
