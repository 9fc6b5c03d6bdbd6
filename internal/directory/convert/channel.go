package convert

import (
	"cmp"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Default values of channels and threads.
const (
	defaultBitrate     = 64000
	defaultQuality     = 1    // of video: automatic
	defaultAutoArchive = 1440 // minutes; of threads of a world file
)

// withPins are the types of guild channels that show the time of their last pin.
var withPins = []int{world.TextChannel, world.AnnouncementChannel, world.ForumChannel, world.MediaChannel}

// WireChannel returns the API object of a guild channel that is not a thread. has describes its messages.
func WireChannel(c store.Channel, has store.ChannelMessages) wire.Channel {
	channel := wire.Channel{
		ID: c.ID, Type: c.Type, GuildID: c.Guild, Name: c.Name, Position: c.Position, NSFW: c.NSFW, Flags: c.Flags,
	}
	if c.Type != world.Category {
		channel.Text = &wire.Text{Topic: wire.NullString(c.Topic), LastMessageID: lastMessage(has), RateLimitPerUser: c.SlowMode}
	}
	if slices.Contains(withPins, c.Type) {
		channel.Pins = &wire.Pins{LastPin: wire.Time(has.LastPin)}
		addThreadSettings(&channel, c)
	}
	if c.Parent != 0 {
		channel.ParentID = &c.Parent
	}
	for _, o := range c.Overwrites {
		channel.PermissionOverwrites = append(channel.PermissionOverwrites, wire.Overwrite(o))
	}
	if c.Type == world.VoiceChannel || c.Type == world.StageChannel {
		channel.Voice = wireVoice(c.Voice)
	}
	return channel
}

// lastMessage returns the id of the last message of a channel, nil for none.
func lastMessage(has store.ChannelMessages) *snowflake.Message {
	if has.Last == 0 {
		return nil
	}
	return &has.Last
}

// wireVoice returns the members of a voice channel. v is nil for the defaults.
func wireVoice(v *store.Voice) *wire.Voice {
	if v == nil {
		v = &store.Voice{}
	}
	return &wire.Voice{
		Bitrate: cmp.Or(v.Bitrate, defaultBitrate), UserLimit: v.UserLimit, RTCRegion: wire.NullString(v.Region),
		Quality: cmp.Or(v.Quality, defaultQuality),
	}
}

// addThreadSettings adds the settings for the threads of a channel, and those of a forum.
func addThreadSettings(shown *wire.Channel, c store.Channel) {
	settings := cmp.Or(c.Forum, &store.Forum{})
	posts := c.Type == world.ForumChannel || c.Type == world.MediaChannel
	shown.AutoArchive = settings.AutoArchive
	if posts || settings.SlowMode != 0 {
		shown.ThreadSlowMode = &settings.SlowMode
	}
	if !posts {
		return
	}
	shown.Forum = &wire.Forum{AvailableTags: []wire.ForumTag{}, DefaultSortOrder: settings.SortOrder}
	for _, tag := range settings.Tags {
		shown.AvailableTags = append(shown.AvailableTags, wire.ForumTag{
			ID: tag.ID, Name: tag.Name, Moderated: tag.Moderated, ForumEmoji: wireForumEmoji(tag.Emoji),
		})
	}
	if settings.Reaction != nil {
		shown.DefaultReactionEmoji = new(wireForumEmoji(settings.Reaction))
	}
	if c.Type == world.ForumChannel {
		shown.ForumLayout = &wire.ForumLayout{DefaultForumLayout: settings.Layout}
	}
}

func wireForumEmoji(e *store.Emoji) (shown wire.ForumEmoji) {
	switch {
	case e == nil:
	case e.ID != 0:
		shown.EmojiID = &e.ID
	default:
		shown.EmojiName = wire.NullString(e.Name)
	}
	return shown
}

// maxShownMembers is the largest number of members that the object of a thread shows.
const maxShownMembers = 50

// WireThread returns the API object of a thread with a number of members. A thread of a world file has no creator: owner, who
// is the guild's, stands for the creator.
func WireThread(c store.Channel, owner snowflake.User, members int, has store.ChannelMessages) wire.Thread {
	t := wire.Thread{
		ID: c.ID, Type: c.Type, GuildID: c.Guild, ParentID: c.Parent, OwnerID: cmp.Or(c.Owner, owner), Name: c.Name,
		RateLimitPerUser: c.SlowMode, MemberCount: min(members, maxShownMembers), MessageCount: has.Count, TotalMessageSent: has.Sent,
		Metadata: WireThreadMetadata(c.ID, c.Type, c.Archived, c.Thread), Flags: c.Flags,
		LastMessageID: lastMessage(has), LastPin: wire.Time(has.LastPin),
	}
	if c.Thread != nil {
		t.AppliedTags = c.Thread.Tags
		if c.Thread.Starter {
			t.MessageCount, t.TotalMessageSent = max(t.MessageCount-1, 0), max(t.TotalMessageSent-1, 0)
		}
	}
	return t
}

// WireThreadMetadata returns the archive state of a thread. A thread of a world file has no state: state is nil, and the archive
// time is the creation time.
func WireThreadMetadata(id snowflake.Channel, channelType int, archived bool, state *store.Thread) wire.ThreadMetadata {
	created := wire.Time(id.Time())
	m := wire.ThreadMetadata{
		Archived: archived, AutoArchiveDuration: defaultAutoArchive, ArchiveTimestamp: created, CreateTimestamp: created,
	}
	invitable := true
	if state != nil {
		m.AutoArchiveDuration, m.ArchiveTimestamp, m.Locked = state.AutoArchive, wire.Time(state.Since), state.Locked
		invitable = state.Invitable
	}
	if channelType == world.PrivateThread {
		m.Invitable = &invitable
	}
	return m
}

// WireThreadMember returns the API object of a member of a thread.
func WireThreadMember(m store.ThreadMember) wire.ThreadMember {
	return wire.ThreadMember{ID: m.Thread, UserID: m.User, Joined: wire.Time(m.Joined)}
}

// WireDirect returns the API object of a direct message channel or a group as one of its users sees it: others are the
// recipients without that user. has describes its messages.
func WireDirect(c store.Channel, others []*store.User, has store.ChannelMessages) wire.Direct {
	direct := wire.Direct{ID: c.ID, Type: c.Type, LastMessageID: lastMessage(has), Pins: wire.Pins{LastPin: wire.Time(has.LastPin)}}
	for _, u := range others {
		direct.Recipients = append(direct.Recipients, WireUser(u))
	}
	if c.Type == wire.GroupDM {
		direct.Group = &wire.Group{Name: wire.NullString(c.Name), OwnerID: c.Owner}
	}
	return direct
}
