package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
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
