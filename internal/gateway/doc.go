// Package gateway serves Discord's gateway protocol over WebSocket to bots, to users and to OAuth2 clients, and sends
// them events. It contains no rules: it asks the directory for users, guilds and permissions.
//
// Package socket is one connection. Package session keeps sessions, selects the recipients of events, and moves
// sessions between nodes. This package handles what clients send (Identify, Resume, Request Guild Members, …) and sends
// READY.
//
// Goroutines:
//
//   - Each connection has a goroutine that reads it and handles its payloads.
//   - A connection has a second goroutine while there is something to write.
//   - The hub takes events from the bus, finds the recipients and queues a frame for each. It never waits for a client.
//   - The timeouts goroutine closes silent connections and ends sessions that were not resumed in time.
//   - The presence goroutine tells lobbies about users who connect and disconnect.
//   - With several nodes, a session.Node publishes the states of sessions to the other nodes.
//
// An event is encoded once for all recipients. Only the sequence number differs; it is appended to the frame.
package gateway
