package dev

import (
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/go-json-experiment/json/jsontext"
)

// masked replaces a secret.
const masked = "***"

// secretHeaders are the headers that contain secrets.
var secretHeaders = map[string]bool{"Authorization": true, "Cookie": true, "Set-Cookie": true, "Proxy-Authorization": true}

// maskHeaders returns headers without credentials.
func maskHeaders(h http.Header) map[string]string {
	shown := make(map[string]string, len(h))
	for name, values := range h {
		value := strings.Join(values, ", ")
		switch {
		case secretHeaders[name]:
			value = maskCredential(value)
		case name == "Location" || name == "Referer":
			if path, query, ok := strings.Cut(value, "?"); ok {
				value = path + "?" + api.MaskQuery(query)
			}
		}
		shown[name] = clip(value)
	}
	return shown
}

// maskCredential removes the token and keeps its type.
func maskCredential(value string) string {
	if kind, _, ok := strings.Cut(value, " "); ok && (kind == "Bot" || kind == "Bearer" || kind == "Basic") {
		return kind + " " + masked
	}
	return masked
}

// clip shortens long headers and paths.
func clip(s string) string {
	const limit = 1024
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// maskPath returns a path and query without tokens. The pattern tells which segments are tokens.
func maskPath(pattern, path, query string) string {
	shown := api.MaskPath(pattern, path)
	if query != "" {
		shown += "?" + api.MaskQuery(query)
	}
	return clip(shown)
}

// maskMembers returns JSON, or the beginning of JSON, without secret strings. It scans the text only once.
func maskMembers(s string) string {
	var b strings.Builder
	done := 0 // number of bytes of s that are in b
	for i := strings.IndexByte(s, '"'); i >= 0 && i < len(s); {
		end := stringEnd(s, i)
		value := afterColon(s, end)
		if value < len(s) && value > end && s[value] == '"' && secretMember(s[i:end]) {
			b.WriteString(s[done:value])
			b.WriteString(`"` + masked + `"`)
			end = stringEnd(s, value)
			done = end
		}
		next := strings.IndexByte(s[end:], '"')
		if next < 0 {
			break
		}
		i = end + next
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// secretMember reports whether the member with this name is a secret. The name is a JSON string, which may be cut off.
func secretMember(quoted string) bool {
	name := strings.Trim(quoted, `"`)
	if strings.Contains(name, `\`) {
		if plain, err := jsontext.AppendUnquote(nil, quoted); err == nil {
			name = string(plain)
		}
	}
	return api.SecretName(name)
}

// stringEnd returns the index after the closing quote of the string that begins at i, or len(s).
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// afterColon returns the index of the value if a colon follows at i, else i.
func afterColon(s string, i int) int {
	skipBlanks := func(j int) int {
		for j < len(s) && (s[j] == ' ' || s[j] == '\t' || s[j] == '\n' || s[j] == '\r') {
			j++
		}
		return j
	}
	j := skipBlanks(i)
	if j >= len(s) || s[j] != ':' {
		return i
	}
	return skipBlanks(j + 1)
}

// newContent returns what one side sent, without secrets. Body is set only for text formats.
func newContent(from *api.Content) *Content {
	c := &Content{Headers: maskHeaders(from.Header), Size: from.Size}
	kind, _, _ := mime.ParseMediaType(from.Header.Get("Content-Type")) // an invalid type counts as none
	body := from.Start[:min(len(from.Start), api.MaxCaptured)]
	text := strings.ToValidUTF8(string(body), "")
	switch {
	case kind == "application/x-www-form-urlencoded":
		c.Body = api.MaskQuery(text)
	case kind == "application/json" || strings.HasPrefix(kind, "text/") || kind == "application/yaml":
		c.Body = maskMembers(text)
	case kind == "" && utf8.Valid(body):
		c.Body = maskMembers(text)
	default:
		return c
	}
	c.Cut = from.Size > int64(len(body))
	return c
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
