package events

import (
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Event is an event in the form in which clients get it. It is encoded once for all recipients on all nodes, so it must
// not be changed.
type Event struct {
	Name string // the gateway's name, such as MESSAGE_CREATE
	Data []byte // a JSON object
	// Reduced is the data for bots without the intent MESSAGE_CONTENT; nil if it is the same. Full lists applications
	// that get the full data anyway: the author's and those that the message mentions.
	Reduced []byte
	Full    []snowflake.Application

	To Audience
	// Position is the position in the shared history; zero if there is none.
	Position Position
	// Change says how the event changes which sessions receive which events; nil if it does not. An event may have a
	// Change and no name. An event with neither only contains a position.
	Change *Change
	// Lost marks a position where events are missing. Subscribers never get such an event.
	Lost bool
}

// Change is a change to which sessions receive the events of a guild. After any Change, permissions in the guild may be
// different.
type Change struct {
	Guild snowflake.Guild
	// Joined and Left are a user, or a bot by its application's id, who joined or left the guild.
	Joined, Left snowflake.User
	// Closed means that the guild was deleted. Its members still get the event.
	Closed bool
	// Everything means that anything may have changed in any guild.
	Everything bool
	// Recheck means that a token was revoked: sessions check whether theirs is still valid.
	Recheck bool
}

// Audience selects the recipients of an event. If Users is set, it is those users' sessions; otherwise, if Application
// is set, the bot sessions of the application; otherwise the sessions of all members of Guild.
type Audience struct {
	// Users get the event in their own clients, or, if Application is set, in the clients of that application. Session
	// selects one session. If it is empty, all sessions of the users get the event; with one node also if the session
	// does not exist.
	Users   []snowflake.User
	Session string
	// Application is the application whose bot gets the event: on the shard of Guild, or on the first shard without a
	// guild.
	Application snowflake.Application
	// Guild is the guild whose members get the event. With Channel, only members who can see the channel get it. Except
	// are members who do not get it.
	Guild   snowflake.Guild
	Channel snowflake.Channel
	Except  []snowflake.User
	// Needs restricts the members of Guild to those who have one of these permissions: in Channel, or in the guild if
	// Channel is 0.
	Needs permission.Bits
	// Kinds restricts the kinds of sessions in a guild; 0 means all.
	Kinds Kinds
	// Intents are the intents of the event; 0 means that no intent is needed. A bot needs one of them. A client that
	// sent intents needs one too.
	Intents uint32
}

// Sight is the part of an audience that depends on the permissions of members. The zero Sight includes all members.
type Sight struct {
	Channel snowflake.Channel // 0: the permissions in the guild count
	Needs   permission.Bits   // one of them is enough; 0: members who can see Channel
}

// Sight returns the part of an audience in a guild that depends on permissions.
func (a *Audience) Sight() Sight {
	if a.Guild == 0 {
		return Sight{}
	}
	return Sight{a.Channel, a.Needs}
}

// Kinds is a set of kinds of sessions.
type Kinds uint8

// The kinds of sessions.
const (
	Bots   Kinds = 1 << iota // sessions of bots
	People                   // sessions of users
)

// The intents that events of this service need.
const (
	Guilds           uint32 = 1 << 0
	GuildMembers     uint32 = 1 << 1
	GuildModeration  uint32 = 1 << 2
	GuildEmojis      uint32 = 1 << 3
	GuildIntegrated  uint32 = 1 << 4
	GuildWebhooks    uint32 = 1 << 5
	GuildInvites     uint32 = 1 << 6
	GuildVoiceStates uint32 = 1 << 7
	GuildPresences   uint32 = 1 << 8
	GuildMessages    uint32 = 1 << 9
	GuildReactions   uint32 = 1 << 10
	GuildTyping      uint32 = 1 << 11
	DirectMessages   uint32 = 1 << 12
	DirectReactions  uint32 = 1 << 13
	DirectTyping     uint32 = 1 << 14
	MessageContent   uint32 = 1 << 15
	GuildEvents      uint32 = 1 << 16
	GuildPolls       uint32 = 1 << 24
	DirectPolls      uint32 = 1 << 25
	Lobbies          uint32 = 1 << 27
	LobbyDelete      uint32 = 1 << 28
)
