package api

import (
	"io"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Dev lets the dev controls see requests and make them fail. All fields are required.
type Dev struct {
	Traffic    TrafficRecorder
	Faults     FaultInjector
	ClockMoved func() bool // reports whether the clock of the service differs from that of the machine
	Gate       *DevGate    // nil: requests from other machines need no token
}

// TrafficRecorder keeps requests and responses for developers.
type TrafficRecorder interface {
	// BeginRequest is called when an API request begins, and end after it was recorded.
	BeginRequest() (end func())
	RecordRequest(e Exchange)
}

// Exchange is a request and its response.
type Exchange struct {
	Time        time.Time // of the beginning
	Took        time.Duration
	Application snowflake.Application // of the caller or of the path; 0: none
	User        snowflake.User        // 0: none
	Interaction snowflake.Interaction // that the request creates or answers; 0: none
	Method      string
	Route       string // pattern of the path
	Path, Query string
	Status      int
	Gap         string // the operation of Discord that the service does not have; "": none
	Request     Content
	Response    Content
}

// Content has the headers and the start of the body that one side of an exchange sent.
type Content struct {
	Header http.Header
	Start  []byte // the first bytes of the body, up to MaxCaptured
	Size   int64  // of the whole body
}

// MaxCaptured bounds how many bytes of a body are kept.
const MaxCaptured = 16 << 10

// capture keeps the start of the request body and of the response body.
type capture struct {
	io.ReadCloser // the request body

	request, response         []byte
	requestSize, responseSize int64
}

// startCapture makes the call keep what is read and written.
func startCapture(c *Call) {
	c.capture = &capture{ReadCloser: c.Request.Body}
	r := *c.Request
	r.Body = c.capture
	c.Request = &r
}

// Read reads from the request body.
func (t *capture) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.requestSize += int64(n)
	t.request = appendStart(t.request, p[:n])
	return n, err
}

func (t *capture) wrote(p []byte) {
	t.responseSize += int64(len(p))
	t.response = appendStart(t.response, p)
}

// appendStart appends p to start, up to MaxCaptured bytes in all.
func appendStart(start, p []byte) []byte {
	return append(start, p[:min(len(p), MaxCaptured-len(start))]...)
}

// record gives an API request, or one that no route serves, to the traffic recorder. It leaves out the service's own
// pages and the dev controls, which developers do not look for.
func (h *handler) record(c *Call, took time.Duration) {
	if c.route.Root {
		return
	}
	app, answered := c.Principal.Application, c.Interaction
	if id, ok := jsonbody.ParseID[snowflake.Application](&jsonbody.Tree{}, c.pathApplication()); app == 0 && ok && !c.webhook {
		app = id
	}
	if id, ok := jsonbody.ParseID[snowflake.Interaction](&jsonbody.Tree{}, c.Request.PathValue("interaction_id")); answered == 0 && ok {
		answered = id
	}
	h.Dev.Traffic.RecordRequest(Exchange{
		Time: h.Clock.Now().Add(-took).UTC(), Took: took, Application: app, User: c.Principal.User, Interaction: answered,
		Method: c.Request.Method, Route: c.route.Path, Path: c.Request.URL.Path, Query: c.Request.URL.RawQuery, Status: c.status, Gap: c.gap,
		Request:  Content{c.Request.Header, c.capture.request, c.capture.requestSize},
		Response: Content{c.Header(), c.capture.response, c.capture.responseSize},
	})
}
