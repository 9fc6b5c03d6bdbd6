// Package images stores the images of guilds, bots, members, webhooks, applications and emojis. The bytes are files beside
// those of messages. A record shows the hash of its image, and the place and the hash make the path under which the image is
// served. The package does not know HTTP.
package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrUnknown says that there is no such image.
var ErrUnknown = errors.New("unknown image")

// Files stores files durably.
type Files interface {
	Put(ctx context.Context, id snowflake.Attachment, name string, r io.Reader) (int64, error)
	Open(ctx context.Context, id snowflake.Attachment) (io.ReadSeekCloser, error)
	Delete(ctx context.Context, ids ...snowflake.Attachment) error
}

// Images stores images. It is safe for concurrent use. All fields are required.
type Images struct {
	Store     store.Store
	Directory *directory.Directory
	Files     Files
	IDs       interface{ Next() uint64 }
	Log       *slog.Logger
}

// Draft is the images of one request. Their files are stored during the decision, before its commit. After the decision
// the caller calls End.
type Draft struct {
	images *Images
	saved  map[string]snowflake.Attachment // by place and hash
	places []string                        // whose images change
}

// Draft returns a draft without images.
func (s *Images) Draft() *Draft { return &Draft{images: s, saved: map[string]snowflake.Attachment{}} }

// Writer takes the records of a decision.
type Writer interface {
	Put(records ...store.Record) error
}

// Into returns a Writer that adds records to a change.
func Into(c *store.Change) Writer { return changeWriter{c} }

type changeWriter struct{ change *store.Change }

// Put adds records to the change.
func (w changeWriter) Put(records ...store.Record) error {
	w.change.Put = append(w.change.Put, records...)
	return nil
}

// Set returns the hash that a record shows after a request: that of the new image, none if the request removes the image, or
// old if the request does not name it. It stores the file of a new image. A decision that runs again stores it once.
func (d *Draft) Set(
	ctx context.Context, w Writer, at Place, v optional.Value[imagedata.Image], old string,
) (hash string, err error) {
	im, given := v.Get()
	if v.IsZero() || im.Hash == old {
		return old, nil
	}
	if place := at.path; !slices.Contains(d.places, place) {
		d.places = append(d.places, place)
	}
	if !given {
		return "", nil
	}
	id, err := d.save(ctx, at.path+"/"+im.Hash, im.Data)
	if err != nil {
		return "", err
	}
	return im.Hash, w.Put(store.Image{
		Place: at.path, Hash: im.Hash, File: id, Guild: at.guild, ContentType: im.ContentType, Of: at.of,
	})
}

// save stores a file once and returns its id.
func (d *Draft) save(ctx context.Context, name string, data []byte) (snowflake.Attachment, error) {
	if id, ok := d.saved[name]; ok {
		return id, nil
	}
	id := snowflake.Attachment(d.images.IDs.Next())
	if _, err := d.images.Files.Put(context.WithoutCancel(ctx), id, "", bytes.NewReader(data)); err != nil {
		return 0, fmt.Errorf("store an image: %w", err)
	}
	d.saved[name] = id
	return id, nil
}

// End removes the images that no record shows after the decision, and returns its error. After an error these are the new images,
// otherwise those that they replaced. Images that cannot be removed now are removed by the sweep of the files.
func (d *Draft) End(ctx context.Context, err error) error {
	if len(d.places) == 0 {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	var failed error
	switch {
	case errors.Is(err, store.ErrUnsure): // the change may be stored, and need the files
	case err != nil:
		for _, id := range d.saved {
			failed = errors.Join(failed, d.images.Files.Delete(ctx, id))
		}
	default:
		failed = d.images.collect(ctx, d.places)
	}
	if failed != nil {
		d.images.Log.ErrorContext(ctx, "images not removed", "err", failed)
	}
	return err
}

// collect removes the images of places that no record shows.
func (s *Images) collect(ctx context.Context, places []string) error {
	var gone []snowflake.Attachment
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		gone = nil
		for _, place := range places {
			all, err := tx.Images.At(place)
			if err != nil {
				return err
			}
			for _, im := range all {
				used, err := isShown(tx.Reader, im)
				if err != nil {
					return err
				}
				if !used {
					tx.Delete(store.ImageKey(im))
					gone = append(gone, im.File)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Files.Delete(ctx, gone...)
}

// InUse returns the files of images that a record shows. A file whose row is damaged counts as in use.
func (s *Images) InUse(ctx context.Context, ids []snowflake.Attachment) (used []snowflake.Attachment, err error) {
	err = s.Store.Read(ctx, func(r store.Reader) error {
		used = nil
		for _, id := range ids {
			inUse, err := fileInUse(r, id)
			if err != nil {
				return err
			}
			if inUse {
				used = append(used, id)
			}
		}
		return nil
	})
	return used, err
}

func fileInUse(r store.Reader, id snowflake.Attachment) (bool, error) {
	found, err := r.Images.WithFile(id)
	for _, im := range found {
		if err != nil {
			break
		}
		var used bool
		if used, err = isShown(r, im); used {
			return true, err
		}
	}
	if errors.Is(err, store.ErrDamaged) {
		return true, nil
	}
	return false, err
}

// Forget removes the records of images whose files are about to be deleted.
func (s *Images) Forget(ctx context.Context, ids []snowflake.Attachment) error {
	return store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		for _, id := range ids {
			found, err := tx.Images.WithFile(id)
			if err != nil && !errors.Is(err, store.ErrDamaged) {
				return err
			}
			for _, im := range found {
				tx.Delete(store.ImageKey(im))
			}
		}
		return nil
	})
}

// Image is an image that is served.
type Image struct {
	io.ReadSeekCloser

	Hash        string
	ContentType string
}

// Open returns the image of a place. An empty hash is that of the only image, for places whose paths have no hash. The error is
// ErrUnknown if there is no such image. The caller closes the image.
func (s *Images) Open(ctx context.Context, place, hash string) (*Image, error) {
	var found store.Image
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		if hash != "" {
			found, err = r.Images.Image(place, hash)
			return err
		}
		all, err := r.Images.At(place)
		if err == nil && len(all) == 0 {
			err = store.ErrNotFound
		}
		if err == nil {
			found = all[0]
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	file, err := s.Files.Open(ctx, found.File)
	if err != nil {
		return nil, err
	}
	return &Image{file, found.Hash, found.ContentType}, nil
}
