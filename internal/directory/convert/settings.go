package convert

import (
	"reflect"

	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// ChannelSettings returns the settings of a channel that requests set.
func ChannelSettings(c *store.Channel) channel.Settings {
	s := channel.Settings{
		Type: channel.Type(c.Type), Name: c.Name, Position: c.Position, Topic: c.Topic, NSFW: c.NSFW, Slowmode: c.SlowMode,
		Parent: c.Parent, Flags: channel.Flags(c.Flags),
	}
	for _, o := range c.Overwrites {
		s.Overwrites = append(s.Overwrites, permission.Overwrite{ID: o.ID, Member: o.Type == world.MemberOverwrite, Allow: o.Allow, Deny: o.Deny})
	}
	if c.Type == world.VoiceChannel || c.Type == world.StageChannel {
		v := wireVoice(c.Voice)
		s.Bitrate, s.UserLimit, s.Region, s.VideoQuality = v.Bitrate, v.UserLimit, string(v.RTCRegion), v.Quality
	}
	if f := c.Forum; f != nil {
		s.ArchiveDuration, s.ThreadSlowmode, s.SortOrder, s.ForumLayout = f.AutoArchive, f.SlowMode, f.SortOrder, f.Layout
		s.DefaultReaction = ruleEmoji(f.Reaction)
		for _, t := range f.Tags {
			s.Tags = append(s.Tags, channel.Tag{ID: t.ID, Name: t.Name, Moderated: t.Moderated, Emoji: ruleEmoji(t.Emoji)})
		}
	}
	return s
}

// ApplySettings returns a channel with settings. newTag returns the ids of new tags. Settings that are equal to those of c give an
// equal channel.
func ApplySettings(c store.Channel, s *channel.Settings, newTag func() snowflake.Tag) store.Channel {
	c.Type, c.Name, c.Position, c.Topic, c.NSFW = int(s.Type), s.Name, s.Position, s.Topic, s.NSFW
	c.SlowMode, c.Parent, c.Flags, c.Overwrites = s.Slowmode, s.Parent, int(s.Flags), nil
	for _, o := range s.Overwrites {
		c.Overwrites = append(c.Overwrites, OverwriteRecord(o))
	}
	if s.Bitrate != 0 {
		voice := store.Voice{Bitrate: s.Bitrate, UserLimit: s.UserLimit, Region: s.Region, Quality: s.VideoQuality}
		if c.Voice != nil {
			voice.Status = c.Voice.Status
		}
		if c.Voice != nil || voice != (store.Voice{Bitrate: defaultBitrate, Quality: defaultQuality}) {
			c.Voice = &voice
		}
	}
	forum := store.Forum{
		AutoArchive: s.ArchiveDuration, SlowMode: s.ThreadSlowmode, SortOrder: s.SortOrder, Layout: s.ForumLayout,
		Reaction: emojiRecord(s.DefaultReaction),
	}
	for _, t := range s.Tags {
		if t.ID == 0 {
			t.ID = newTag()
		}
		forum.Tags = append(forum.Tags, store.ForumTag{ID: t.ID, Name: t.Name, Moderated: t.Moderated, Emoji: emojiRecord(t.Emoji)})
	}
	if c.Forum != nil || !reflect.DeepEqual(forum, store.Forum{}) {
		c.Forum = &forum
	}
	return c
}

// OverwriteRecord returns the stored form of an overwrite.
func OverwriteRecord(o permission.Overwrite) store.ChannelOverwrite {
	kind := world.RoleOverwrite
	if o.Member {
		kind = world.MemberOverwrite
	}
	return store.ChannelOverwrite{ID: o.ID, Type: kind, Allow: o.Allow, Deny: o.Deny}
}

func ruleEmoji(e *store.Emoji) message.Emoji {
	if e == nil {
		return message.Emoji{}
	}
	return message.Emoji{ID: e.ID, Name: e.Name, Animated: e.Animated}
}

func emojiRecord(e message.Emoji) *store.Emoji {
	if e == (message.Emoji{}) {
		return nil
	}
	return &store.Emoji{ID: e.ID, Name: e.Name, Animated: e.Animated}
}
