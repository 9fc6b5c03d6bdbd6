package api

import (
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/parity"
)

// gapHeader is the header of answers to requests for operations that Discord has and the service does not. Its value is the name of
// the operation.
const gapHeader = "X-Bellhop-Gap"

// gapError is a request for an operation that Discord has and the service does not.
type gapError struct{ parity.Operation }

// Error names the operation.
func (e gapError) Error() string { return "Bellhop does not serve " + e.Method + " " + e.Path }

// missing returns the error of a request that no route serves: a gap, or other.
func (c *Call) missing(r *http.Request, other error) error {
	for _, base := range apiBases {
		rest, ok := strings.CutPrefix(r.URL.Path, base+"/")
		if !ok {
			continue
		}
		if o, ok := parity.All().Find(r.Method, "/"+rest); ok && o.State == parity.Absent {
			return gapError{o}
		}
	}
	return other
}

// replyToGap returns the reply that the service does not have an operation. It is a 404 and not a 501, because libraries repeat requests after
// each status from 500 on. Only developers see the reason: see docs/parity.md.
func (c *Call) replyToGap(e gapError) Reply {
	c.gap = e.Name
	reply := Reply{Status: http.StatusNotFound, Message: "404: Not Found", Header: http.Header{gapHeader: {e.Name}}}
	if c.h.Dev != nil {
		reply.Message = e.Error() + ": see http://" + c.Request.Host + BasePath(c.h.publicURL()) + "/docs/parity"
		c.h.Log.WarnContext(c.Context(), "the service does not serve an operation of Discord",
			"operation", e.Name, "method", e.Method, "path", e.Path, "reason", e.Note)
	}
	return reply
}
