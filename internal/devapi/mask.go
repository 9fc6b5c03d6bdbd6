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

// secretFields finds what is a secret in a query, by its name; secretName knows the same names in a body.
var secretFields = regexp.MustCompile(`((?:^|&)(?:[a-z_]*token|[a-z_]*secret|code|code_verifier|password|hm)=)[^&]*`)

// secretName reports whether what stands under a name in a body is a secret.
func secretName(name string) bool {
	switch name {
	case "code", "code_verifier", "password":
		return true
	}
	return strings.HasSuffix(name, "token") || strings.HasSuffix(name, "secret")
}

// maskMembers returns JSON, or the beginning of it, without the strings that are secrets. Every delivery passes it, so it
// goes through the text once.
func maskMembers(s string) string {
	var b strings.Builder
	done := 0 // how much of s is in b
	for i := strings.IndexByte(s, '"'); i >= 0 && i < len(s); {
		end := stringEnd(s, i)
		value := afterColon(s, end)
		if value < len(s) && value > end && s[value] == '"' && secretName(s[i+1:max(end-1, i+1)]) {
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

// stringEnd returns where the string ends whose opening quote stands at i: behind its closing quote, or at the end of s.
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

// afterColon returns where the value begins when a colon follows at i, else i.
func afterColon(s string, i int) int {
	blank := func(j int) int {
		for j < len(s) && (s[j] == ' ' || s[j] == '\t' || s[j] == '\n' || s[j] == '\r') {
			j++
		}
		return j
	}
	j := blank(i)
	if j >= len(s) || s[j] != ':' {
		return i
	}
	return blank(j + 1)
}

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
		c.Body = maskMembers(text(body))
	case kind == "" && utf8.Valid(body):
		c.Body = maskMembers(text(body))
	default:
		return c
	}
	c.Cut = size > int64(len(body))
	return c
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
