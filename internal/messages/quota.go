package messages

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

// Owner is the application and the guild that a file counts for. The guild is 0 in direct messages.
type Owner struct {
	Application snowflake.Application
	Guild       snowflake.Guild
}

// storage reads how many bytes of files an application or a guild has stored. One of the ids in the key is 0.
type storage = cache.Kind[Owner, int64]

func newStorage(c *cache.Cache) *storage {
	return &storage{
		Cache: c, Subject: func(of Owner) store.Subject { return store.StorageSubject(of.Application, of.Guild) },
		Read: func(r store.Reader, of Owner) (*int64, error) {
			n, err := r.Messages.StoredBytes(of.Application, of.Guild)
			return &n, err
		},
		Size: func(*int64) int { return 8 },
	}
}

// charge adds new files to a change, and their sizes to the storage of their owner. It returns ErrQuota if the storage
// would exceed its quota. The decision depends on the storage from then on, so the quotas hold exactly.
func (s *Messages) charge(ctx context.Context, c *store.Change, of Owner, files []wire.Attachment) error {
	added := int64(0)
	for _, a := range files {
		added += a.Size
	}
	if added == 0 {
		return nil
	}
	for _, a := range files {
		c.Put = append(c.Put, store.StoredFile{ID: a.ID, Application: of.Application, Guild: of.Guild, Size: a.Size})
	}
	for _, limit := range []struct {
		of  Owner
		max int64
	}{{Owner{Application: of.Application}, s.Quota.Application}, {Owner{Guild: of.Guild}, s.Quota.Guild}} {
		if limit.of == (Owner{}) {
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
func (s *Messages) ForgetFiles(ctx context.Context, ids []snowflake.Attachment) error {
	freed := int64(0)
	err := store.Decide(ctx, s.Cache.Store(), func(tx *store.Tx) error {
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
func (s *Messages) MeasureFiles(ctx context.Context) error {
	return s.Cache.Store().Read(ctx, func(r store.Reader) error {
		n, err := r.Messages.StoredBytes(0, 0)
		if err == nil {
			s.stored.Set(float64(n))
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
