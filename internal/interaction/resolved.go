package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// Resolved holds what an invocation speaks of. A user who is a member of the guild stands under both.
type Resolved struct {
	Users       []payload.User
	Members     []payload.Member
	Roles       []payload.Role
	Channels    []payload.Channel
	Messages    []FoundMessage
	Attachments []payload.Attachment
}

// FoundMessage is a message that was looked up.
type FoundMessage struct {
	ID   snowflake.Message
	JSON []byte // as message.Post.AppendJSON writes it
}

// print writes the kinds that there are, or nothing when there are none.
func (r *Resolved) print(p *payload.Printer) {
	start := len(p.Out)
	p.Raw(`,"resolved":{`)
	empty := len(p.Out)
	printMap(p, empty, `"users":{`, r.Users, func(u *payload.User) uint64 { return uint64(u.ID) },
		func(u *payload.User) { u.Print(p, "") })
	printMap(p, empty, `"members":{`, r.Members, func(m *payload.Member) uint64 { return uint64(m.User.ID) },
		func(m *payload.Member) { m.Print(p, "", true) })
	printMap(p, empty, `"roles":{`, r.Roles, func(o *payload.Role) uint64 { return uint64(o.ID) },
		func(o *payload.Role) { o.Print(p, "") })
	printMap(p, empty, `"channels":{`, r.Channels, func(c *payload.Channel) uint64 { return uint64(c.ID) },
		func(c *payload.Channel) { c.Print(p, "", true) })
	printMap(p, empty, `"messages":{`, r.Messages, func(m *FoundMessage) uint64 { return uint64(m.ID) },
		func(m *FoundMessage) { p.Out = append(p.Out, m.JSON...) })
	printMap(p, empty, `"attachments":{`, r.Attachments, func(a *payload.Attachment) uint64 { return uint64(a.ID) },
		func(a *payload.Attachment) { a.Print(p, "") })
	if len(p.Out) == empty {
		p.Out = p.Out[:start]
		return
	}
	p.Raw(`}`)
}

// printMap writes things by their ids, in ascending order and each once. JavaScript puts keys below 2^32-1 in that order
// by itself and leaves the larger ones where they stand. first is where the first map begins.
func printMap[T any](p *payload.Printer, first int, open string, list []T, id func(*T) uint64, each func(*T)) {
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
	p.Comma(len(p.Out) > first)
	p.Raw(open)
	for n, i := range order {
		p.Comma(n > 0)
		p.ID("", id(&list[i]))
		p.Raw(`:`)
		each(&list[i])
	}
	p.Raw(`}`)
}
