package client_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
)

// deferring is an app that defers all its answers.
func deferring(key ed25519.PublicKey) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		signature, bad := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if err != nil || bad != nil || !ed25519.Verify(key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if bytes.Contains(body, []byte(`"data":`)) {
			_, _ = io.WriteString(w, `{"type":5}`)
			return
		}
		_, _ = io.WriteString(w, `{"type":1}`) // to a PING
	})
}

func TestInteractions(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx, c := t.Context(), srv.Bot(echo)
	d := command.Definition{Name: "slow", Description: "x", Options: []command.Option{{Type: command.String, Name: "why", Description: "x"}}}
	if _, _, err := c.CreateCommand(ctx, command.Scope{Application: echo}, d); err != nil {
		t.Fatal(err)
	}
	srv.Connect(t, echo, deferring(srv.VerifyKey(t, echo)))
	in := srv.Invoke(t, "bob", "Lab/general", "/slow why:fun").Interaction
	if in == nil || in.Type != client.ApplicationCommand || in.Guild != lab || string(in.Data.Option("why")) != `"fun"` || in.Data.Option("x") != nil {
		t.Fatalf("the interaction is %+v", in)
	}
	if !bytes.Contains(in.Rest, []byte(`"app_permissions"`)) {
		t.Errorf("the rest of the interaction is %s", in.Rest)
	}
	if err := c.Respond(ctx, in.ID, in.Token, client.Callback{Type: client.ChannelMessage, Data: map[string]string{"content": "late"}}); !client.IsCode(err, 40060) {
		t.Errorf("a second first answer: %v, want it refused", err)
	}
	m, err := c.EditOriginalResponse(ctx, echo, in.Token, map[string]string{"content": "done"})
	if err != nil || m.Content != "done" || !bytes.Contains(m.Rest, []byte(`"author"`)) {
		t.Errorf("EditOriginalResponse() = %+v, %v", m, err)
	}
	if m, err = c.OriginalResponse(ctx, echo, in.Token); err != nil || m.Content != "done" {
		t.Errorf("OriginalResponse() = %+v, %v", m, err)
	}
	more, err := c.Follow(ctx, echo, in.Token, map[string]string{"content": "more"})
	if err != nil || more.ID == 0 {
		t.Fatalf("Follow() = %+v, %v", more, err)
	}
	if m, err = c.EditFollowup(ctx, echo, in.Token, more.ID, map[string]string{"content": "even more"}); err != nil || m.Content != "even more" {
		t.Errorf("EditFollowup() = %+v, %v", m, err)
	}
	if err := c.DeleteFollowup(ctx, echo, in.Token, more.ID); err != nil {
		t.Error(err)
	}
	if err := c.DeleteOriginalResponse(ctx, echo, in.Token); err != nil {
		t.Error(err)
	}
	deliveries, err := c.Dev().Requests(ctx, url.Values{"kind": {"delivery"}})
	if err != nil || len(deliveries) == 0 {
		t.Errorf("Requests() = %v, %v, want the delivery", deliveries, err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx, c := t.Context(), srv.Bot(echo)
	token, err := c.ClientCredentials(ctx, echo, "demo-secret-echo", "applications.commands.update")
	if err != nil || token.AccessToken == "" || token.Life() <= 0 {
		t.Fatalf("ClientCredentials() = %+v, %v", token, err)
	}
	own := &client.Client{BaseURL: srv.BaseURL, Authorization: token.TokenType + " " + token.AccessToken}
	if _, err := own.Commands(ctx, command.Scope{Application: echo}); err != nil {
		t.Errorf("the application's own token: %v", err)
	}
	if err := c.RevokeToken(ctx, echo, "demo-secret-echo", token.AccessToken); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Commands(ctx, command.Scope{Application: echo}); !client.IsStatus(err, http.StatusUnauthorized) {
		t.Errorf("a revoked token: %v, want 401", err)
	}
	if _, err := c.ClientCredentials(ctx, echo, "wrong"); !client.IsStatus(err, http.StatusUnauthorized) {
		t.Errorf("a wrong secret: %v, want 401", err)
	}
}
