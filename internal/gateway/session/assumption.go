package session

import (
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// assumption is about a session that was restored from the history. To count its events, this node assumed that
// permissions in some guilds were the same when the events happened as they are now.
type assumption struct {
	session *Session
	guilds  map[snowflake.Guild]struct{}
	until   int64
}

// assumptionWindow is the longest time from a write to the arrival of its event.
const assumptionWindow = 5 * time.Second

// Contradicted returns the restored sessions whose assumption a change contradicts: their count of events may be wrong,
// so they have to be invalidated. The node is locked.
func (n *Node) Contradicted(c *events.Change) (sessions []*Session) {
	if len(n.assumptions) == 0 {
		return nil
	}
	now, remaining := n.Wall.Now().UnixNano(), n.assumptions[:0]
	for _, a := range n.assumptions {
		switch {
		case a.until < now:
		case c.Everything || contradicts(c, a.guilds, a.session.User):
			sessions = append(sessions, a.session)
		default:
			remaining = append(remaining, a)
		}
	}
	clear(n.assumptions[len(remaining):])
	n.assumptions = remaining
	return sessions
}

// contradicts reports whether a change affects what a user sees in one of the guilds.
func contradicts(c *events.Change, guilds map[snowflake.Guild]struct{}, user snowflake.User) bool {
	_, assumed := guilds[c.Guild]
	return assumed && (c.Joined == 0 && c.Left == 0 || c.Joined == user || c.Left == user)
}
