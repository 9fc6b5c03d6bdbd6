// Package gateway is the WebSocket edge: sessions of bots, of people's own clients and of clients that act for people, and
// the events that they hear. It holds no rules of its own: who is who, who is where and who sees what it asks the
// directory.
//
// Four things happen apart from each other. Each socket has a goroutine that reads it and answers what its client asks.
// Writing is done by a goroutine that exists while there is something to write. One goroutine, the hub, takes events off
// the bus, finds the sessions that hear them and hands each its frame; it never waits for a client. One goroutine turns
// the wheel on which silent clients and forgotten sessions run out.
//
// Where several nodes share their events one goroutine more, the keeper, tells the others from time to time how sessions
// stand, so that a client can go on with its session at another node: see docs/decisions/0009-resume-anywhere.md.
//
// An event is framed once. What differs between receivers is its number, which is written behind it. A session keeps the
// frames that it sent last, so that a client whose socket broke can go on where it was.
package gateway
