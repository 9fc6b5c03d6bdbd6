// Package gateway is the WebSocket edge: it speaks the protocol with bots, with people's own clients and with clients that act
// for people, and hands them the events that they hear. It holds no rules of its own: who is who, who is where and who sees
// what it asks the directory.
//
// It stands on three packages. Package socket is one client's connection, package session what stays of a client and who hears
// what, package roaming what lets a session go on at another node. Here is what clients ask for (to identify, to resume, members)
// and what they are told: READY, and every event in its time.
//
// Four things happen apart from each other. Each socket has a goroutine that reads it and answers what its client asks.
// Writing is done by a goroutine that exists while there is something to write. One goroutine, the hub, takes events off
// the bus, finds the sessions that hear them and hands each its frame; it never waits for a client. One goroutine turns
// the wheel on which silent clients and forgotten sessions run out.
//
// Where several nodes share their events one goroutine more, that of roaming, tells the others from time to time how sessions
// stand.
//
// An event is framed once. What differs between receivers is its number, which is written behind it. A session keeps the
// frames that it sent last, so that a client whose socket broke can go on where it was.
package gateway
