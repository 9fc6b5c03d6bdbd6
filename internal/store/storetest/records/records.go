// Package records holds stores to what the contract says of each kind of record: what comes back, in which order, what is
// unique, and what goes with what. Each unit of work is one of many that can be run; package storetest says how they are.
package records

import "github.com/bellhop/bellhop/internal/store/storetest/check"

// Subjects are the kinds of records.
var Subjects = []check.Subject{
	{Name: "scopes", Rules: scopeRules},
	{Name: "commands", Rules: commandRules},
	{Name: "overwrites", Rules: overwriteRules},
	{Name: "directory", Rules: directoryRules},
	{Name: "places", Rules: placeRules},
	{Name: "deletes", Rules: deleteRules},
	{Name: "credentials", Rules: credentialRules},
	{Name: "lobbies", Rules: lobbyRules},
	{Name: "interactions", Rules: interactionRules},
	{Name: "messages", Rules: messageRules},
	{Name: "grants", Rules: grantRules},
}
