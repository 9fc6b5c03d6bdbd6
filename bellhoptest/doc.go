// Package bellhoptest runs a whole Bellhop inside of a Go test, on a port that the system picks.
package bellhoptest
