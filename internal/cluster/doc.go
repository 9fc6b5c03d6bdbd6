// Package cluster tests the bellhop binary while things break: several nodes with real PostgreSQL and Redis servers, and one
// node with SQLite. It has only tests. "make faults" runs the long one.
package cluster
