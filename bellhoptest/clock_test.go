package bellhoptest_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/snowflake"
)

// answering returns an app that answers every interaction except a PING with the same body.
func answering(key ed25519.PublicKey, answer string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		signature, bad := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if err != nil || bad != nil || !ed25519.Verify(key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if !bytes.Contains(body, []byte(`"data":`)) {
			_, _ = io.WriteString(w, `{"type":1}`) // a PING
			return
		}
		_, _ = io.WriteString(w, answer)
	})
}

// TestDayQuota uses up the daily limit of created commands and checks that it is restored after a day.
func TestDayQuota(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx, bot, scope := t.Context(), srv.Bot(echo), command.Scope{Application: echo}
	bot.MaxWait = -1
	once := func() error {
		made, _, err := bot.CreateCommand(ctx, scope, command.Definition{Name: "daily", Description: "x"})
		if err != nil {
			return err
		}
		return bot.DeleteCommand(ctx, scope, made.ID)
	}
	for range registry.MaxCreates {
		if err := once(); err != nil {
			t.Fatal(err)
		}
	}
	if err := once(); !client.IsCode(err, 30034) {
		t.Fatalf("one create too many: %v, want it refused for the day", err)
	}
	srv.Advance(t, registry.CreateWindow-time.Minute)
	if err := once(); !client.IsCode(err, 30034) {
		t.Errorf("before the day is over: %v, want it refused", err)
	}
	srv.Advance(t, time.Minute)
	if err := once(); err != nil {
		t.Errorf("the next day: %v", err)
	}
}

// TestDeferredAnswers checks that a deferred answer cannot be completed after the interaction token has expired.
func TestDeferredAnswers(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx, bot := t.Context(), srv.Bot(echo)
	if _, _, err := bot.CreateCommand(ctx, command.Scope{Application: echo}, command.Definition{Name: "slow", Description: "x"}); err != nil {
		t.Fatal(err)
	}
	srv.Connect(t, echo, answering(srv.VerifyKey(t, echo), `{"type":5}`))
	fill := func(token string) error {
		_, err := bot.EditOriginalResponse(ctx, echo, token, map[string]string{"content": "done"})
		return err
	}
	first := srv.Invoke(t, "bob", "Lab/general", "/slow")
	if first.Outcome != "deferred" || first.Interaction == nil {
		t.Fatalf("Invoke() = %+v, want a deferred answer", first)
	}
	srv.Advance(t, 14*time.Minute)
	if err := fill(first.Interaction.Token); err != nil {
		t.Errorf("an answer within the time: %v", err)
	}
	second := srv.Invoke(t, "bob", "Lab/general", "/slow")
	srv.Advance(t, 15*time.Minute)
	if err := fill(second.Interaction.Token); err == nil {
		t.Error("the service accepted an answer after the token expired")
	}
}

// TestOrder advances the clock past several idle timeouts at once. All of them have taken effect when Advance returns.
func TestOrder(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	var ids []snowflake.Lobby
	for _, seconds := range []int{300, 60, 600} {
		made, err := srv.Bot(echo).Lobbies().Create(t.Context(), client.LobbyInput{IdleTimeoutSeconds: seconds})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, made.ID)
	}
	srv.Advance(t, 5*time.Minute)
	for i, gone := range []bool{true, true, false} {
		if got := srv.Lobby(t, ids[i]) == nil; got != gone {
			t.Errorf("lobby %d is gone: %v, want %v", i, got, gone)
		}
	}
}
