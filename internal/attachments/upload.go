package attachments

import "io"

// Upload is a file of a request.
type Upload struct {
	Index       int // the n of files[n]
	Name        string
	ContentType string
	Size        int64
	// Width and Height are those of an image, 0: unknown.
	Width, Height int
	// Open returns the content. It is called at most once.
	Open func() (io.ReadCloser, error)
}
