package dispatch

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/prometheus/client_golang/prometheus"
)

// ErrQuota says that the files of the application or of the guild would exceed their quota.
var ErrQuota = errors.New("no quota left for files") // 413, 40005

// Quota bounds how many bytes of files an application and a guild may have stored; 0: no bound.
type Quota struct{ Application, Guild int64 }

// owner is the application and the guild that a file counts for. The guild is 0 in direct messages.
type owner struct {
	app   snowflake.Application
	guild snowflake.Guild
}

// storage reads how many bytes of files an application or a guild has stored. One of the ids in the key is 0.
type storage = cache.Kind[owner, int64]

func newStorage(c *cache.Cache) *storage {
	return &storage{
		Cache: c, Subject: func(of owner) store.Subject { return store.StorageSubject(of.app, of.guild) },
		Read: func(r store.Reader, of owner) (*int64, error) {
			n, err := r.Messages.StoredBytes(of.app, of.guild)
			return &n, err
		},
		Size: func(*int64) int { return 8 },
	}
}

// charge adds new files to a change, and their sizes to the storage of their owner. It returns ErrQuota if the storage
// would exceed its quota. The decision depends on the storage from then on, so the quotas hold exactly.
func (s *service) charge(ctx context.Context, c *store.Change, of owner, files []wire.Attachment) error {
	added := int64(0)
	for _, a := range files {
		added += a.Size
	}
	if added == 0 {
		return nil
	}
	for _, a := range files {
		c.Put = append(c.Put, store.StoredFile{ID: a.ID, Application: of.app, Guild: of.guild, Size: a.Size})
	}
	for _, limit := range []struct {
		of  owner
		max int64
	}{{owner{app: of.app}, s.Quota.Application}, {owner{guild: of.guild}, s.Quota.Guild}} {
		if limit.of == (owner{}) {
			continue // a direct message has no guild
		}
		used, err := s.storage.Load(ctx, limit.of)
		if err != nil {
			return err
		}
		total := *used + added
		if limit.max > 0 && total > limit.max {
			return ErrQuota
		}
		s.storage.Next(c, limit.of, &total)
	}
	return nil
}

// ForgetFiles removes files from the storage of their owners, before they are deleted from the disk.
func (d *Dispatch) ForgetFiles(ctx context.Context, ids []snowflake.Attachment) error {
	return d.forgetFiles(ctx, ids)
}

func (s *service) forgetFiles(ctx context.Context, ids []snowflake.Attachment) error {
	freed := int64(0)
	err := store.Decide(ctx, s.store, func(tx *store.Tx) error {
		freed = 0
		for _, id := range ids {
			f, err := tx.Messages.StoredFile(id)
			if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDamaged) {
				continue // the owner of a damaged row is unknown
			}
			if err != nil {
				return err
			}
			tx.Delete(store.StoredFileKey(f))
			freed += f.Size
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("free the quota of files: %w", err)
	}
	s.stored.Sub(float64(freed))
	return nil
}

// MeasureFiles sets the metric of stored bytes to the bytes of all nodes.
func (d *Dispatch) MeasureFiles(ctx context.Context) error {
	return d.store.Read(ctx, func(r store.Reader) error {
		n, err := r.Messages.StoredBytes(0, 0)
		if err == nil {
			d.stored.Set(float64(n))
		}
		return err
	})
}

// newStored returns the metric of stored bytes.
func newStored() prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "bellhop_attachment_bytes", Help: "Bytes of the stored files of messages and interactions. Files of other nodes are counted once a minute.",
	})
}
