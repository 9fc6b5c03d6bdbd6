package events

import "github.com/bellhop/bellhop/snowflake"

// Event is something that happened, in the form in which it is told: it is written once, however many hear of it and on
// whichever node they are. Events are shared by all who hear of them: nobody changes them.
type Event struct {
	Name string // as the gateway calls it, like MESSAGE_CREATE
	Data []byte // a JSON object
	// Reduced is what bots hear that may not read what people write; nil: the same as the others. Full names the
	// applications that hear everything all the same: the author's, those that the message calls.
	Reduced []byte
	Full    []snowflake.Application

	To Audience
	// Position is where the event stands in the history that nodes share; zero: there is none.
	Position Position
	// Change says what the event changes about who hears what; nil: nothing. An event without a name has nothing else; one
	// without either tells how far the history has come.
	Change *Change
	// Lost says that events are missing at this place of the history, and nothing else. Nobody hears it who subscribes.
	Lost bool
}

// Change is what becomes different about who hears events of a guild. Who sees which of its channels may always have
// become different.
type Change struct {
	Guild snowflake.Guild
	// Joined and Left are a user, or a bot under its application's id, that came into the guild or is there no longer.
	Joined, Left snowflake.User
	// Closed says that the guild is no more: those in it hear the event and are then in it no longer.
	Closed bool
	// Everything says that anything may have changed, in whatever guild.
	Everything bool
	// Recheck says that a credential was revoked: sessions check whether theirs still holds.
	Recheck bool
}

// Audience says who hears of an event. Exactly one of its ways is chosen: with Users those people's sessions; else with
// Application that application's bot sessions; else with Guild the sessions of everybody who is there.
type Audience struct {
	// Users hear it in their own clients, or where Application is set in the clients of that application that act for
	// them. Session names the one session that hears it; where there is none such on any node, or none is named, all do.
	Users   []snowflake.User
	Session string
	// Application is whose bot hears it: on the shard of Guild, on the first one without.
	Application snowflake.Application
	// Guild is heard by its members, bots and people. Channel leaves out who may not see it, Except who hears of it
	// another way.
	Guild   snowflake.Guild
	Channel snowflake.Channel
	Except  []snowflake.User
	// Kinds says which sessions of a guild hear it; 0: all.
	Kinds Kinds
	// Intents are the bits of which a bot, or a client of an application that asked for any, has to have asked for one; 0:
	// it needs none.
	Intents uint32
}

// Kinds is a set of kinds of sessions.
type Kinds uint8

// The kinds of sessions.
const (
	Bots   Kinds = 1 << iota // of applications
	People                   // of people's own clients
)

// The intents that events of this service need.
const (
	Guilds          uint32 = 1 << 0
	GuildMembers    uint32 = 1 << 1
	GuildIntegrated uint32 = 1 << 4
	GuildMessages   uint32 = 1 << 9
	DirectMessages  uint32 = 1 << 12
	MessageContent  uint32 = 1 << 15
	Lobbies         uint32 = 1 << 27
	LobbyDelete     uint32 = 1 << 28
)
