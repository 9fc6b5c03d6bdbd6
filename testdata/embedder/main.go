// Command embedder is a program outside of the module that embeds the service.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/bellhop/bellhop"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(data string) error {
	srv, err := bellhop.New(bellhop.Config{Data: data, PublicURL: "https://game.example/play"})
	if err != nil {
		return err
	}
	defer srv.Close()
	go srv.Run(context.Background())
	mux := http.NewServeMux()
	mux.Handle("/play/", srv.Handler())
	web := httptest.NewServer(mux)
	defer web.Close()
	resp, err := http.Get(web.URL + "/play/api/v10/gateway")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	fmt.Printf("GET /play/api/v10/gateway: %d\n", resp.StatusCode)
	return nil
}
