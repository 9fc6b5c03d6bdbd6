package permission

import (
	"errors"
	"strconv"
)

// Bits is a set of permissions. On the wire it is a decimal string.
type Bits uint64

// The permissions, each a single bit.
const (
	CreateInstantInvite Bits = 1 << iota
	KickMembers
	BanMembers
	Administrator
	ManageChannels
	ManageGuild
	AddReactions
	ViewAuditLog
	PrioritySpeaker
	Stream
	ViewChannel
	SendMessages
	SendTTSMessages
	ManageMessages
	EmbedLinks
	AttachFiles
	ReadMessageHistory
	MentionEveryone
	UseExternalEmojis
	ViewGuildInsights
	Connect
	Speak
	MuteMembers
	DeafenMembers
	MoveMembers
	UseVAD
	ChangeNickname
	ManageNicknames
	ManageRoles
	ManageWebhooks
	ManageGuildExpressions
	UseApplicationCommands
	RequestToSpeak
	ManageEvents
	ManageThreads
	CreatePublicThreads
	CreatePrivateThreads
	UseExternalStickers
	SendMessagesInThreads
	UseEmbeddedActivities
	ModerateMembers
	ViewCreatorMonetizationAnalytics
	UseSoundboard
	CreateGuildExpressions
	CreateEvents
	UseExternalSounds
	SendVoiceMessages
	_ // retired
	SetVoiceChannelStatus
	SendPolls
	UseExternalApps
	PinMessages
	BypassSlowmode
)

// MaxBits is the largest set that roles, channel overwrites and installs can have. The default_member_permissions of a
// command can be any set, also with bits that have no meaning.
const MaxBits Bits = 1<<54 - 1

// All is the set of all permissions above.
const All = (BypassSlowmode<<1 - 1) &^ (1 << 47)

var errBits = errors.New("not a permission bit set")

// ParseBits reads the decimal form of a set.
func ParseBits(s string) (Bits, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, errBits
	}
	return Bits(n), nil
}

// Has reports whether b holds every bit of p.
func (b Bits) Has(p Bits) bool { return b&p == p }

// String returns the decimal form of the set.
func (b Bits) String() string { return strconv.FormatUint(uint64(b), 10) }

// MarshalText makes Bits a JSON string.
func (b Bits) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(b), 10), nil }

// UnmarshalText reads the decimal form.
func (b *Bits) UnmarshalText(text []byte) error {
	n, err := ParseBits(string(text))
	*b = n
	return err
}
