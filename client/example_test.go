package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

func ExampleClient_Commands() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintln(w, `[{"id":"1","application_id":"100","version":"2","type":1,"name":"roll","description":"Roll dice"}]`)
	}))
	defer srv.Close()

	c := client.Client{BaseURL: srv.URL + "/api/v10", Authorization: "Bot TOKEN"}
	commands, err := c.Commands(context.Background(), command.Scope{Application: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, cmd := range commands {
		fmt.Printf("/%s: %s\n", cmd.Name, cmd.Description)
	}
	// Output: /roll: Roll dice
}

func ExampleClient_Do() {
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.Method, r.URL.Path, string(body))
	}))
	defer srv.Close()

	c := client.Client{BaseURL: srv.URL + "/api/v10", Authorization: "Bot TOKEN"}
	id := snowflake.Lobby(7)
	patch := client.Request{Method: http.MethodPatch, Path: "/lobbies/" + id.String(), Body: map[string]any{"metadata": nil}}
	if _, err := c.Do(context.Background(), patch); err != nil {
		fmt.Println(err)
	}
	// Output: PATCH /api/v10/lobbies/7 {"metadata":null}
}

func ExampleError() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintln(w, `{"message":"Unknown Lobby","code":10031}`)
	}))
	defer srv.Close()

	c := client.Client{BaseURL: srv.URL + "/api/v10", Authorization: "Bot TOKEN"}
	_, err := c.Lobbies().Get(context.Background(), 7)
	fmt.Println(client.IsStatus(err, http.StatusNotFound), client.IsCode(err, 10031))
	// Output: true true
}
