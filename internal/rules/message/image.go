package message

import (
	"image"
	_ "image/gif"  // registers the format
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format
	"io"

	_ "golang.org/x/image/webp" // registers the format
)

// maxImageHeader bounds the bytes that ImageSize reads. The size of an image can come after metadata.
const maxImageHeader = 1 << 20

// ImageSize returns the width and height of a PNG, JPEG, GIF or WebP image. It reads only as far as it needs, and
// decodes no pixels. It returns 0 for other files.
func ImageSize(r io.Reader) (width, height int) {
	config, _, err := image.DecodeConfig(io.LimitReader(r, maxImageHeader))
	if err != nil {
		return 0, 0
	}
	return config.Width, config.Height
}
