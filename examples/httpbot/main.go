// Command httpbot is an app that rolls dice. It receives interactions over HTTP. Its tests run it against Bellhop in
// process.
//
// It listens on 127.0.0.1:8081, or on the address in HTTPBOT_LISTEN, and sets this address as the interactions endpoint.
//
//	BELLHOP_BASE_URL=… BELLHOP_BOT_TOKEN=… BELLHOP_APPLICATION_ID=… httpbot
package main

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	api := &client.Client{BaseURL: os.Getenv("BELLHOP_BASE_URL"), Authorization: "Bot " + os.Getenv("BELLHOP_BOT_TOKEN")}
	app, err := snowflake.Parse[snowflake.Application](os.Getenv("BELLHOP_APPLICATION_ID"))
	if err != nil {
		return fmt.Errorf("BELLHOP_APPLICATION_ID: %w", err)
	}
	if err := Register(ctx, api, app); err != nil {
		return err
	}
	self, err := api.Application(ctx)
	if err != nil {
		return err
	}
	key, err := hex.DecodeString(self.VerifyKey)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: Bot{Key: ed25519.PublicKey(key), Roll: Dice}, ReadHeaderTimeout: 5 * time.Second}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", cmp.Or(os.Getenv("HTTPBOT_LISTEN"), "127.0.0.1:8081"))
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ln) }()
	// The service tests the endpoint, so the server must run.
	if _, err := api.SetInteractionsEndpoint(ctx, "http://"+ln.Addr().String()); err != nil {
		return errors.Join(err, server.Close(), <-ended)
	}
	log.Printf("answers at %s", ln.Addr())
	return <-ended
}
