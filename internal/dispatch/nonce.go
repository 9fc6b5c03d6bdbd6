package dispatch

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

const (
	// nonceLifetime is how long a nonce of a user identifies the same invocation.
	nonceLifetime = 5 * time.Minute
	// maxNonces is how many nonces are remembered. After that the oldest is dropped.
	maxNonces = 1 << 16
)

// nonces remembers the nonces of invocations.
type nonces struct {
	mu    sync.Mutex
	used  map[nonce]snowflake.Interaction
	order []usedNonce // the oldest first, from head on
	head  int
}

type nonce struct {
	user snowflake.User
	text string
}

type usedNonce struct {
	nonce

	id snowflake.Interaction
}

// find returns the interaction that owns a nonce.
func (n *nonces) find(user snowflake.User, text string, now time.Time) (first snowflake.Interaction, used bool) {
	if text == "" {
		return 0, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	first, used = n.used[nonce{user, text}]
	return first, used && now.Sub(first.Time()) < nonceLifetime
}

// claim gives a nonce to an interaction. When another interaction owns it, claim returns that one. An interaction may
// claim its nonce again.
func (n *nonces) claim(
	user snowflake.User, text string, id snowflake.Interaction, now time.Time,
) (first snowflake.Interaction, taken bool) {
	if text == "" {
		return id, false
	}
	k := nonce{user, strings.Clone(text)} // a substring would keep the whole body in memory
	n.mu.Lock()
	defer n.mu.Unlock()
	if old, ok := n.used[k]; ok && now.Sub(old.Time()) < nonceLifetime {
		return old, old != id
	}
	if n.used == nil {
		n.used = map[nonce]snowflake.Interaction{}
	}
	n.used[k] = id
	n.order = append(n.order, usedNonce{k, id})
	n.trim(now)
	return id, false
}

// trim drops nonces that are too old or too many.
func (n *nonces) trim(now time.Time) {
	for len(n.order)-n.head > maxNonces || n.head < len(n.order) && now.Sub(n.order[n.head].id.Time()) >= nonceLifetime {
		n.drop(n.order[n.head])
		n.head++
	}
	if n.head > len(n.order)/2 {
		n.order = slices.Delete(n.order, 0, n.head)
		n.head = 0
	}
}

// drop drops a nonce unless a later interaction owns it.
func (n *nonces) drop(u usedNonce) {
	if n.used[u.nonce] == u.id {
		delete(n.used, u.nonce)
	}
}

// release takes a nonce away from an interaction.
func (n *nonces) release(user snowflake.User, text string, id snowflake.Interaction) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop(usedNonce{nonce{user, text}, id})
}

func (n *nonces) clear() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.used, n.order, n.head = nil, nil, 0
}
