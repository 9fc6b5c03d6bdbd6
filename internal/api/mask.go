package api

import (
	"net/url"
	"strings"
)

// masked replaces a secret.
const masked = "***"

// MaskPath returns a path without tokens. The pattern of the route tells which segments are tokens. Without a pattern,
// every segment that may be a token is masked: one of 20 characters or more that are not all digits.
func MaskPath(pattern, path string) string {
	if pattern != "" && !strings.Contains(pattern, "token}") {
		return path
	}
	parameters, segments := strings.Split(strings.Trim(pattern, "/"), "/"), strings.Split(path, "/")
	// Patterns do not contain the base of the API, so compare from the end.
	for i, j := len(parameters)-1, len(segments)-1; j >= 0; i, j = i-1, j-1 {
		switch {
		case pattern == "" && len(segments[j]) >= 20 && strings.Trim(segments[j], "0123456789") != "",
			i >= 0 && strings.HasPrefix(parameters[i], "{") && strings.HasSuffix(parameters[i], "token}"):
			segments[j] = masked
		}
	}
	return strings.Join(segments, "/")
}

// MaskQuery returns a query, or the fields of a form, without the values of secrets. Names are compared as the service and its
// clients read them: decoded and in lower case. A value that is a URL or a query itself is masked in the same way.
func MaskQuery(query string) string { return maskQuery(query, "&;", 0) }

// maxNested bounds how deep queries inside of values are read. A deeper value is masked as a whole.
const maxNested = 3

// maskQuery masks the fields of a query. Each of the separators ends a field.
func maskQuery(query, separators string, depth int) string {
	var b strings.Builder
	for query != "" {
		end := strings.IndexAny(query, separators)
		if end < 0 {
			end = len(query)
		}
		if name, value, ok := strings.Cut(query[:end], "="); ok {
			b.WriteString(name + "=" + maskValue(name, value, depth))
		} else {
			b.WriteString(maskValue("", name, depth)) // a field without a value may be a query that is encoded
		}
		if end < len(query) {
			b.WriteByte(query[end])
			end++
		}
		query = query[end:]
	}
	return b.String()
}

// maskValue returns a value of a query without secrets.
func maskValue(name, value string, depth int) string {
	decoded, err := url.QueryUnescape(name)
	if err != nil || strings.Contains(decoded, "%") || SecretName(decoded[strings.LastIndexAny(decoded, "?#&;/=")+1:]) {
		return masked
	}
	plain, err := url.QueryUnescape(value)
	if err == nil && !strings.ContainsAny(plain, "=%") {
		return value // no query
	}
	if err != nil || depth == maxNested {
		return masked
	}
	path, query := "", plain
	if i := strings.IndexAny(plain, "?#="); i >= 0 && plain[i] != '=' {
		path, query = plain[:i+1], plain[i+1:]
	}
	if shown := path + maskQuery(query, "&;#", depth+1); shown != plain {
		return url.QueryEscape(shown)
	}
	return value
}

// nameSeparators removes what may stand between the words of a name.
var nameSeparators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// SecretName reports whether a parameter or a JSON member with this name contains a secret. The name is decoded.
func SecretName(name string) bool {
	name = strings.ToLower(strings.ToUpper(name)) // folds letters such as ſ and K too
	name = strings.Trim(nameSeparators.Replace(name), "[]\x00\t")
	switch name {
	case "codeverifier", "password", "hm", "signature":
		return true
	}
	for _, end := range []string{"token", "tokenhint", "secret", "code", "assertion"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// maxLoggedPath bounds the path in a log line.
const maxLoggedPath = 1024

// loggedPath returns the path and the query of the request without secrets.
func loggedPath(c *Call) string {
	pattern := c.route.Path
	if c.route.log == nil {
		pattern = "" // no route
	}
	u := c.Request.URL
	shown := MaskPath(pattern, u.Path)
	if u.RawQuery != "" {
		shown += "?" + MaskQuery(u.RawQuery)
	}
	if len(shown) > maxLoggedPath {
		shown = strings.ToValidUTF8(shown[:maxLoggedPath], "") + "…"
	}
	return shown
}
