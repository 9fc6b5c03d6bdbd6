package images

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"sync"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// standardColors are the background colors of the avatars of users without an image. Their number is that of the avatars.
var standardColors = [...]color.RGBA{
	{0x4f, 0x6b, 0xc9, 0xff},
	{0x6b, 0x76, 0x84, 0xff},
	{0x2f, 0x8f, 0x6b, 0xff},
	{0xb9, 0x7a, 0x1b, 0xff},
	{0xc2, 0x4a, 0x52, 0xff},
	{0xb0, 0x4f, 0x96, 0xff},
}

// Standard returns an avatar for users without an image, as a PNG file. It returns false if there is none with the number.
func Standard(n int) ([]byte, bool) {
	list := standardAvatars()
	if n < 0 || n >= len(list) {
		return nil, false
	}
	return list[n], true
}

// StandardEmoji returns the image of an emoji that exists and has no image of its own, as a PNG file.
func (s *Images) StandardEmoji(ctx context.Context, name string) ([]byte, error) {
	id, err := snowflake.Parse[snowflake.Emoji](name)
	if err != nil {
		return nil, ErrUnknown
	}
	err = s.Store.Read(ctx, func(r store.Reader) error {
		e, err := r.Directory.Emoji(id)
		if errors.Is(err, store.ErrNotFound) || err == nil && e.Image != "" {
			return ErrUnknown
		}
		return err
	})
	list := standardAvatars()
	return list[int(id%snowflake.Emoji(len(list)))], err
}

var standardAvatars = sync.OnceValue(func() (list [][]byte) {
	for _, c := range standardColors {
		var b bytes.Buffer
		_ = png.Encode(&b, figure{c}) // writing to a buffer does not fail
		list = append(list, b.Bytes())
	}
	return list
})

// figure draws a head and shoulders on a background.
type figure struct{ background color.RGBA }

// side is the width and height of a figure.
const side = 128

// ColorModel returns the color model of the image.
func (figure) ColorModel() color.Model { return color.RGBAModel }

// Bounds returns the size of the image.
func (figure) Bounds() image.Rectangle { return image.Rect(0, 0, side, side) }

// At returns the color of a point.
func (f figure) At(x, y int) color.Color {
	within := func(cx, cy, radius int) bool { return (x-cx)*(x-cx)+(y-cy)*(y-cy) <= radius*radius }
	if within(side/2, side*2/5, side/5) || within(side/2, side*21/20, side*2/5) {
		return color.RGBA{0xff, 0xff, 0xff, 0xff}
	}
	return f.background
}
