package authorization

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

const (
	callbackPath  = "/callback"
	maxHeader     = 16 << 10         // bytes of a request to the listener
	socketTimeout = 10 * time.Second // for reading a request, and for writing its response
	closeTimeout  = 500 * time.Millisecond
)

// loopback is the HTTP server that receives the redirect. It listens on a free port of 127.0.0.1.
type loopback struct {
	flow   *flow
	host   string // 127.0.0.1:port
	server *http.Server
	served sync.WaitGroup
}

// listen starts a server for f. The caller closes it.
func listen(ctx context.Context, f *flow) (*loopback, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &loopback{flow: f, host: ln.Addr().String()}
	l.server = &http.Server{
		Handler:        l,
		ReadTimeout:    socketTimeout,
		WriteTimeout:   socketTimeout,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       log.New(io.Discard, "", 0), // other programs may send anything to the port
	}
	l.server.SetKeepAlivesEnabled(false)
	l.served.Go(func() {
		if err := l.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			f.fail(unreached(opAuthorize, err))
		}
	})
	return l, nil
}

func (l *loopback) redirectURI() string { return "http://" + l.host + callbackPath }

// close stops the server. It waits until the browser has its page, even after ctx has ended, but at most closeTimeout:
// browsers open connections that they never use.
func (l *loopback) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close() // the listener is already closed; this closes idle connections
	}
	l.served.Wait()
}

// page is a page for the browser. Its text is fixed and contains nothing from the request.
type page struct {
	status int
	text   string
}

var (
	pageNotFound   = page{http.StatusNotFound, "There is nothing here."}
	pageNotAllowed = page{http.StatusMethodNotAllowed, "There is nothing here."}
	pageMisdirect  = page{http.StatusMisdirectedRequest, "There is nothing here."}
	pages          = map[callbackResult]page{
		wrongState: {http.StatusBadRequest, "This answer does not belong to the sign-in that is running. Start again from the app."},
		late:       {http.StatusGone, "This sign-in is over. You can close this window."},
		granted:    {http.StatusOK, "You are signed in. You can close this window and return to the app."},
		refused:    {http.StatusOK, "You are not signed in. You can close this window and return to the app."},
	}
)

// ServeHTTP answers the browser. It accepts a callback only with its own address in the Host header, which protects
// against DNS rebinding, and only by GET, so that the HEAD request of a link preview does not use up the code.
func (l *loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Host != l.host:
		pageMisdirect.write(w)
	case r.URL.Path != callbackPath:
		pageNotFound.write(w)
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		pageNotAllowed.write(w)
	default:
		l.callback(w, r)
	}
}

func (l *loopback) callback(w http.ResponseWriter, r *http.Request) {
	params, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		pages[wrongState].write(w)
		return
	}
	pages[l.flow.handleCallback(params)].write(w)
}

func (p page) write(w http.ResponseWriter) {
	body := `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">` +
		`<title>Sign-in</title></head><body><p>` + p.text + `</p></body></html>` + "\n"
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the URL contains the code
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(p.status)
	_, _ = io.WriteString(w, body) // the callback is already handled; only the page is lost
}
