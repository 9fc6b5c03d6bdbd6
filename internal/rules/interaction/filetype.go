package interaction

import (
	"slices"
	"strings"
)

// media maps the media types of attachment options to file extensions.
var media = map[string][]string{
	"image": {"png", "jpg", "jpeg", "jfif", "gif", "webp", "avif", "apng", "bmp", "heic", "heif", "tif", "tiff", "svg"},
	"video": {"mp4", "mov", "webm", "mkv", "avi", "m4v", "mpg", "mpeg", "wmv", "flv", "3gp"},
	"audio": {"mp3", "ogg", "oga", "opus", "wav", "flac", "m4a", "aac", "wma", "aif", "aiff"},
}

// allowed reports whether the extension of a file fits one of the types. Without types all files are allowed.
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
