// Package bellhop is the root of a self-hosted service that keeps application commands and lobbies, decides who may use
// what where, and carries an invocation from a person to an app and the answer back. It holds no code; ARCHITECTURE.md
// says where everything is.
package bellhop
