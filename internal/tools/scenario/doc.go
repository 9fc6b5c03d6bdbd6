// Package scenario tests apps in any language from the outside. It reads scenario files and runs them: conversations
// between the users of a world and an app, with what the app is expected to answer. Each scenario has its own service,
// with a world and a clock of its own.
package scenario
