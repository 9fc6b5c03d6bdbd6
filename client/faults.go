package client

import "github.com/bellhop/bellhop/snowflake"

// Fault makes matching requests slow, fail, or lose their connection. An empty field matches every request.
type Fault struct {
	ID int `json:"id,omitzero"` // given by the service

	Method string `json:"method,omitzero"`
	// Route is a path of /openapi.json, such as /lobbies/{lobby_id}. A star at its end matches every path with that
	// prefix.
	Route       string                `json:"route,omitzero"`
	Application snowflake.Application `json:"application,omitzero"` // whose token the request carries

	// Delay is the time that the request waits before anything else happens, such as "200ms".
	Delay string `json:"delay,omitzero"`
	// Status answers the request with this status. The service does not handle the request.
	Status int `json:"status,omitzero"`
	// RateLimit answers the request with a 429 that asks the client to wait this many seconds.
	RateLimit float64 `json:"rate_limit,omitzero"`
	// Drop closes the connection without a response: "before" or "after" the service handles the request.
	Drop string `json:"drop,omitzero"`
	// Disconnect closes the gateway connections of the application once, immediately, with this close code. 1006 cuts them without a
	// close frame.
	Disconnect int `json:"disconnect,omitzero"`

	Count int     `json:"count,omitzero"` // how many requests it strikes; 0: all
	Share float64 `json:"share,omitzero"` // of the requests that match, above 0 to 1; 0: all
	Seed  uint64  `json:"seed,omitzero"`  // of the dice that Share throws: the same seed strikes the same requests

	Struck int `json:"struck,omitzero"` // how many requests it has struck
}
