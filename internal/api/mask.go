package api

import (
	"regexp"
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

// MaskQuery returns a query, or the fields of a form, without the values of secrets.
func MaskQuery(query string) string {
	if query == "" {
		return ""
	}
	return secretFields.ReplaceAllString(query, "${1}"+masked)
}

// secretFields finds the values of secret parameters in a query.
var secretFields = regexp.MustCompile(
	`((?:^|[&;])(?:[A-Za-z_]*token(?:_hint)?|[A-Za-z_]*secret|[A-Za-z_]*code|code_verifier|[a-z_]*assertion|password|hm|signature)=)[^&;]*`)

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
