package client

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error is a response with a status of 400 or more.
type Error struct {
	Method, Path string
	Status       int
	Code         int    // the error code of the API; 0 if there is none
	Message      string // the message of the service
	// Fields has the errors of the request body by dotted path, such as options.0.name. It may be nil.
	Fields map[string][]Field
	// RetryAfter is the time to wait before a retry; 0 if the service did not say.
	RetryAfter time.Duration
}

// Field is one error of a field.
type Field struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns the message of the service with all field errors.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d", e.Method, e.Path, e.Status)
	if message := strings.TrimPrefix(e.Message, strconv.Itoa(e.Status)+": "); message != "" { // such as "401: Unauthorized"
		b.WriteString(" " + message)
	}
	if e.Code != 0 {
		fmt.Fprintf(&b, " (%d)", e.Code)
	}
	for _, path := range e.Paths() {
		for _, f := range e.Fields[path] {
			fmt.Fprintf(&b, "; %s: %s (%s)", path, f.Message, f.Code)
		}
	}
	return b.String()
}

// Paths returns the sorted paths of Fields.
func (e *Error) Paths() []string {
	paths := make([]string, 0, len(e.Fields))
	for path := range e.Fields {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

func errorOf(q Request, a *Answer) *Error {
	e := &Error{Method: q.Method, Path: q.Path, Status: a.Status}
	var wire struct {
		Message     string         `json:"message"`
		Code        int            `json:"code"`
		Errors      jsontext.Value `json:"errors"`
		RetryAfter  float64        `json:"retry_after"`
		OAuth       string         `json:"error"`
		Description string         `json:"error_description"`
	}
	if err := json.Unmarshal(a.Body, &wire); err != nil {
		e.Message = excerpt(a.Body) // not an error of the API: probably from a proxy
	} else {
		e.Code, e.Message = wire.Code, wire.Message
		if wire.OAuth != "" {
			e.Message = strings.TrimSuffix(wire.OAuth+": "+wire.Description, ": ")
		}
		e.readFields("", wire.Errors)
	}
	e.RetryAfter = retryAfter(wire.RetryAfter, a)
	return e
}

// maxExcerpt limits how much of a response that is not JSON the error shows.
const maxExcerpt = 200

func excerpt(body []byte) string {
	text := strings.ToValidUTF8(strings.TrimSpace(string(body)), "?")
	if runes := []rune(text); len(runes) > maxExcerpt {
		return string(runes[:maxExcerpt]) + "…"
	}
	return text
}

// readFields collects the field errors, which are in lists named "_errors".
func (e *Error) readFields(path string, tree jsontext.Value) {
	var members map[string]jsontext.Value
	if json.Unmarshal(tree, &members) != nil {
		return
	}
	for name, below := range members {
		if name != "_errors" {
			e.readFields(strings.TrimPrefix(path+"."+name, "."), below)
			continue
		}
		var fields []Field
		if json.Unmarshal(below, &fields) != nil {
			continue
		}
		if e.Fields == nil {
			e.Fields = map[string][]Field{}
		}
		e.Fields[path] = fields
	}
}

// retryAfter takes the time from the body, which has fractions of a second, else from the headers.
func retryAfter(body float64, a *Answer) time.Duration {
	seconds := body
	for _, name := range []string{"X-RateLimit-Reset-After", "Retry-After"} {
		if n, err := strconv.ParseFloat(a.Header.Get(name), 64); seconds == 0 && err == nil {
			seconds = n
		}
	}
	if a.Status == http.StatusTooManyRequests && seconds <= 0 {
		return leastWait
	}
	return time.Duration(min(max(seconds, 0), math.MaxInt32) * float64(time.Second))
}

// IsStatus reports whether err is an *Error with a status.
func IsStatus(err error, status int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == status
}

// IsCode reports whether err is an *Error with a code of the API.
func IsCode(err error, code int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}
