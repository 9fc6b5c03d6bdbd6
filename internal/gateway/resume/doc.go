// Package resume lets a client go on with its session at another node: see docs/decisions/0009-resume-anywhere.md. It tells the
// other nodes from time to time how the sessions of this one stand, gives sessions up to them, and brings theirs here by
// counting what they have heard in the history that all nodes share. It speaks with no client, and hands out no event: how nodes
// reach each other is for whoever implements Sessions.
package resume
