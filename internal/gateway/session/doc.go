// Package session keeps what remains of a gateway client between its connections, decides which sessions receive an
// event, and hands sessions over between nodes.
//
//   - A Session numbers the events for one client and keeps the last ones, so that the client can resume. A Conn is its
//     connection.
//   - An Index finds the sessions that receive an event. A View answers what a session sees of guilds.
//   - A Node restores sessions of other nodes and hands over its own; see docs/decisions, number 9. All
//     nodes read the same event history. A node publishes, for each session, the number of the last event and the position
//     in the history. Another node continues from there by reading the history. Nodes reach each other through
//     the interface Shared.
//
// The package reads nothing that clients send.
package session
