package devtools

import (
	"mime"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

// masked stands where a secret stood.
const masked = "***"

// secretHeaders are the headers that hold secrets, with how much of them is shown.
var secretHeaders = map[string]bool{"Authorization": true, "Cookie": true, "Set-Cookie": true, "Proxy-Authorization": true}

// Headers returns headers to be shown. Of credentials only the kind is left.
func Headers(h http.Header) map[string]string {
	shown := make(map[string]string, len(h))
	for name, values := range h {
		value := strings.Join(values, ", ")
		if secretHeaders[name] {
			value = maskCredential(value)
		}
		shown[name] = clip(value)
	}
	return shown
}

// maskCredential keeps the word before a token.
func maskCredential(value string) string {
	if kind, _, ok := strings.Cut(value, " "); ok && (kind == "Bot" || kind == "Bearer" || kind == "Basic") {
		return kind + " " + masked
	}
	return masked
}

// clip keeps what is shown of headers and paths short.
func clip(s string) string {
	const most = 1024
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Path returns a path and query to be shown: without tokens. The pattern says which segments are.
func Path(pattern, path, query string) string {
	wanted, segments := strings.Split(strings.Trim(pattern, "/"), "/"), strings.Split(path, "/")
	// Patterns lack the base of the API, so that they are compared from the end.
	for i, j := len(wanted)-1, len(segments)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if strings.HasPrefix(wanted[i], "{") && strings.Contains(wanted[i], "token") {
			segments[j] = masked
		}
	}
	shown := strings.Join(segments, "/")
	if query != "" {
		shown += "?" + secretFields.ReplaceAllString(query, "${1}"+masked)
	}
	return clip(shown)
}

// What stands under such a name in a body or a query is a secret.
var (
	secretMembers = regexp.MustCompile(`("(?:[a-z_]*token|[a-z_]*secret|code|code_verifier|password)"\s*:\s*)"(?:[^"\\]|\\.)*(?:"|$)`)
	secretFields  = regexp.MustCompile(`((?:^|&)(?:[a-z_]*token|[a-z_]*secret|code|code_verifier|password|hm)=)[^&]*`)
)

// NewContent returns what was sent in one direction: size bytes, of which body holds the first, up to MaxBody. Only texts
// are shown.
func NewContent(h http.Header, body []byte, size int64) *Content {
	c := &Content{Headers: Headers(h), Size: size}
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")) // none: not shown
	text := func(b []byte) string { return strings.ToValidUTF8(string(b), "") }
	if len(body) > MaxBody {
		body = body[:MaxBody]
	}
	switch {
	case kind == "application/x-www-form-urlencoded":
		c.Body = secretFields.ReplaceAllString(text(body), "${1}"+masked)
	case kind == "application/json" || strings.HasPrefix(kind, "text/") || kind == "application/yaml":
		c.Body = secretMembers.ReplaceAllString(text(body), `${1}"`+masked+`"`)
	case kind == "" && utf8.Valid(body):
		c.Body = secretMembers.ReplaceAllString(text(body), `${1}"`+masked+`"`)
	default:
		return c
	}
	c.Cut = size > int64(len(body))
	return c
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
