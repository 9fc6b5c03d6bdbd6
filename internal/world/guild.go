package world

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Guild is a guild with its roles, channels, members and installs.
type Guild struct {
	ID              snowflake.Guild  `json:"id"`
	Name            string           `json:"name"`             // default: "guild-" and its id
	Owner           snowflake.User   `json:"owner"`            // default: the first user of the file
	PreferredLocale locale.Code      `json:"preferred_locale"` // default: en-US
	Everyone        *permission.Bits `json:"everyone"`         // default: everyone
	// Features are names such as COMMUNITY, ascending. nil: the stored ones stay.
	Features []string       `json:"features,omitzero"`
	Roles    []Role         `json:"roles,omitzero"`
	Channels []Channel      `json:"channels,omitzero"`
	Members  []Member       `json:"members,omitzero"`
	Installs []GuildInstall `json:"installs,omitzero"`
	Emojis   []Emoji        `json:"emojis,omitzero"`
	// ScheduledEvents are those that have not ended.
	ScheduledEvents []ScheduledEvent `json:"scheduled_events,omitzero"`
}

// everyone is the default of Guild.Everyone: the permissions of @everyone in a new server on Discord.
const everyone = permission.CreateInstantInvite | permission.AddReactions | permission.Stream | permission.ViewChannel |
	permission.SendMessages | permission.EmbedLinks | permission.AttachFiles | permission.ReadMessageHistory |
	permission.MentionEveryone | permission.UseExternalEmojis | permission.Connect | permission.Speak | permission.UseVAD |
	permission.ChangeNickname | permission.UseApplicationCommands | permission.RequestToSpeak | permission.CreatePublicThreads |
	permission.CreatePrivateThreads | permission.UseExternalStickers | permission.SendMessagesInThreads |
	permission.UseEmbeddedActivities | permission.UseSoundboard | permission.CreateGuildExpressions | permission.CreateEvents |
	permission.UseExternalSounds | permission.SendVoiceMessages | permission.SetVoiceChannelStatus | permission.SendPolls |
	permission.UseExternalApps

func (g *Guild) read(o *object) {
	g.ID = id[snowflake.Guild](o, "id")
	g.Name = o.text("name")
	g.Owner = id[snowflake.User](o, "owner")
	g.PreferredLocale = o.text("preferred_locale")
	g.Everyone = o.bits("everyone")
	if g.Features = o.texts("features", 0, maxFeatures); g.Features == nil && o.value.Get("features").IsSet() {
		g.Features = []string{}
	}
	g.Roles = list[Role](o, "roles", MaxRoles)
	g.Channels = list[Channel](o, "channels", MaxChannels)
	g.Members = list[Member](o, "members", MaxMembers)
	g.Installs = list[GuildInstall](o, "installs", MaxInstalls)
	g.Emojis = list[Emoji](o, "emojis", MaxEmojis)
	g.ScheduledEvents = list[ScheduledEvent](o, "scheduled_events", MaxScheduledEvents)
}

// Complete returns the guild with default values for absent members, or a *jsonbody.Tree with its problems.
func (g Guild) Complete() (Guild, error) { return completed(g) }

func (g *Guild) complete(t *jsonbody.Tree) {
	g.Name = cmp.Or(g.Name, "guild-"+g.ID.String())
	g.PreferredLocale = cmp.Or(g.PreferredLocale, locale.EnglishUS)
	bits := everyone
	if g.Everyone != nil {
		bits = *g.Everyone
	}
	g.Everyone = &bits
	g.Roles = clone(g.Roles)
	for i := range g.Roles {
		g.Roles[i].Position = cmp.Or(g.Roles[i].Position, i+1)
	}
	required(t, "id", g.ID != 0)
	name(t, "name", g.Name, 1, 100)
	required(t, "owner", g.Owner != 0)
	language(t, "preferred_locale", g.PreferredLocale)
	allowed(t, "everyone", bits)
	g.completeFeatures(t.At("features"))
	completeAll(t.At("roles"), &g.Roles, MaxRoles)
	completeAll(t.At("channels"), &g.Channels, MaxChannels)
	completeAll(t.At("members"), &g.Members, MaxMembers)
	completeAll(t.At("installs"), &g.Installs, MaxInstalls)
	completeAll(t.At("emojis"), &g.Emojis, MaxEmojis)
	completeAll(t.At("scheduled_events"), &g.ScheduledEvents, MaxScheduledEvents)
	g.checkParts(t)
}

// maxFeatures bounds the features of a guild, maxFeature the length of one.
const maxFeatures, maxFeature = 100, 64

// completeFeatures sorts the features and removes those that are there twice.
func (g *Guild) completeFeatures(t *jsonbody.Tree) {
	if g.Features == nil {
		return
	}
	for i, name := range g.Features {
		wrong := name == "" || len(name) > maxFeature || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != ""
		if at := t.Index(i); wrong && !at.Failed() {
			at.Add(BadText, "Must be 1 to 64 capital letters, digits and underscores, such as COMMUNITY.")
		}
	}
	g.Features = slices.Clone(g.Features)
	slices.Sort(g.Features)
	g.Features = slices.Compact(g.Features)
}

// checkParts checks the parts of the guild against the guild, and reports duplicates.
func (g *Guild) checkParts(t *jsonbody.Tree) {
	completeAllInGuild(t.At("roles"), g.ID, g.Roles)
	completeAllInGuild(t.At("channels"), g.ID, g.Channels)
	completeAllInGuild(t.At("members"), g.ID, g.Members)
	roles, channels, members, installs := seen[uint64]{}, seen[uint64]{}, seen[uint64]{}, seen[uint64]{}
	for i, r := range g.Roles {
		roles.note(uint64(r.ID), at(inRoles, i), func() *jsonbody.Tree { return t.At("roles").Index(i).At("id") })
	}
	for i, c := range g.Channels {
		channels.note(uint64(c.ID), at(inChannels, i), func() *jsonbody.Tree { return t.At("channels").Index(i).At("id") })
	}
	for i, m := range g.Members {
		members.note(uint64(m.User), at(inMembers, i),
			func() *jsonbody.Tree { return t.At("members").Index(i).At("user") })
	}
	emojis, events := seen[uint64]{}, seen[uint64]{}
	for i, e := range g.Emojis {
		emojis.note(uint64(e.ID), at(inEmojis, i), func() *jsonbody.Tree { return t.At("emojis").Index(i).At("id") })
	}
	for i, e := range g.ScheduledEvents {
		events.note(uint64(e.ID), at(inScheduledEvents, i), func() *jsonbody.Tree { return t.At("scheduled_events").Index(i).At("id") })
	}
	for i, in := range g.Installs {
		installs.note(uint64(in.Application), at(inInstalls, i),
			func() *jsonbody.Tree { return t.At("installs").Index(i).At("application") })
	}
}

// part is a record that belongs to a guild.
type part[T any] interface {
	record[T]
	// completeInGuild applies the rules that depend on the guild.
	completeInGuild(t *jsonbody.Tree, guild snowflake.Guild)
}

func completeAllInGuild[T any, P part[T]](t *jsonbody.Tree, guild snowflake.Guild, all []T) {
	for i := range all {
		P(&all[i]).completeInGuild(t.Index(i), guild)
	}
}

// completedPart returns a completed copy of a part of a guild, or a *jsonbody.Tree with its problems.
func completedPart[T any, P part[T]](r T, guild snowflake.Guild) (T, error) {
	var t jsonbody.Tree
	P(&r).complete(&t)
	P(&r).completeInGuild(&t, guild)
	if err := t.Err(); err != nil {
		var none T
		return none, err
	}
	return r, nil
}
