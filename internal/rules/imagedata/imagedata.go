// Package imagedata reads the images that requests contain as data URIs: avatars, icons, banners, emojis. It recognizes
// the format by the bytes, not by the label of the URI. It performs no I/O.
package imagedata

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/gif"  // registers the format
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format
	"strings"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/optional"
	_ "golang.org/x/image/webp" // registers the format
)

// Findings of this package.
const (
	InvalidURI jsonbody.Code = "BINARY_TYPE_INVALID_DATA_URI"
	TooLarge   jsonbody.Code = "BINARY_TYPE_MAX_SIZE"
)

// The largest images in bytes.
const (
	MaxEmoji    = 256 << 10
	MaxRoleIcon = 256 << 10
	MaxPicture  = 10 << 20 // avatars, icons, banners, splashes
	// MaxSide is the largest width and height in pixels, so that a small file cannot unpack to a huge image.
	MaxSide = 16384
)

// Image is an image with its properties.
type Image struct {
	Data          []byte
	ContentType   string // such as image/png
	Width, Height int    // 0: unknown
	Animated      bool
	// Hash names the image: 32 hexadecimal digits, with the prefix a_ for an animated image.
	Hash string
}

// Read reads an image of at most limit bytes. It adds to t what is wrong with the URI or the size. It returns
// apierror.InvalidFile if the data is not an image.
func Read(t *jsonbody.Tree, v jsonbody.Value, limit int) (Image, error) {
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return Image{}, nil
	}
	label, encoded, ok := strings.Cut(s, ";base64,")
	encoded = strings.TrimRight(encoded, "=")
	if ok && base64.RawStdEncoding.DecodedLen(len(encoded)) > limit {
		t.Add(TooLarge, fmt.Sprintf("File cannot be larger than %.1f kb.", float64(limit)/1024))
		return Image{}, nil
	}
	data, err := base64.RawStdEncoding.DecodeString(encoded)
	if ok = ok && err == nil && strings.HasPrefix(label, "data:image/"); !ok {
		t.Add(InvalidURI, "Only data uri strings can be used.")
		return Image{}, nil
	}
	return Parse(data)
}

// ReadMember reads a member of a body with an image; null removes the image. It sets unusable to the first error of Read.
func ReadMember(t *jsonbody.Tree, body jsonbody.Value, key string, limit int, unusable *error) optional.Value[Image] {
	return jsonbody.ReadOptional(t, body, key, func(t *jsonbody.Tree, v jsonbody.Value) Image {
		im, err := Read(t, v, limit)
		if *unusable == nil {
			*unusable = err
		}
		return im
	})
}

// Parse returns the properties of an image: PNG, JPEG, GIF, WebP or AVIF. It decodes no pixels. The error is
// apierror.InvalidFile.
func Parse(data []byte) (Image, error) {
	im := Image{Data: data}
	if isAVIF(data) {
		im.ContentType = "image/avif"
	} else {
		config, format, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil || config.Width > MaxSide || config.Height > MaxSide || config.Width == 0 || config.Height == 0 {
			return Image{}, apierror.InvalidFile
		}
		im.ContentType, im.Width, im.Height = "image/"+format, config.Width, config.Height
	}
	switch im.ContentType {
	case "image/gif":
		im.Animated = gifFrames(data) > 1
	case "image/webp":
		im.Animated = isAnimatedWebP(data)
	}
	sum := sha256.Sum256(data)
	im.Hash = hex.EncodeToString(sum[:16])
	if im.Animated {
		im.Hash = "a_" + im.Hash
	}
	return im, nil
}

// isAVIF reports whether data begins like an AVIF file.
func isAVIF(data []byte) bool {
	const header = 12
	return len(data) >= header && string(data[4:8]) == "ftyp" && (string(data[8:12]) == "avif" || string(data[8:12]) == "avis")
}

// isAnimatedWebP reports whether a WebP file has the animation flag in its extended header.
func isAnimatedWebP(data []byte) bool {
	const flags, animation = 20, 0x02
	return len(data) > flags && string(data[12:16]) == "VP8X" && data[flags]&animation != 0
}

// gifFrames counts the images of a GIF file. It stops at the second one and at damaged data.
func gifFrames(data []byte) int {
	const header, descriptor = 13, 10
	pos := header
	if len(data) < header {
		return 0
	}
	pos += colorTable(data[10])
	frames := 0
	for frames < 2 && pos < len(data) {
		switch data[pos] {
		case 0x21: // an extension: its kind, then blocks
			pos = skipBlocks(data, pos+2)
		case 0x2c: // an image: its descriptor, a color table, the code size, then blocks
			if pos+descriptor > len(data) {
				return frames
			}
			frames++
			pos = skipBlocks(data, pos+descriptor+colorTable(data[pos+9])+1)
		default:
			return frames
		}
	}
	return frames
}

// colorTable returns the size of the color table that follows a byte of flags.
func colorTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// skipBlocks returns the position after a list of blocks, which ends with an empty block.
func skipBlocks(data []byte, pos int) int {
	for pos < len(data) && data[pos] != 0 {
		pos += int(data[pos]) + 1
	}
	return pos + 1
}
