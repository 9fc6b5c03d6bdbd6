package client

import "github.com/bellhop/bellhop/snowflake"

// Fault makes matching requests slow, fail, or lose their connection. An empty field matches every request.
type Fault struct {
	ID int `json:"id,omitzero"` // given by the service

	Method string `json:"method,omitzero"`
	// Route is a path as /openapi.json writes it, such as /lobbies/{lobby_id}; with a star at its end everything that
	// begins so.
	Route       string                `json:"route,omitzero"`
	Application snowflake.Application `json:"application,omitzero"` // whose token the request carries

	// Delay is how long the request waits before anything else happens, such as "200ms".
	Delay string `json:"delay,omitzero"`
	// Status is the answer in place of the true one; nothing has happened then.
	Status int `json:"status,omitzero"`
	// RateLimit is how many seconds a 429 in place of the answer tells to wait.
	RateLimit float64 `json:"rate_limit,omitzero"`
	// Drop ends the connection: "before" the request is served, or "after" it, without an answer.
	Drop string `json:"drop,omitzero"`
	// Disconnect ends the application's gateway sessions with a close code, once and at once.
	Disconnect int `json:"disconnect,omitzero"`

	Count int     `json:"count,omitzero"` // how many requests it strikes; 0: all
	Share float64 `json:"share,omitzero"` // of the requests that match, above 0 to 1; 0: all
	Seed  uint64  `json:"seed,omitzero"`  // of the dice that Share throws: the same seed strikes the same requests

	Struck int `json:"struck,omitzero"` // how many requests it has struck
}
