// Package devservice has what "bellhop dev" adds to a service: the banner, a line of JSON for programs, a line for each
// interaction, and an app that answers in the demo world.
package devservice
