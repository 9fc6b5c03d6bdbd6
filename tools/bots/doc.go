// Package bots runs public bots and official examples, unchanged, with "bellhop run". Its tests obtain each bot from a package registry
// or a repository, start it, and have a conversation with it that is ours. Code of others is not part of this repository.
//
//	go test ./...                                        the bots from Go modules and npm, as make check does
//	go test ./... -args -all                             all bots; git, python3, cargo, java and mvn are needed for some
//	go test ./... -args -all -write                      the same, and write the results to docs/bots.md
//	go test ./... -args -all -repositories DIR           take repositories from DIR/OWNER+NAME instead of cloning them
//
// The variable BELLHOP_BINARY names the program to test. Without it, the tests build it.
package bots
