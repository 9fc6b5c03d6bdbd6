package bellhop_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/bellhop/bellhop"
)

// A program serves Bellhop on its own mux, below a path.
func ExampleNew() {
	data, err := os.MkdirTemp("", "bellhop-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(data) //nolint:errcheck // an example
	srv, err := bellhop.New(bellhop.Config{Data: data, PublicURL: "https://game.example/chat"})
	if err != nil {
		panic(err)
	}
	defer srv.Close() //nolint:errcheck // an example
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go srv.Run(ctx) //nolint:errcheck // an example

	mux := http.NewServeMux()
	mux.Handle("/chat/", srv.Handler())
	web := httptest.NewServer(mux)
	defer web.Close()
	resp, err := http.Get(web.URL + "/chat/readyz")
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}
