package attachments

import (
	"mime"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFilename is the maximum length of a file name in bytes.
const maxFilename = 200

// Filename returns the name under which a file is shown and served: the last path element, without leading dots.
// Characters other than letters, digits, "-", "_" and "." become "_".
func Filename(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r) || r == utf8.RuneError {
			r = '_'
		}
		if b.Len() == 0 && r == '.' {
			continue
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "file"
	}
	return shorten(b.String())
}

// shorten cuts a name to maxFilename and keeps its extension.
func shorten(name string) string {
	if len(name) <= maxFilename {
		return name
	}
	extension := path.Ext(name)
	if len(extension) > 20 {
		extension = ""
	}
	cut := maxFilename - len(extension)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + extension
}

// mediaTypes maps file extensions to media types. The table of the machine is not used, because it differs between
// machines.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".svg": "image/svg+xml", ".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
	".wav": "audio/x-wav", ".flac": "audio/flac", ".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8",
	".csv": "text/csv; charset=utf-8", ".json": "application/json", ".html": "text/html; charset=utf-8", ".pdf": "application/pdf",
	".zip": "application/zip", ".gz": "application/gzip",
}

// contentType returns the content type that the sender declared, or else the one of the extension, or "".
func contentType(declared, filename string) string {
	kind, params, err := mime.ParseMediaType(declared)
	if err == nil && kind != "application/octet-stream" && strings.Contains(kind, "/") && len(declared) <= 100 {
		return mime.FormatMediaType(kind, params)
	}
	return mediaTypes[strings.ToLower(path.Ext(filename))]
}

// inlineTypes are the media types that a browser may show: images that cannot contain scripts.
var inlineTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true}

// ServedType returns the content type under which a file is served, and whether browsers may show it. All files but
// simple images are served as application/octet-stream for download.
func ServedType(filename string) (contentType string, inline bool) {
	kind := mediaTypes[strings.ToLower(path.Ext(filename))]
	if inlineTypes[kind] {
		return kind, true
	}
	return "application/octet-stream", false
}
