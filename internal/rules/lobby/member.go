package lobby

import (
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// MemberFlags are the flags of a member.
type MemberFlags uint32

// CanLinkLobby lets a member link the lobby with a channel.
const CanLinkLobby MemberFlags = 1 << 0

// Member is a user in a lobby. It is immutable once it is shared.
type Member struct {
	ID       snowflake.User
	Metadata Metadata
	Flags    MemberFlags
	// AdditionalName is shown beside the user's name; empty means none.
	AdditionalName string
}

// AppendJSON appends the member as REST responses contain it.
func (m *Member) AppendJSON(b []byte) []byte {
	p := wire.Printer{Out: b}
	m.print(&p)
	p.Raw(`}`)
	return p.Out
}

// AppendEvent appends the member as events contain it. connected says whether the user has a session.
func (m *Member) AppendEvent(b []byte, connected bool) []byte {
	p := wire.Printer{Out: b}
	m.print(&p)
	p.Bool(`,"connected":`, connected)
	p.Raw(`}`)
	return p.Out
}

// print writes the fields that all forms share.
func (m *Member) print(p *wire.Printer) {
	p.ID(`{"id":`, uint64(m.ID))
	p.Raw(`,"metadata":`)
	p.Out = m.Metadata.AppendJSON(p.Out)
	p.Integer(`,"flags":`, int64(m.Flags))
	if m.AdditionalName != "" {
		p.Text(`,"additional_name":`, m.AdditionalName)
	}
}

// AppendMembers appends a JSON list of members.
func AppendMembers(b []byte, members []*Member) []byte {
	b = append(b, '[')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = m.AppendJSON(b)
	}
	return append(b, ']')
}
