// Package socket provides one client's connection: its frames, what waits to be written to it, its compressed stream and
// the codes it is closed with. It knows no sessions and no opcodes: what a client says it hands to a Handler, and what a client
// is told it is given as text.
//
// Each socket has a goroutine that reads it, its caller's. Writing is done by a goroutine that exists while there is
// something to write. Whoever sends waits for neither: a client that reads too slowly is closed.
package socket
