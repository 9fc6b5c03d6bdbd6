package channel

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// member is a set of the members that only some types of channels have.
type member uint16

const (
	topic member = 1 << iota
	nsfw
	slowmode
	voice
	parent
	threads // the defaults of new threads
	flags
	posts
	layout
)

// takes says which members a type has, beside those of every type.
var takes = map[Type]member{
	Text:         topic | nsfw | slowmode | parent | threads | flags,
	Announcement: topic | nsfw | parent | threads | flags,
	Voice:        nsfw | slowmode | voice | parent | flags,
	Stage:        nsfw | slowmode | voice | parent,
	Category:     0,
	Directory:    nsfw | parent,
	Forum:        topic | nsfw | slowmode | parent | threads | flags | posts | layout,
	Media:        topic | nsfw | slowmode | parent | threads | flags | posts,
}

// settable are the flags that each type has.
var settable = map[Type]Flags{
	Text: Spoiler, Announcement: Spoiler, Voice: Spoiler, Forum: Spoiler | RequireTag, Media: Spoiler | RequireTag | HideMediaDownload,
}

// Guild holds the parts of a guild that limit its channels.
type Guild struct {
	News bool // the guild can have announcement channels
	Tier int  // of boosts, 0 to 3
}

// bitrates are the highest bitrates of voice channels by tier.
var bitrates = [...]int{96000, 128000, 256000, 384000}

// bitrate returns the highest bitrate of a type.
func (g Guild) bitrate(t Type) int {
	if t == Stage {
		return stageBitrate
	}
	return bitrates[min(max(g.Tier, 0), len(bitrates)-1)]
}

// Patch holds the members of a channel that a request contains; the others keep their values. Members that the type does
// not have are absent.
type Patch struct {
	Name            optional.Value[string]
	Type            optional.Value[Type]
	Position        optional.Value[int]
	Topic           optional.Value[string]
	NSFW            optional.Value[bool]
	Slowmode        optional.Value[int]
	Bitrate         optional.Value[int]
	UserLimit       optional.Value[int]
	Overwrites      optional.Value[[]permission.Overwrite]
	Parent          optional.Value[snowflake.Channel]
	Region          optional.Value[string]
	VideoQuality    optional.Value[int]
	ArchiveDuration optional.Value[int]
	ThreadSlowmode  optional.Value[int]
	Flags           optional.Value[Flags]
	Tags            optional.Value[[]Tag]
	DefaultReaction optional.Value[message.Emoji]
	SortOrder       optional.Value[int]
	ForumLayout     optional.Value[int]
}

// ReadCreate reads a request to create a channel of a guild. The error is a *jsonbody.Tree or an *apierror.Error.
func ReadCreate(body jsonbody.Value, g Guild) (Settings, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return Settings{}, t.Err()
	}
	kind := Type(jsonbody.ReadGiven(&t, body, "type", jsonbody.OneOf(creatableFor(g)...)).Or(int(Text)))
	p := readPatch(&t, body, kind, maxNewOverwrites)
	if !body.Get("name").IsSet() {
		t.At("name").Required()
	}
	if err := t.Err(); err != nil {
		return Settings{}, err
	}
	s := Settings{Type: kind}
	if takes[kind]&voice != 0 {
		s.Bitrate, s.VideoQuality = defaultBitrate, 1
	}
	s = p.Apply(s)
	return s, s.check(g)
}

// creatableFor returns the types that a request can create in a guild.
func creatableFor(g Guild) []int {
	var list []int
	for _, t := range creatable {
		if t != Announcement || g.News {
			list = append(list, int(t))
		}
	}
	return list
}

// ReadEdit reads a request to edit a channel of a guild, and returns its settings after the edit. The error is a
// *jsonbody.Tree or an *apierror.Error.
func ReadEdit(body jsonbody.Value, old Settings, g Guild) (Patch, Settings, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return Patch{}, old, t.Err()
	}
	kind := jsonbody.ReadGiven(&t, body, "type", func(t *jsonbody.Tree, v jsonbody.Value) Type {
		n, _ := jsonbody.AsWhole(t, v)
		return Type(n)
	})
	becomes := kind.Or(old.Type)
	p := readPatch(&t, body, becomes, MaxOverwrites)
	if p.Name.IsNull() {
		t.At("name").Required()
	}
	if err := t.Err(); err != nil {
		return Patch{}, old, err
	}
	if !convertible(old.Type, becomes, g) {
		return Patch{}, old, apierror.WrongChannelType
	}
	p.Type = kind
	next := p.Apply(old)
	return p, next, next.check(g)
}

// convertible reports whether a channel can change its type. Only text and announcement channels can.
func convertible(from, to Type, g Guild) bool {
	pair := []Type{Text, Announcement}
	return from == to || g.News && slices.Contains(pair, from) && slices.Contains(pair, to)
}

