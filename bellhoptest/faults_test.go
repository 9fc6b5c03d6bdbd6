package bellhoptest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx, bot := t.Context(), srv.Bot(echo)
	t.Run("a connection that ends before the request is served", func(t *testing.T) {
		srv.Fault(t, client.Fault{Method: http.MethodPost, Route: "/lobbies", Drop: "before", Count: 1})
		if _, err := bot.Lobbies().Create(ctx, client.LobbyInput{}); err == nil {
			t.Error("a connection that was dropped has an answer")
		}
		if _, err := bot.Lobbies().Create(ctx, client.LobbyInput{}); err != nil {
			t.Errorf("the next request: %v", err)
		}
	})
	t.Run("a connection that ends after the request was served", func(t *testing.T) {
		lobby, err := bot.Lobbies().Create(ctx, client.LobbyInput{})
		if err != nil {
			t.Fatal(err)
		}
		srv.Fault(t, client.Fault{Route: "/lobbies/{lobby_id}/*", Drop: "after", Count: 1})
		if _, err := bot.Lobbies().PutMember(ctx, lobby.ID, ada, client.LobbyMember{}); err == nil {
			t.Error("a connection that was dropped has an answer")
		}
		if srv.Lobby(t, lobby.ID).Member(ada) == nil {
			t.Error("the request was not served")
		}
	})
	t.Run("a rate limit is waited for", func(t *testing.T) {
		srv.Fault(t, client.Fault{Application: echo, RateLimit: 0.01, Count: 1})
		if _, err := bot.Application(ctx); err != nil {
			t.Errorf("Application() = %v, want it to come back", err)
		}
	})
	t.Run("a delay", func(t *testing.T) {
		srv.Fault(t, client.Fault{Delay: "30ms", Count: 1})
		began := time.Now()
		if _, err := bot.Application(ctx); err != nil || time.Since(began) < 30*time.Millisecond {
			t.Errorf("Application() = %v after %v, want it late", err, time.Since(began))
		}
	})
	t.Run("a reset clears them", func(t *testing.T) {
		srv.Fault(t, client.Fault{Status: 503})
		if _, err := bot.Application(ctx); !client.IsStatus(err, 503) {
			t.Errorf("Application() = %v, want 503", err)
		}
		srv.Reset(t)
		if list, err := bot.Dev().Faults(ctx); err != nil || len(list) != 0 {
			t.Errorf("Faults() = %v, %v, want none", list, err)
		}
		if _, err := bot.Application(ctx); err != nil {
			t.Errorf("Application() = %v after a reset", err)
		}
	})
}

// BenchmarkReset measures a reset between two tests.
func BenchmarkReset(b *testing.B) {
	srv := bellhoptest.Start(b, bellhoptest.DemoWorld())
	for b.Loop() {
		if _, err := srv.Bot(echo).Lobbies().Create(b.Context(), client.LobbyInput{}); err != nil {
			b.Fatal(err)
		}
		srv.Reset(b)
	}
}
