// Package socket provides one client's WebSocket connection: frames, the write queue, the compressed stream and the
// close codes. It knows no sessions and no opcodes: a Handler handles what the client sends.
//
// The caller of Serve reads the connection. A second goroutine writes while there is something to write. Sending never
// waits: a client that reads too slowly is disconnected.
package socket
