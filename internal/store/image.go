package store

import "github.com/bellhop/bellhop/snowflake"

// Image is an image on disk. It belongs to the record that shows its hash.
type Image struct {
	Place       string // the path of the image without its hash, such as avatars/12
	Hash        string // with the prefix a_ if it is animated
	File        snowflake.Attachment
	Guild       snowflake.Guild // of the record that shows the image; 0: none
	ContentType string
	// Of is the subject of the record that shows the image. It is not stored.
	Of Subject
}

func (i Image) subjects() []Subject { return []Subject{i.Of} }

func (i Image) write(w *writes) {
	w.put(imagesTable, i.Place, i.Hash, key(i.File), key(i.Guild), i.ContentType)
}

// ImageKey names an image that no record shows.
func ImageKey(i Image) Key {
	return Key{subs: []Subject{StorageSubject(0, 0)}, rows: []rowKey{{imagesTable, []string{"place", "hash"}, []any{i.Place, i.Hash}}}}
}

// ImageQueries reads images. Decisions do not depend on the results: they depend on the records that show the images.
type ImageQueries struct{ *reader }

func storedImage(row Row) Image {
	return Image{
		Place: row.text(0), Hash: row.text(1), File: snowflake.Attachment(row.int(2)), Guild: snowflake.Guild(row.int(3)), ContentType: row.text(4),
	}
}

// Image returns an image.
func (q ImageQueries) Image(place, hash string) (Image, error) {
	row, err := q.row(imagesTable, place, hash)
	if err != nil {
		return Image{}, err
	}
	return storedImage(row), nil
}

// At returns the images of a place.
func (q ImageQueries) At(place string) ([]Image, error) {
	return q.images([]string{"place"}, place)
}

// WithFile returns the images that have a file.
func (q ImageQueries) WithFile(id snowflake.Attachment) ([]Image, error) {
	return q.images([]string{"attachment_id"}, key(id))
}

func (q ImageQueries) images(columns []string, values ...any) ([]Image, error) {
	rows, err := q.rows(imagesTable, page{}, columns, values...)
	list := make([]Image, len(rows))
	for i, row := range rows {
		list[i] = storedImage(row)
	}
	return list, err
}