// readPatch reads the members that a type has.
func readPatch(t *jsonbody.Tree, body jsonbody.Value, kind Type, overwrites int) Patch {
	has := func(m member) bool { return takes[kind]&m != 0 }
	p := Patch{
		Name:     jsonbody.ReadOptional(t, body, "name", readName(kind)),
		Position: jsonbody.ReadGiven(t, body, "position", jsonbody.Int(0, 1<<31-1)),
		Overwrites: jsonbody.ReadOptional(t, body, "permission_overwrites", func(t *jsonbody.Tree, v jsonbody.Value) []permission.Overwrite {
			return readOverwrites(t, v, overwrites)
		}),
	}
	if has(topic) {
		most := maxTopic
		if kind.Posts() {
			most = maxForumTopic
		}
		p.Topic = jsonbody.ReadOptional(t, body, "topic", jsonbody.Text(0, most))
	}
	if has(nsfw) {
		p.NSFW = jsonbody.ReadOptional(t, body, "nsfw", jsonbody.Boolean)
	}
	if has(slowmode) {
		p.Slowmode = jsonbody.ReadOptional(t, body, "rate_limit_per_user", jsonbody.Int(0, maxSlowmode))
	}
	if has(parent) {
		p.Parent = jsonbody.ReadOptional(t, body, "parent_id", jsonbody.ID[snowflake.Channel])
	}
	if has(flags) {
		p.Flags = jsonbody.ReadGiven(t, body, "flags", func(t *jsonbody.Tree, v jsonbody.Value) Flags {
			n, _ := jsonbody.AsInt(t, v, 0, jsonbody.MaxInteger)
			return Flags(n) & settable[kind]
		})
	}
	if has(voice) {
		p.readVoice(t, body, kind)
	}
	if has(threads) {
		p.ArchiveDuration = jsonbody.ReadOptional(t, body, "default_auto_archive_duration", jsonbody.OneOf(ArchiveDurations...))
		p.ThreadSlowmode = jsonbody.ReadOptional(t, body, "default_thread_rate_limit_per_user", jsonbody.Int(0, maxSlowmode))
	}
	if has(posts) {
		p.Tags = jsonbody.ReadOptional(t, body, "available_tags", readTags)
		p.DefaultReaction = jsonbody.ReadOptional(t, body, "default_reaction_emoji", readReaction)
		p.SortOrder = jsonbody.ReadOptional(t, body, "default_sort_order", jsonbody.OneOf(0, 1))
	}
	if has(layout) {
		p.ForumLayout = jsonbody.ReadOptional(t, body, "default_forum_layout", jsonbody.OneOf(0, 1, 2))
	}
	return p
}

func (p *Patch) readVoice(t *jsonbody.Tree, body jsonbody.Value, kind Type) {
	users := int64(maxVoiceUsers)
	if kind == Stage {
		users = maxStageUsers
	}
	p.Bitrate = jsonbody.ReadOptional(t, body, "bitrate", jsonbody.Int(minBitrate, 1<<31-1))
	p.UserLimit = jsonbody.ReadOptional(t, body, "user_limit", jsonbody.Int(0, users))
	p.Region = jsonbody.ReadOptional(t, body, "rtc_region", jsonbody.Text(0, maxName))
	p.VideoQuality = jsonbody.ReadOptional(t, body, "video_quality_mode", jsonbody.OneOf(1, 2))
}

// readName returns a reader of names. Names of channels with text are in lower case, with hyphens instead of blanks.
func readName(kind Type) jsonbody.Reader[string] {
	return func(t *jsonbody.Tree, v jsonbody.Value) string {
		s, ok := jsonbody.AsString(t, v)
		s = strings.TrimSpace(s)
		if ok {
			jsonbody.CheckLength(t, jsonbody.Len(s), 1, maxName)
		}
		if slices.Contains([]Type{Text, Announcement, Forum, Media}, kind) {
			s = strings.ToLower(strings.Join(strings.Fields(s), "-"))
		}
		return s
	}
}

// check applies the rules about several members, and those whose errors have their own code.
func (s *Settings) check(g Guild) error {
	if takes[s.Type]&voice != 0 && s.Bitrate > g.bitrate(s.Type) {
		return apierror.BitrateTooHigh
	}
	if s.Flags.Has(Spoiler) && s.NSFW {
		var t jsonbody.Tree
		t.At("flags").Add(SpoilerNSFW, "An age-restricted channel cannot be a spoiler channel")
		return t.Err()
	}
	return checkTags(s.Tags)
}

// Apply returns s with the members of p in place of its own. Null sets the default.
func (p Patch) Apply(s Settings) Settings {
	s.Name = p.Name.Or(s.Name)
	s.Type = p.Type.Or(s.Type)
	s.Position = p.Position.Or(s.Position)
	s.Topic = p.Topic.Or(s.Topic)
	s.NSFW = p.NSFW.Or(s.NSFW)
	s.Slowmode = p.Slowmode.Or(s.Slowmode)
	s.Bitrate = orDefault(p.Bitrate, s.Bitrate, defaultBitrate)
	s.UserLimit = p.UserLimit.Or(s.UserLimit)
	s.Overwrites = p.Overwrites.Or(s.Overwrites)
	s.Parent = p.Parent.Or(s.Parent)
	s.Region = p.Region.Or(s.Region)
	s.VideoQuality = orDefault(p.VideoQuality, s.VideoQuality, 1)
	s.ArchiveDuration = p.ArchiveDuration.Or(s.ArchiveDuration)
	s.ThreadSlowmode = p.ThreadSlowmode.Or(s.ThreadSlowmode)
	s.Flags = p.Flags.Or(s.Flags)
	s.Tags = p.Tags.Or(s.Tags)
	s.DefaultReaction = p.DefaultReaction.Or(s.DefaultReaction)
	s.ForumLayout = p.ForumLayout.Or(s.ForumLayout)
	if order, ok := p.SortOrder.Get(); ok {
		s.SortOrder = &order
	} else if p.SortOrder.IsNull() {
		s.SortOrder = nil
	}
	return s
}

// orDefault is Value.Or for a member whose default is not zero.
func orDefault(v optional.Value[int], old, otherwise int) int {
	if v.IsNull() {
		return otherwise
	}
	return v.Or(old)
}
