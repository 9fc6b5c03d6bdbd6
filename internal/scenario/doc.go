// Package scenario tests apps in any language from the outside. Its load generator lets the people of a world use commands
// at a rate, and reports how long the answers take.
package scenario
