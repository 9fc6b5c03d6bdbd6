// Package session provides what stays of a client when its connection breaks, and who hears what: the session with the events
// that it was sent last, the index that finds the sessions an event is for, and what a session sees of guilds. It reads
// nothing that clients send, knows no other nodes and starts no goroutine: who is where and who sees what it asks the directory.
package session
