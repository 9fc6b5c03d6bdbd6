package remote_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/tools/remote"
)

func TestRoot(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://127.0.0.1:8080":          "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/":         "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/api/v10":  "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/api/v9/":  "http://127.0.0.1:8080",
		"https://example/bellhop/api/":   "https://example/bellhop",
		"https://example/bellhop/api/v8": "https://example/bellhop/api/v8",
	} {
		if got := remote.Root(base); got != want {
			t.Errorf("Root(%q) = %q, want %q", base, got, want)
		}
	}
}

// TestSend checks the parts of a request, and the errors for responses that are none of success.
func TestSend(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
			if r.Method != http.MethodPut || r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Content-Type") != "application/yaml" {
				t.Errorf("%s %v", r.Method, r.Header)
			}
			_, _ = w.Write([]byte("done")) // the client reports it
		case "/refused":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"message":"Invalid Form Body","code":50035,"errors":{"as":{"_errors":[{"code":"X","message":"no such user"}]}}}`)) // as above
		case "/forbidden":
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"message":"Missing Permissions","code":50013}`)) // as above
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"message":"404: Not Found","code":0}`)) // as above
		}
	}))
	t.Cleanup(srv.Close)
	send := func(path, token string) (string, error) {
		body, err := remote.Request{Method: http.MethodPut, URL: srv.URL + path, Token: token, ContentType: "application/yaml", Body: []byte("x")}.Send(t.Context())
		return string(body), err
	}
	if got, err := send("/ok", "secret"); err != nil || got != "done" {
		t.Errorf("Send() = %q, %v", got, err)
	}
	for path, want := range map[string]string{
		"/refused":   "as: no such user (X)",
		"/forbidden": "Missing Permissions (403 Forbidden, code 50013)",
		"/other":     "the service has no dev controls",
	} {
		_, err := send(path, "")
		if err == nil || !strings.Contains(remote.Describe(err).Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if _, err := send("/other", "secret"); err == nil || strings.Contains(err.Error(), "dev controls") {
		t.Errorf("a path that the admin API does not have: %v", err)
	}
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	_, err := remote.Request{Method: http.MethodGet, URL: "http://[::1"}.Send(t.Context())
	if _, ok := errors.AsType[remote.URLError](err); !ok {
		t.Errorf("Send() to a URL that is not valid = %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var sent atomic.Int64
	_, err = remote.Request{Method: http.MethodPost, URL: "http://127.0.0.1:1", Body: []byte("x"), Sent: &sent}.Send(ended)
	if !errors.Is(err, context.Canceled) || sent.Load() != 0 {
		t.Errorf("Send() without a service = %v after %d bytes", err, sent.Load())
	}
}

// TestAsk checks the bodies of a request and its response.
func TestAsk(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.URL.Path == "/garbage" {
			text = []byte("garbage")
		}
		_, _ = w.Write(text) // the client reports it
	}))
	t.Cleanup(srv.Close)
	type body struct{ Name string }
	var answer body
	q := remote.Request{Method: http.MethodPost, URL: srv.URL}
	if err := q.Ask(t.Context(), body{"ada"}, &answer); err != nil || answer.Name != "ada" {
		t.Errorf("Ask() = %+v, %v", answer, err)
	}
	if err := q.Ask(t.Context(), nil, nil); err != nil {
		t.Errorf("Ask() without bodies = %v", err)
	}
	q.URL += "/garbage"
	if err := q.Ask(t.Context(), nil, &answer); err == nil || !strings.HasPrefix(err.Error(), "response of the service: ") {
		t.Errorf("Ask() = %v for a response that is no JSON", err)
	}
}

// TestExplain checks what errors of requests say that a user can do something about.
func TestExplain(t *testing.T) {
	t.Parallel()
	_, err := remote.Request{Method: http.MethodGet, URL: "http://127.0.0.1:1"}.Send(t.Context())
	if text := remote.Explain(err, "").Error(); !strings.Contains(text, `Start one with "bellhop dev"`) {
		t.Errorf("without a service: %s", text)
	}
	refused := remote.Describe(&remote.StatusError{Method: "GET", URL: "/", Status: "401 Unauthorized", Body: []byte(`{"message":"401: Unauthorized","code":0}`)})
	if text := remote.Explain(refused, "BELLHOP_TOKEN").Error(); !strings.Contains(text, "does not know the token, which comes from BELLHOP_TOKEN") {
		t.Errorf("with a wrong token: %s", text)
	}
	if text := remote.Explain(&client.Error{Status: 401}, "--token").Error(); !strings.Contains(text, "comes from --token") {
		t.Errorf("with a wrong token of the API: %s", text)
	}
	if err := errors.New("other"); !errors.Is(remote.Explain(err, ""), err) || remote.Explain(nil, "") != nil {
		t.Error("another error has another explanation")
	}
}
