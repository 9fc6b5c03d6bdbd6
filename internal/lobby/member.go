package lobby

import (
	"strconv"

	"github.com/bellhop/bellhop/snowflake"
)

// MemberFlags are those of a member.
type MemberFlags uint32

// CanLinkLobby lets a member link the lobby with a channel.
const CanLinkLobby MemberFlags = 1 << 0

// Member is a user in a lobby. It is immutable once it is shared.
type Member struct {
	ID       snowflake.User
	Metadata Metadata
	Flags    MemberFlags
	// AdditionalName is shown beside the user's own name; empty: none.
	AdditionalName string
}

// AppendJSON appends the member as it goes on the wire.
func (m *Member) AppendJSON(b []byte) []byte { return append(m.open(b), '}') }

// AppendEvent appends the member as events show it: with whether a client of the user is there.
func (m *Member) AppendEvent(b []byte, connected bool) []byte {
	b = append(m.open(b), `,"connected":`...)
	return append(strconv.AppendBool(b, connected), '}')
}

func (m *Member) open(b []byte) []byte {
	b = append(b, `{"id":"`...)
	b = m.ID.Append(b)
	b = append(b, `","metadata":`...)
	b = m.Metadata.AppendJSON(b)
	b = append(b, `,"flags":`...)
	b = strconv.AppendUint(b, uint64(m.Flags), 10)
	if m.AdditionalName != "" {
		b = appendText(append(b, `,"additional_name":`...), m.AdditionalName)
	}
	return b
}

// AppendMembers appends a list of members as it goes on the wire.
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
