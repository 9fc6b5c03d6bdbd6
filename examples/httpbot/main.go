// Command httpbot is an app that rolls dice. It receives interactions over HTTP. Its tests run it against Bellhop in
// process.
//
//	BELLHOP_BASE_URL=… BELLHOP_BOT_TOKEN=… BELLHOP_APPLICATION_ID=… httpbot
package main

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"log"
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
	server := &http.Server{Addr: "127.0.0.1:8081", Handler: Bot{Key: ed25519.PublicKey(key), Roll: Dice}, ReadHeaderTimeout: 5 * time.Second}
	return server.ListenAndServe()
}
