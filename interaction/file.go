package interaction

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/snowflake"
)

// Attachment is a file as messages and resolved data show it.
type Attachment struct {
	ID          snowflake.Attachment
	Filename    string
	Title       string
	Description string
	ContentType string
	Size        int64
	URL         string
	ProxyURL    string // empty: the same
	Ephemeral   bool
}

// File is a file that came with a request. Whoever received it has given it the id and the address that it will have.
type File struct {
	Index int // the n of files[n]
	Attachment
}

// AttachmentSizeLimit is how many bytes a file may have.
const AttachmentSizeLimit = 10 << 20

const maxFilename = 1024

// find returns the file with an index, under the name that the request gives it.
func find(files []File, index int, names map[int]string) (Attachment, bool) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Index == index })
	if i < 0 {
		return Attachment{}, false
	}
	a := files[i].Attachment
	if name := names[index]; name != "" {
		a.Filename = name
	}
	return a, true
}

// media lists the file name extensions that the kinds of media stand for.
var media = map[string][]string{
	"image": {"png", "jpg", "jpeg", "jfif", "gif", "webp", "avif", "apng", "bmp", "heic", "heif", "tif", "tiff", "svg"},
	"video": {"mp4", "mov", "webm", "mkv", "avi", "m4v", "mpg", "mpeg", "wmv", "flv", "3gp"},
	"audio": {"mp3", "ogg", "oga", "opus", "wav", "flac", "m4a", "aac", "wma", "aif", "aiff"},
}

// allowed reports whether a file's name ends as one of the types asks; without types any does.
func allowed(types []string, filename string) bool {
	if len(types) == 0 {
		return true
	}
	extension := strings.ToLower(filename[strings.LastIndexByte(filename, '.')+1:])
	if extension == "" || !strings.Contains(filename, ".") {
		return false
	}
	for _, t := range types {
		if named, ok := strings.CutPrefix(t, "."); ok && named == extension || slices.Contains(media[t], extension) {
			return true
		}
	}
	return false
}

func (a *Attachment) print(p *printer, open string) {
	p.raw(open)
	p.id(`{"id":`, uint64(a.ID))
	p.text(`,"filename":`, a.Filename)
	if a.Title != "" {
		p.text(`,"title":`, a.Title)
	}
	if a.Description != "" {
		p.text(`,"description":`, a.Description)
	}
	if a.ContentType != "" {
		p.text(`,"content_type":`, a.ContentType)
	}
	p.integer(`,"size":`, a.Size)
	p.text(`,"url":`, a.URL)
	proxy := a.ProxyURL
	if proxy == "" {
		proxy = a.URL
	}
	p.text(`,"proxy_url":`, proxy)
	if a.Ephemeral {
		p.raw(`,"ephemeral":true`)
	}
	p.raw(`}`)
}
