package permission

import (
	"math/bits"
	"slices"
	"strconv"
)

// names holds the names of the permissions in the API, by bit number.
var names = [...]string{
	"CREATE_INSTANT_INVITE", "KICK_MEMBERS", "BAN_MEMBERS", "ADMINISTRATOR", "MANAGE_CHANNELS", "MANAGE_GUILD",
	"ADD_REACTIONS", "VIEW_AUDIT_LOG", "PRIORITY_SPEAKER", "STREAM", "VIEW_CHANNEL", "SEND_MESSAGES",
	"SEND_TTS_MESSAGES", "MANAGE_MESSAGES", "EMBED_LINKS", "ATTACH_FILES", "READ_MESSAGE_HISTORY", "MENTION_EVERYONE",
	"USE_EXTERNAL_EMOJIS", "VIEW_GUILD_INSIGHTS", "CONNECT", "SPEAK", "MUTE_MEMBERS", "DEAFEN_MEMBERS", "MOVE_MEMBERS",
	"USE_VAD", "CHANGE_NICKNAME", "MANAGE_NICKNAMES", "MANAGE_ROLES", "MANAGE_WEBHOOKS", "MANAGE_GUILD_EXPRESSIONS",
	"USE_APPLICATION_COMMANDS", "REQUEST_TO_SPEAK", "MANAGE_EVENTS", "MANAGE_THREADS", "CREATE_PUBLIC_THREADS",
	"CREATE_PRIVATE_THREADS", "USE_EXTERNAL_STICKERS", "SEND_MESSAGES_IN_THREADS", "USE_EMBEDDED_ACTIVITIES",
	"MODERATE_MEMBERS", "VIEW_CREATOR_MONETIZATION_ANALYTICS", "USE_SOUNDBOARD", "CREATE_GUILD_EXPRESSIONS",
	"CREATE_EVENTS", "USE_EXTERNAL_SOUNDS", "SEND_VOICE_MESSAGES", "", "SET_VOICE_CHANNEL_STATUS", "SEND_POLLS",
	"USE_EXTERNAL_APPS", "PIN_MESSAGES", "BYPASS_SLOWMODE",
}

// With returns b with the permission that has a name in the API, such as "VIEW_CHANNEL". It reports whether there is one.
func (b Bits) With(name string) (Bits, bool) {
	if i := slices.Index(names[:], name); i >= 0 && name != "" {
		return b | 1<<i, true
	}
	return b, false
}

// Names returns the names of the permissions in b, in the order of their bits. A bit without a name is called "bit N".
func (b Bits) Names() []string {
	list := make([]string, 0, bits.OnesCount64(uint64(b)))
	for rest := uint64(b); rest != 0; rest &= rest - 1 {
		n := bits.TrailingZeros64(rest)
		if n < len(names) && names[n] != "" {
			list = append(list, names[n])
		} else {
			list = append(list, "bit "+strconv.Itoa(n))
		}
	}
	return list
}
