// Package channel has the rules of channels and threads: which settings each type has, the bodies of requests about
// channels, threads, invites and webhooks, and what archived and locked threads allow. It performs no I/O and
// reads no clock.
package channel

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Type is the type of a channel, by its number in the API.
type Type int

// The types of channels.
const (
	Text               Type = 0
	DM                 Type = 1
	Voice              Type = 2
	GroupDM            Type = 3
	Category           Type = 4
	Announcement       Type = 5
	AnnouncementThread Type = 10
	PublicThread       Type = 11
	PrivateThread      Type = 12
	Stage              Type = 13
	Directory          Type = 14
	Forum              Type = 15
	Media              Type = 16
)

// creatable are the types that a request can create.
var creatable = []Type{Text, Voice, Category, Announcement, Stage, Directory, Forum, Media}

// Thread reports whether the type is a thread.
func (t Type) Thread() bool { return t >= AnnouncementThread && t <= PrivateThread }

// Direct reports whether the type is outside of guilds.
func (t Type) Direct() bool { return t == DM || t == GroupDM }

// Posts reports whether the type has only posts: threads with a first message.
func (t Type) Posts() bool { return t == Forum || t == Media }

// Messages reports whether messages can be sent in a channel of the type.
func (t Type) Messages() bool {
	return t.Thread() || t.Direct() || slices.Contains([]Type{Text, Announcement, Voice, Stage}, t)
}

// Flags are the flags of a channel or a thread.
type Flags int

// The flags that requests can set.
const (
	Pinned            Flags = 1 << 1 // a post that stays at the top of its forum
	RequireTag        Flags = 1 << 4
	HideMediaDownload Flags = 1 << 15
	Spoiler           Flags = 1 << 21
)

// Has reports whether f has every flag of g.
func (f Flags) Has(g Flags) bool { return f&g == g }

// Limits of channels.
const (
	MaxPerGuild      = 500
	MaxChildren      = 50 // of a category
	MaxOverwrites    = 1000
	maxNewOverwrites = 100
	maxName          = 100
	maxTopic         = 1024
	maxForumTopic    = 4096
	maxSlowmode      = 21600
	minBitrate       = 8000
	stageBitrate     = 64000
	defaultBitrate   = 64000
	maxVoiceUsers    = 99
	maxStageUsers    = 10000
	maxTags          = 20
	maxTagName       = 20
)

// ArchiveDurations are the numbers of minutes without activity after which a thread can be archived.
var ArchiveDurations = []int{60, 1440, 4320, 10080}

// DefaultArchiveDuration is the number of minutes if neither the request nor the channel says another.
const DefaultArchiveDuration = 4320

// Settings are the members of a channel of a guild that requests set. A member that the type does not have is zero.
type Settings struct {
	Type            Type
	Name            string
	Position        int
	Topic           string
	NSFW            bool
	Slowmode        int // seconds
	Bitrate         int
	UserLimit       int
	Overwrites      []permission.Overwrite
	Parent          snowflake.Channel
	Region          string // empty: automatic
	VideoQuality    int
	ArchiveDuration int // default_auto_archive_duration in minutes; 0: not set
	ThreadSlowmode  int // seconds
	Flags           Flags
	Tags            []Tag
	DefaultReaction message.Emoji // zero: none
	SortOrder       *int
	ForumLayout     int
}
