package httpapi

import (
	"io"
	"time"

	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// sight is what the inspector sees of a request.
type sight struct {
	io.ReadCloser // the request's body

	sent, received       []byte // their beginnings
	sentSize, answerSize int64
}

// watch lets the inspector see what is read and written.
func (c *Call) watch() {
	c.sight = &sight{ReadCloser: c.Request.Body}
	r := *c.Request
	r.Body = c.sight
	c.Request = &r
}

// Read notes what is read of the request's body.
func (s *sight) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.sentSize += int64(n)
	s.sent = keep(s.sent, p[:n])
	return n, err
}

func (s *sight) wrote(p []byte) {
	s.answerSize += int64(len(p))
	s.received = keep(s.received, p)
}

// keep appends as much as is shown.
func keep(seen, p []byte) []byte {
	return append(seen, p[:min(len(p), devtools.MaxBody-len(seen))]...)
}

// record tells the inspector of a request to the API, or of one that went astray; the service's own pages and the dev
// controls are not what a developer looks for.
func (c *Call) record(took time.Duration) {
	if c.own {
		return
	}
	app := c.Principal.Application
	if id, err := jsonbody.ParseID[snowflake.Application](&jsonbody.Tree{}, c.Request.PathValue("application_id")); app == 0 && err {
		app = id
	}
	c.frame.Dev.Requests.Record(devtools.Entry{
		Time: c.frame.Clock.Now().UTC(), Kind: devtools.Request, Application: app, User: c.Principal.User,
		Method: c.Request.Method, Route: c.pattern, Path: devtools.Path(c.pattern, c.Request.URL.Path, c.Request.URL.RawQuery),
		Status: c.status, TookMS: devtools.Milliseconds(took),
		Sent:     devtools.NewContent(c.Request.Header, c.sight.sent, c.sight.sentSize),
		Received: devtools.NewContent(c.Header(), c.sight.received, c.sight.answerSize),
	})
}
