package channel

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// Tag is a tag of a forum that its posts can have.
type Tag struct {
	ID        snowflake.Tag // 0: a new tag
	Name      string
	Moderated bool          // only members who can manage threads can set it
	Emoji     message.Emoji // zero: none
}

// Findings of this package.
const (
	EmojiTwice  jsonbody.Code = "CHANNEL_EMOJI_ID_AND_NAME"
	SpoilerNSFW jsonbody.Code = "CHANNEL_SPOILER_NSFW"
	BodyFile    jsonbody.Code = "INVITE_TARGET_USERS_FILE"
	Exclusive   jsonbody.Code = "QUERY_PARAMETERS_EXCLUSIVE"
	ParentFull  jsonbody.Code = "CHANNEL_PARENT_MAX_CHANNELS"
	ParentType  jsonbody.Code = "CHANNEL_PARENT_INVALID"
)

// readTags reads the tags of a forum. The number of tags is checked later, because its error has its own code.
func readTags(t *jsonbody.Tree, v jsonbody.Value) []Tag {
	items, _ := jsonbody.AsList(t, v)
	tags := make([]Tag, 0, min(len(items), maxTags+1))
	for i, item := range items[:min(len(items), maxTags+1)] {
		at := t.Index(i)
		if item, ok := jsonbody.AsItem(at, item); ok {
			tags = append(tags, Tag{
				ID:        jsonbody.ReadID[snowflake.Tag](at, item, "id", false),
				Name:      jsonbody.ReadText(at, item, "name", true, 0, maxTagName),
				Moderated: jsonbody.ReadGiven(at, item, "moderated", jsonbody.Boolean).Or(false),
				Emoji:     readEmoji(at, item),
			})
		}
	}
	return tags
}

// readEmoji reads the members emoji_id and emoji_name. At most one of them is set.
func readEmoji(t *jsonbody.Tree, v jsonbody.Value) message.Emoji {
	e := message.Emoji{ID: jsonbody.ReadID[snowflake.Emoji](t, v, "emoji_id", false)}
	name := jsonbody.ReadText(t, v, "emoji_name", false, 0, maxName)
	if e.ID != 0 && name != "" {
		t.At("emoji_name").Add(EmojiTwice, "Only one of emoji_id and emoji_name can be set")
	} else if name != "" {
		e.Name = name
	}
	return e
}

// readReaction reads the default reaction of a forum: exactly one of emoji_id and emoji_name.
func readReaction(t *jsonbody.Tree, v jsonbody.Value) message.Emoji {
	v, ok := jsonbody.AsObject(t, v)
	if !ok {
		return message.Emoji{}
	}
	e := readEmoji(t, v)
	if e == (message.Emoji{}) && !t.Failed() {
		t.At("emoji_name").Required()
	}
	return e
}

// checkTags checks the tags of a forum as a list. The error is an *apierror.Error.
func checkTags(tags []Tag) error {
	if len(tags) > maxTags {
		return apierror.TooManyTags
	}
	for i, tag := range tags {
		if slices.ContainsFunc(tags[:i], func(o Tag) bool { return o.Name == tag.Name }) {
			return apierror.TagNameTaken
		}
	}
	return nil
}

// CheckAppliedTags checks the tags of a post in a forum with settings s. old are the tags that the post already has.
// manages says that the user can manage threads. The error is an *apierror.Error.
func (s *Settings) CheckAppliedTags(applied, old []snowflake.Tag, manages bool) error {
	if s.Flags.Has(RequireTag) && len(applied) == 0 {
		return apierror.TagRequired
	}
	for _, id := range applied {
		i := slices.IndexFunc(s.Tags, func(tag Tag) bool { return tag.ID == id })
		switch {
		case i < 0:
			return apierror.UnknownTag
		case s.Tags[i].Moderated && !manages && !slices.Contains(old, id):
			return apierror.MissingPermission
		}
	}
	return nil
}
