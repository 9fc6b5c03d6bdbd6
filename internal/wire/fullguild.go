package wire

import (
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
)

// FullGuild is a guild with all that is in it, as somebody sees it who comes there.
type FullGuild struct {
	Guild

	JoinedAt       Time      `json:"joined_at"`
	Large          bool      `json:"large"`
	Unavailable    bool      `json:"unavailable"`
	MemberCount    int       `json:"member_count"`
	Members        []Member  `json:"members"`
	Channels       []Channel `json:"channels"`
	Threads        []Thread  `json:"threads"`
	Presences      []string  `json:"presences"`
	VoiceStates    []string  `json:"voice_states"`
	StageInstances []string  `json:"stage_instances"`
	Events         []string  `json:"guild_scheduled_events"`
	Sounds         []string  `json:"soundboard_sounds"`
}

// FullGuildOf returns a guild with its channels and those of its members that are shown. There may be more of them: count
// says how many there are, large that the others are left out.
func FullGuildOf(
	g *directory.Guild, channels []store.Channel, members []directory.Resident, joined time.Time, count int, large bool,
) FullGuild {
	full := FullGuild{Guild: GuildOf(g, nil), JoinedAt: Time(joined), Large: large, MemberCount: count}
	for _, m := range members {
		full.Members = append(full.Members, MemberOf(m.Member, m.Who))
	}
	for _, c := range channels {
		if world.IsThread(c.Type) {
			if !c.Archived {
				full.Threads = append(full.Threads, ThreadOf(c, g.Owner))
			}
			continue
		}
		full.Channels = append(full.Channels, ChannelOf(c))
	}
	return full
}
