// Package serve checks apps that receive interactions over HTTP: the handshake when the app sets its endpoint URL, and an
// immediate answer to a command. The checks of the other response types are in node/apps.
package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
)

// Content is the content of the message with which the app answers its command.
const Content = "Soup is served"

// App is an app that uses a client library.
type App struct {
	Name   string
	Module string
	// Handler returns a handler that verifies signatures with the public key, in hex, and answers the command with Content.
	Handler func(publicKey string) (http.Handler, error)
}

// Main runs the checks and prints a report as one line of JSON. If a check fails, it exits with code 1.
func Main(a App) {
	steps, err := a.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, a.Name, err)
		os.Exit(1)
	}
	report, err := json.Marshal(map[string]any{"library": a.Name, "version": version(a.Module), "steps": steps})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(report))
}

func version(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path == module {
			return d.Version
		}
	}
	return ""
}

func (a App) run() ([]string, error) {
	application, bot := os.Getenv("BELLHOP_APPLICATION_ID"), "Bot "+os.Getenv("BELLHOP_BOT_TOKEN")
	const me = "/api/v10/applications/@me"
	var own struct {
		VerifyKey string `json:"verify_key"`
	}
	if err := call(http.MethodGet, me, bot, "", &own); err != nil {
		return nil, err
	}
	handler, err := a.Handler(own.VerifyKey)
	if err != nil {
		return nil, err
	}
	var refused atomic.Int32
	srv := httptest.NewServer(counted(handler, &refused))
	defer srv.Close()
	if err := call(http.MethodPatch, me, bot, `{"interactions_endpoint_url":"`+srv.URL+`/"}`, nil); err != nil {
		return nil, fmt.Errorf("handshake: %w", err)
	}
	if n := refused.Load(); n != 1 {
		return nil, fmt.Errorf("handshake: the app rejected %d signatures, want 1", n)
	}
	if err := call(http.MethodPost, "/api/v10/applications/"+application+"/commands", bot, `{"name":"soup","description":"Order soup"}`, nil); err != nil {
		return nil, err
	}
	var out struct {
		Outcome  string
		Messages []struct{ Content string }
	}
	// Several applications have a command with this name.
	invocation := `{"as":"eve","in":"` + os.Getenv("BELLHOP_CHANNEL_ID") + `","command":{"name":"soup","application":"` + application + `"}}`
	if err := call(http.MethodPost, "/_dev/invoke", "", invocation, &out); err != nil {
		return nil, err
	}
	if out.Outcome != "answered" || len(out.Messages) != 1 || out.Messages[0].Content != Content {
		return nil, fmt.Errorf("message: %+v", out)
	}
	return []string{"handshake", "message"}, nil
}

// counted counts the requests that a handler rejects with 401.
func counted(h http.Handler, refused *atomic.Int32) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&statusWriter{w, refused}, r)
	})
}

type statusWriter struct {
	http.ResponseWriter

	refused *atomic.Int32
}

// WriteHeader counts the status 401.
func (w *statusWriter) WriteHeader(status int) {
	if status == http.StatusUnauthorized {
		w.refused.Add(1)
	}
	w.ResponseWriter.WriteHeader(status)
}

// call sends a request to the service and decodes the response into the given value, unless it is nil.
func call(method, path, authorization, body string, into any) error {
	r, err := http.NewRequestWithContext(context.Background(), method, os.Getenv("BELLHOP_URL")+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s %s", method, path, resp.Status, bytes.TrimSpace(text))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}
