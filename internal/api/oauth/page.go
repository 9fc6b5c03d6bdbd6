package oauth

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/oauth"
)

//go:embed templates
var files embed.FS

// style is the style sheet of all pages. Each page contains it, and the policy contains its hash.
var style = func() []byte {
	text, err := files.ReadFile("templates/style.css")
	if err != nil {
		panic(err) // the file is embedded
	}
	return text
}()

var templates = template.Must(template.ParseFS(files, "templates/*.html", "templates/style.css"))

// policy is the Content-Security-Policy of all pages. It allows the style sheet and forms to this service, and nothing
// else.
var policy = func() string {
	sum := sha256.Sum256(style)
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}()

// show answers with a page.
func show(w http.ResponseWriter, status int, page string, data any) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, page+".html", data); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer") // URLs contain authorization requests and codes
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // fails when the browser is gone
	return nil
}

// message is a page without a form.
type message struct {
	Title, Text string
	Fault       string // error code; empty: none
}

// handOver sends the browser to another URL after a form. It is a page and not a redirect, because browsers apply the
// policy for forms to all redirects that follow, and an app may redirect anywhere.
func handOver(w http.ResponseWriter, to, name string) error {
	w.Header().Set("Refresh", "0;url="+to)
	return show(w, http.StatusOK, "handover", struct {
		To   template.URL
		Name string
	}{template.URL(to), name}) //nolint:gosec // a registered redirect URI, or a path of this service
}

// redirect sends the browser to another URL, if no form was sent.
func redirect(w http.ResponseWriter, to string) error {
	h := w.Header()
	h.Set("Location", to)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusFound)
	return nil
}

// refuse shows an error that has no redirect URI.
func refuse(w http.ResponseWriter, e *oauth.Error) error {
	m := message{Title: "This does not work", Text: "The app has asked in a way that cannot be answered: " + e.Description, Fault: e.Code}
	if e.Code == oauth.AccessDenied {
		m = message{Title: "Nothing was allowed", Text: "You have declined. You can close this window.", Fault: e.Code}
		return show(w, http.StatusOK, "message", m)
	}
	return show(w, http.StatusBadRequest, "message", m)
}

// stale shows that a form was not sent from a page of this session.
func stale(w http.ResponseWriter) error {
	return show(w, http.StatusForbidden, "message", message{
		Title: "This page is too old", Text: "Go back to the app and start again.", Fault: "stale_form",
	})
}

// readPageForm reads a form that was sent from a page of the session.
func readPageForm(w http.ResponseWriter, r *http.Request, session Session) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); errors.Is(err, api.ErrShare) || errors.Is(err, api.ErrBusy) {
		return err
	} else if err != nil {
		return errForm
	}
	return session.CheckForm(r, r.PostForm.Get("form"))
}
