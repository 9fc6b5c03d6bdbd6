package imagedata_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/google/go-cmp/cmp"
)

// picture returns an image of 3 × 2 pixels in a format. frames is for GIF.
func picture(tb testing.TB, format string, frames int) []byte {
	tb.Helper()
	var b bytes.Buffer
	im := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, im)
	case "jpeg":
		err = jpeg.Encode(&b, im, nil)
	case "gif":
		g := gif.GIF{}
		for range frames {
			g.Image, g.Delay = append(g.Image, im), append(g.Delay, 1)
		}
		err = gif.EncodeAll(&b, &g)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// webp is a lossless image of one pixel. animated is the header of an animation.
var (
	webp, _     = base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	animated, _ = base64.StdEncoding.DecodeString("UklGRhYAAABXRUJQVlA4WAoAAAACAAAAAgAAAQAA")
)

func uri(data []byte) string {
	return `"data:image/png;base64,` + base64.StdEncoding.EncodeToString(data) + `"`
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give []byte
		want imagedata.Image
	}{
		{"png", picture(t, "png", 1), imagedata.Image{ContentType: "image/png", Width: 3, Height: 2}},
		{"jpeg", picture(t, "jpeg", 1), imagedata.Image{ContentType: "image/jpeg", Width: 3, Height: 2}},
		{"gif of one image", picture(t, "gif", 1), imagedata.Image{ContentType: "image/gif", Width: 3, Height: 2}},
		{"gif of two images", picture(t, "gif", 2), imagedata.Image{ContentType: "image/gif", Width: 3, Height: 2, Animated: true}},
		{"webp", webp, imagedata.Image{ContentType: "image/webp", Width: 1, Height: 1}},
		{"animated webp", animated, imagedata.Image{ContentType: "image/webp", Width: 3, Height: 2, Animated: true}},
		{"avif", []byte("\x00\x00\x00\x1cftypavif...."), imagedata.Image{ContentType: "image/avif"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tree jsonbody.Tree
			got, err := imagedata.Read(&tree, rules.Parse(t, uri(tt.give)), imagedata.MaxPicture)
			if err != nil || tree.Err() != nil {
				t.Fatalf("17 images: %v, %v", err, tree.Err())
			}
			hash, a := strings.CutPrefix(got.Hash, "a_")
			if len(hash) != 32 || a != got.Animated {
				t.Errorf("17 hash: %q", got.Hash)
			}
			got.Hash, got.Data = "", nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("image differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	data := picture(t, "png", 1)
	for _, tt := range []struct {
		name, give string
		limit      int
		want       rules.Codes
		err        error
	}{
		{"just fits", uri(data), len(data), rules.Codes{}, nil},
		{"too large", uri(data), len(data) - 1, rules.Codes{"": {imagedata.TooLarge}}, nil},
		{"a URL", `"https://example.org/a.png"`, 99, rules.Codes{"": {imagedata.InvalidURI}}, nil},
		{"not an image by its label", `"data:text/plain;base64,AAAA"`, 99, rules.Codes{"": {imagedata.InvalidURI}}, nil},
		{"not base64", `"data:image/png;base64,$$$$"`, 99, rules.Codes{"": {imagedata.InvalidURI}}, nil},
		{"a number", `5`, 99, rules.Codes{"": {jsonbody.StringConvert}}, nil},
		{"not an image by its bytes", uri([]byte("hello")), 99, rules.Codes{}, apierror.InvalidFile},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tree jsonbody.Tree
			_, err := imagedata.Read(&tree, rules.Parse(t, tt.give), tt.limit)
			if !errors.Is(err, tt.err) {
				t.Errorf("17 images: %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, tree.Flat()); diff != "" {
				t.Errorf("17 images: findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParse checks that damaged images are refused or described, and never counted beyond their end.
func FuzzParse(f *testing.F) {
	f.Add(picture(f, "gif", 2))
	f.Add(picture(f, "png", 1))
	f.Add(animated)
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := imagedata.Parse(data)
		if err == nil && (im.ContentType == "" || im.Hash == "" || im.Width < 0) {
			t.Errorf("Parse() = %+v", im)
		}
	})
}
