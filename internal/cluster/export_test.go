package cluster

import "github.com/bellhop/bellhop/internal/store"

// Watch returns a unit of work that notes what it changes.
func Watch(tx store.Tx) (store.Tx, *Changes) {
	changes := &Changes{}
	return watched{tx, changes, new(Join)}, changes
}
