// Package devservice runs the service of "bellhop dev", and has what it adds: the banner, a line of JSON for programs, a line for
// each interaction, and an app that answers in the demo world.
package devservice
