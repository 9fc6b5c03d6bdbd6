package attachments

import (
	"mime"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFilename is how many bytes the name of a file may have.
const maxFilename = 200

// Filename returns a name as files are shown and addressed by: its last element, letters, digits and a few signs, no dot
// in front. What it leaves out is replaced by a low line.
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

// shorten cuts a name and keeps its ending.
func shorten(name string) string {
	if len(name) <= maxFilename {
		return name
	}
	ending := path.Ext(name)
	if len(ending) > 20 {
		ending = ""
	}
	cut := maxFilename - len(ending)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + ending
}

// types says what the endings of names stand for. The machine's own table is not asked: it differs from one to the next.
var types = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".svg": "image/svg+xml", ".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
	".wav": "audio/x-wav", ".flac": "audio/flac", ".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8",
	".csv": "text/csv; charset=utf-8", ".json": "application/json", ".html": "text/html; charset=utf-8", ".pdf": "application/pdf",
	".zip": "application/zip", ".gz": "application/gzip",
}

// contentType returns what a file is said to be: by its sender, else by its name; "" when nothing is said.
func contentType(declared, filename string) string {
	kind, params, err := mime.ParseMediaType(declared)
	if err == nil && kind != "application/octet-stream" && strings.Contains(kind, "/") && len(declared) <= 100 {
		return mime.FormatMediaType(kind, params)
	}
	return types[strings.ToLower(path.Ext(filename))]
}

// harmless are the kinds of files that a browser may show: pictures that cannot hold a program.
var harmless = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true}

// Shown returns how a file of that name is served: as the picture that its name says, or as bytes to be saved.
func Shown(filename string) (contentType string, inline bool) {
	kind := types[strings.ToLower(path.Ext(filename))]
	if harmless[kind] {
		return kind, true
	}
	return "application/octet-stream", false
}
