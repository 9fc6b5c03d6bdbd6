package dispatch

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

const (
	// nonceLife is for how long the same nonce of the same person means the same invocation.
	nonceLife = 5 * time.Minute
	// maxNonces is how many are remembered; one more drives out the oldest.
	maxNonces = 1 << 16
)

// nonces remembers what people's clients called their invocations.
type nonces struct {
	mu    sync.Mutex
	used  map[nonce]snowflake.Interaction
	order []nonceAge // the oldest first, from head on
	head  int
}

type nonce struct {
	user snowflake.User
	text string
}

type nonceAge struct {
	nonce

	id snowflake.Interaction
}

// find returns the interaction that has a nonce.
func (n *nonces) find(user snowflake.User, text string, now time.Time) (first snowflake.Interaction, used bool) {
	if text == "" {
		return 0, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	first, used = n.used[nonce{user, text}]
	return first, used && now.Sub(first.Time()) < nonceLife
}

// claim remembers that an interaction has a nonce. When another one has it already, claim returns that one. The same
// interaction may claim it again.
func (n *nonces) claim(
	user snowflake.User, text string, id snowflake.Interaction, now time.Time,
) (first snowflake.Interaction, taken bool) {
	if text == "" {
		return id, false
	}
	k := nonce{user, strings.Clone(text)} // the text is a part of the whole body
	n.mu.Lock()
	defer n.mu.Unlock()
	if old, ok := n.used[k]; ok && now.Sub(old.Time()) < nonceLife {
		return old, old != id
	}
	if n.used == nil {
		n.used = map[nonce]snowflake.Interaction{}
	}
	n.used[k] = id
	n.order = append(n.order, nonceAge{k, id})
	n.trim(now)
	return id, false
}

// trim drops what is too old or too much.
func (n *nonces) trim(now time.Time) {
	for len(n.order)-n.head > maxNonces || n.head < len(n.order) && now.Sub(n.order[n.head].id.Time()) >= nonceLife {
		n.forget(n.order[n.head])
		n.head++
	}
	if n.head > len(n.order)/2 {
		n.order = slices.Delete(n.order, 0, n.head)
		n.head = 0
	}
}

// forget drops a nonce unless a later interaction has it.
func (n *nonces) forget(a nonceAge) {
	if n.used[a.nonce] == a.id {
		delete(n.used, a.nonce)
	}
}

// release takes a claim back.
func (n *nonces) release(user snowflake.User, text string, id snowflake.Interaction) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget(nonceAge{nonce{user, text}, id})
}

func (n *nonces) clear() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.used, n.order, n.head = nil, nil, 0
}
