package oauthapi

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/signin"
)

// Pages shows the pages. All fields are required.
type Pages struct {
	Grants    *oauthserver.Grants
	Door      *signin.Door
	Directory *directory.Directory
}

//go:embed templates
var files embed.FS

// style is the style of all pages. It stands in the page itself, and its hash in the policy.
var style = func() []byte {
	text, err := files.ReadFile("templates/style.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return text
}()

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(style) }, //nolint:gosec // our own file
}).ParseFS(files, "templates/*.html"))

// policy lets a page show its style and send its forms to this service, and nothing else.
var policy = func() string {
	sum := sha256.Sum256(style)
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}()

// show shows a page.
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
	h.Set("Referrer-Policy", "no-referrer") // addresses hold what apps asked for, and answers hold codes
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that is gone misses only the page
	return nil
}

// message is a page that tells something and asks nothing.
type message struct {
	Title, Text string
	Fault       string // the code of an error; empty: none
}

// handOver sends the browser on after a form was sent. It is a page and not a redirect: browsers hold the whole way that
// a form takes to the page's policy, and where an app leads people after its callback is not known here.
func handOver(w http.ResponseWriter, to, name string) error {
	w.Header().Set("Refresh", "0;url="+to)
	return show(w, http.StatusOK, "handover", struct {
		To   template.URL
		Name string
	}{template.URL(to), name}) //nolint:gosec // a registered address, or a path of this service
}

// redirect sends the browser on when no form was sent.
func redirect(w http.ResponseWriter, to string) error {
	h := w.Header()
	h.Set("Location", to)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusFound)
	return nil
}

// refuse shows a refusal that leads nowhere.
func refuse(w http.ResponseWriter, e *oauthserver.Error) error {
	m := message{Title: "This does not work", Text: "The app has asked in a way that cannot be answered: " + e.Description, Fault: e.Code}
	if e.Code == oauthserver.AccessDenied {
		m = message{Title: "Nothing was allowed", Text: "You have declined. You can close this window.", Fault: e.Code}
		return show(w, http.StatusOK, "message", m)
	}
	return show(w, http.StatusBadRequest, "message", m)
}

// stale tells that a form cannot be taken as it was sent.
func stale(w http.ResponseWriter) error {
	return show(w, http.StatusForbidden, "message", message{
		Title: "This page is too old", Text: "Go back to the app and start again.", Fault: "stale_form",
	})
}

// maxForm is how large a form may be.
const maxPageForm = 64 << 10

// readForm reads a form that was sent from a page of the visit.
func readPageForm(w http.ResponseWriter, r *http.Request, v signin.Visit) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxPageForm)
	if err := r.ParseForm(); err != nil {
		return signin.ErrForm
	}
	return v.CheckForm(r, r.PostForm.Get("form"))
}
