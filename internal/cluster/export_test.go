package cluster

import "context"

// Tell sees to it that no node shows what was before changes.
func (n *Node) Tell(ctx context.Context, c *Changes) error { return n.tell(ctx, c) }
