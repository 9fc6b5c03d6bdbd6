package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Resolved holds what an invocation speaks of. A user who is a member of the guild stands under both.
type Resolved struct {
	Users       []User
	Members     []Member
	Roles       []Role
	Channels    []Channel
	Messages    []FoundMessage
	Attachments []Attachment
}

// FoundMessage is a message that was looked up.
type FoundMessage struct {
	ID   snowflake.Message
	JSON []byte // as Post.AppendJSON writes it
}

// print writes the kinds that there are, or nothing when there are none.
func (r *Resolved) print(p *printer) {
	start := len(p.b)
	p.raw(`,"resolved":{`)
	empty := len(p.b)
	printMap(p, empty, `"users":{`, r.Users, func(u *User) uint64 { return uint64(u.ID) },
		func(u *User) { u.print(p, "") })
	printMap(p, empty, `"members":{`, r.Members, func(m *Member) uint64 { return uint64(m.User.ID) },
		func(m *Member) { m.print(p, "", true) })
	printMap(p, empty, `"roles":{`, r.Roles, func(o *Role) uint64 { return uint64(o.ID) },
		func(o *Role) { o.print(p, "") })
	printMap(p, empty, `"channels":{`, r.Channels, func(c *Channel) uint64 { return uint64(c.ID) },
		func(c *Channel) { c.print(p, "", true) })
	printMap(p, empty, `"messages":{`, r.Messages, func(m *FoundMessage) uint64 { return uint64(m.ID) },
		func(m *FoundMessage) { p.b = append(p.b, m.JSON...) })
	printMap(p, empty, `"attachments":{`, r.Attachments, func(a *Attachment) uint64 { return uint64(a.ID) },
		func(a *Attachment) { a.print(p, "") })
	if len(p.b) == empty {
		p.b = p.b[:start]
		return
	}
	p.raw(`}`)
}

// printMap writes things by their ids, in ascending order and each once. JavaScript puts keys below 2^32-1 in that order
// by itself and leaves the larger ones where they stand. first is where the first map begins.
func printMap[T any](p *printer, first int, open string, list []T, id func(*T) uint64, each func(*T)) {
	if len(list) == 0 {
		return
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	if len(list) > 1 {
		slices.SortStableFunc(order, func(a, b int) int {
			x, y := id(&list[a]), id(&list[b])
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		order = slices.CompactFunc(order, func(a, b int) bool { return id(&list[a]) == id(&list[b]) })
	}
	p.comma(len(p.b) > first)
	p.raw(open)
	for n, i := range order {
		p.comma(n > 0)
		p.id("", id(&list[i]))
		p.raw(`:`)
		each(&list[i])
	}
	p.raw(`}`)
}
