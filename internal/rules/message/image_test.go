package message_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/message"
)

// webp is an image of 1 by 1 pixels.
const webp = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"

func TestImageSize(t *testing.T) {
	t.Parallel()
	picture := image.NewGray(image.Rect(0, 0, 7, 5))
	encoded := func(encode func(io.Writer) error) string {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	small, err := base64.StdEncoding.DecodeString(webp)
	if err != nil {
		t.Fatal(err)
	}
	pngText := encoded(func(w io.Writer) error { return png.Encode(w, picture) })
	for _, tt := range []struct {
		name, text    string
		width, height int
	}{
		{"png", pngText, 7, 5},
		{"jpeg", encoded(func(w io.Writer) error { return jpeg.Encode(w, picture, nil) }), 7, 5},
		{"gif", encoded(func(w io.Writer) error { return gif.Encode(w, picture, nil) }), 7, 5},
		{"webp", string(small), 1, 1},
		{"cut in its header", pngText[:20], 0, 0},
		{"text", "GIF of a cat", 0, 0},
		{"empty", "", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if w, h := message.ImageSize(strings.NewReader(tt.text)); w != tt.width || h != tt.height {
				t.Errorf("ImageSize() = %d, %d, want %d, %d", w, h, tt.width, tt.height)
			}
		})
	}
}
