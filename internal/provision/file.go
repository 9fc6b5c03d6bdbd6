package provision

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"golang.org/x/sync/errgroup"
)

// maxParts is the number of parts of a file that are applied at the same time. One is decided while another is committed.
const maxParts = 3

// Progress is called with the number of records that are done, and with the number of all records, which is 0 while it
// is not known.
type Progress func(done, all int)

// ApplyFile applies a world file. It applies a small file in one transaction, like Apply. It checks a large file first
// and then applies it in parts, each in a transaction; users without a token get none. When ApplyFile fails in between,
// the parts before stay: applying the file again completes it. A file that breaks a rule is a *world.FileError.
func (p *Provisioner) ApplyFile(ctx context.Context, f *world.File, progress Progress) (Applied, error) {
	if w := f.Whole(); w != nil {
		applied, err := p.Apply(ctx, *w)
		return applied, f.Locate(err)
	}
	err := p.Directory.Read(ctx, func(r store.Reader) error { return checkFile(f, &r.Directory, progress) })
	if err != nil {
		return Applied{}, err
	}
	return p.applyParts(ctx, f, progress)
}

// CheckFile returns a *world.FileError when a file breaks a rule or refers to records that it does not have.
func CheckFile(f *world.File, progress Progress) error {
	if w := f.Whole(); w != nil {
		return f.Locate(Check(*w, nil))
	}
	return checkFile(f, nil, progress)
}

// checkFile checks a large file, with in against the store.
func checkFile(f *world.File, in *store.DirectoryQueries, progress Progress) error {
	c, done := newCheck(in), 0
	if in != nil {
		if err := c.readApplications(); err != nil {
			return err
		}
	}
	return f.Check(func(p world.Part) error {
		var t jsonbody.Tree
		c.part(&t, p.World)
		done += p.Size()
		progress(done, 0)
		return c.end(&t)
	})
}

// applyParts applies the parts of a file that was checked. Parts that do not depend on each other are applied at the
// same time.
func (p *Provisioner) applyParts(ctx context.Context, f *world.File, progress Progress) (Applied, error) {
	var (
		all   Applied
		done  int
		mu    sync.Mutex // guards all and done
		group errgroup.Group
	)
	group.SetLimit(maxParts)
	failed := make(chan struct{}, maxParts)
	err := f.Parts(func(part world.Part) error {
		if !part.Independent() || len(failed) > 0 {
			if err := group.Wait(); err != nil {
				return err
			}
		}
		group.Go(func() error {
			applied, err := p.applyPart(ctx, part.World)
			if err != nil {
				failed <- struct{}{}
				return part.Problems(err)
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(applied)
			done += part.Size()
			progress(done, f.Records())
			return nil
		})
		return nil
	})
	err = cmp.Or(err, f.Locate(group.Wait()))
	// Changes that were stored are announced although a later part failed.
	return all, errors.Join(err, p.announceParts(context.WithoutCancel(ctx), all.Changed))
}

// applyPart applies a part of a file. announceParts announces and records the file as a whole.
func (p *Provisioner) applyPart(ctx context.Context, part world.World) (applied Applied, err error) {
	write := p.decision(&applied, func(w *batch) error {
		w.noTokens = true // a list of a million new tokens would be of no use
		return w.apply(part)
	})
	err = p.Directory.Update(ctx, func(tx *directory.Tx) error {
		err := write(tx)
		tx.Forget()
		return err
	})
	return applied, err
}

// add adds the result of a part.
func (a *Applied) add(part Applied) {
	a.Changed += part.Changed
	addSecrets(&a.BotTokens, part.BotTokens)
	addSecrets(&a.ClientSecrets, part.ClientSecrets)
	a.ActivitiesOn = append(a.ActivitiesOn, part.ActivitiesOn...)
	a.ActivitiesOff = append(a.ActivitiesOff, part.ActivitiesOff...)
}

func addSecrets[K comparable](all *map[K]auth.Secret, part map[K]auth.Secret) {
	for id, secret := range part {
		addSecret(all, id, secret)
	}
}

// announceParts records that a file was applied in parts, and makes all sessions reload.
func (p *Provisioner) announceParts(ctx context.Context, changed int) error {
	if changed == 0 {
		return nil
	}
	return p.Directory.Update(ctx, func(tx *directory.Tx) error {
		tx.Announce(directory.Reload(false))
		return p.Audit.Add(ctx, tx.Tx, audit.Entry{Action: "world.apply", Target: "world", After: struct {
			Records int `json:"records"`
		}{changed}})
	})
}
