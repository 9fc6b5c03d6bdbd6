// Package guild has the rules of guilds: the bodies of requests about the guild itself, its members, bans, roles, emojis
// and scheduled events, and the lists of changes in its audit log. It performs no I/O and reads no clock: callers pass in
// the current time.
package guild

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Features of guilds that rules depend on.
const (
	AnimatedBanner     = "ANIMATED_BANNER"
	AnimatedIcon       = "ANIMATED_ICON"
	Banner             = "BANNER"
	Community          = "COMMUNITY"
	Discoverable       = "DISCOVERABLE"
	EnhancedRoleColors = "ENHANCED_ROLE_COLORS"
	InvitesDisabled    = "INVITES_DISABLED"
	InviteSplash       = "INVITE_SPLASH"
	RaidAlertsDisabled = "RAID_ALERTS_DISABLED"
	RoleIcons          = "ROLE_ICONS"
)

// Limits of a guild.
const (
	minName        = 2
	maxName        = 100
	maxDescription = 300
	systemFlags    = 1<<6 - 1 // bits 0 to 5
	maxFeatures    = 100
	maxLocale      = 16
)

// WrongChannel is the code of a channel that cannot have the role that a request gives it.
const WrongChannel jsonbody.Code = "GUILD_CHANNEL_INVALID"

// Patch holds the members of a guild that a request contains; the others keep their values. Null sets the default.
type Patch struct {
	Name              optional.Value[string] // never null
	Description       optional.Value[string]
	VerificationLevel optional.Value[int]
	Notifications     optional.Value[int]
	ContentFilter     optional.Value[int]
	AFKChannel        optional.Value[snowflake.Channel]
	AFKTimeout        optional.Value[int] // seconds; never null
	SystemChannel     optional.Value[snowflake.Channel]
	SystemFlags       optional.Value[int]
	RulesChannel      optional.Value[snowflake.Channel]
	UpdatesChannel    optional.Value[snowflake.Channel]
	SafetyChannel     optional.Value[snowflake.Channel]
	Locale            optional.Value[locale.Code] // null: en-US
	ProgressBar       optional.Value[bool]
	Features          optional.Value[[]string] // all features after the edit; never null
	// Images holds the images by the name of their member: icon, splash, discovery_splash, banner and home_header. Null
	// removes an image.
	Images map[string]optional.Value[imagedata.Image]
}

// images lists the images of a guild, the feature that each needs, and the feature that an animated one needs.
var images = []struct{ key, needs, animated string }{
	{"icon", "", AnimatedIcon},
	{"splash", InviteSplash, InviteSplash},
	{"discovery_splash", Discoverable, Discoverable},
	{"banner", Banner, AnimatedBanner},
	{"home_header", "", ""},
}

// switchable lists the features that requests can change, and the operation that this is.
var switchable = map[string]permission.Operation{
	Community: permission.OpEditCommunity, Discoverable: permission.OpEditCommunity,
	InvitesDisabled: permission.OpEditGuild, RaidAlertsDisabled: permission.OpEditGuild,
}

// ReadPatch reads a request to edit a guild with features. The error is a *jsonbody.Tree or an *apierror.Error.
func ReadPatch(body jsonbody.Value, features []string) (Patch, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return Patch{}, t.Err()
	}
	id := jsonbody.ID[snowflake.Channel]
	p := Patch{
		Name:              readRequired(&t, body, "name", trimmed(minName, maxName)),
		Description:       jsonbody.ReadOptional(&t, body, "description", jsonbody.Text(0, maxDescription)),
		VerificationLevel: jsonbody.ReadOptional(&t, body, "verification_level", jsonbody.Int(0, 4)),
		Notifications:     jsonbody.ReadOptional(&t, body, "default_message_notifications", jsonbody.Int(0, 1)),
		ContentFilter:     jsonbody.ReadOptional(&t, body, "explicit_content_filter", jsonbody.Int(0, 2)),
		AFKChannel:        jsonbody.ReadOptional(&t, body, "afk_channel_id", id),
		AFKTimeout:        jsonbody.ReadGiven(&t, body, "afk_timeout", jsonbody.OneOf(60, 300, 900, 1800, 3600)),
		SystemChannel:     jsonbody.ReadOptional(&t, body, "system_channel_id", id),
		SystemFlags:       jsonbody.ReadOptional(&t, body, "system_channel_flags", jsonbody.Int(0, systemFlags)),
		RulesChannel:      jsonbody.ReadOptional(&t, body, "rules_channel_id", id),
		UpdatesChannel:    jsonbody.ReadOptional(&t, body, "public_updates_channel_id", id),
		SafetyChannel:     jsonbody.ReadOptional(&t, body, "safety_alerts_channel_id", id),
		Locale:            jsonbody.ReadOptional(&t, body, "preferred_locale", readLocale),
		ProgressBar:       jsonbody.ReadOptional(&t, body, "premium_progress_bar_enabled", jsonbody.Boolean),
		Features:          jsonbody.ReadGiven(&t, body, "features", readFeatures(features)),
	}
	unusable := p.readImages(&t, body, features)
	if err := t.Err(); err != nil {
		return Patch{}, err
	}
	return p, unusable
}

// readImages reads the images. It returns the first error that has its own code.
func (p *Patch) readImages(t *jsonbody.Tree, body jsonbody.Value, features []string) (unusable error) {
	has := func(feature string) bool { return feature == "" || slices.Contains(features, feature) }
	p.Images = map[string]optional.Value[imagedata.Image]{}
	for _, row := range images {
		v := imagedata.ReadMember(t, body, row.key, imagedata.MaxPicture, &unusable)
		if v.IsZero() {
			continue
		}
		p.Images[row.key] = v
		if im, ok := v.Get(); ok && unusable == nil && (!has(row.needs) || im.Animated && !has(row.animated)) {
			unusable = apierror.NeedsBoosts
		}
	}
	return unusable
}

// readFeatures returns a reader of the list of features. Only some can be switched; other differences are ignored.
func readFeatures(old []string) jsonbody.Reader[[]string] {
	return func(t *jsonbody.Tree, v jsonbody.Value) []string {
		items, _ := jsonbody.AsList(t, v)
		jsonbody.CheckLength(t, len(items), 0, maxFeatures)
		next := slices.Clone(old)
		for name := range switchable {
			next = slices.DeleteFunc(next, func(f string) bool { return f == name })
		}
		for i, item := range items[:min(len(items), maxFeatures)] {
			name, ok := jsonbody.AsString(t.Index(i), item)
			if _, can := switchable[name]; ok && can && !slices.Contains(next, name) {
				next = append(next, name)
			}
		}
		slices.Sort(next)
		return next
	}
}

// Operations returns the operations that the edit of a guild with features needs.
func (p Patch) Operations(old []string) []permission.Operation {
	list := []permission.Operation{permission.OpEditGuild}
	next, given := p.Features.Get()
	for name, op := range switchable {
		changed := given && slices.Contains(old, name) != slices.Contains(next, name)
		if changed && !slices.Contains(list, op) {
			list = append(list, op)
		}
	}
	return list
}

func readLocale(t *jsonbody.Tree, v jsonbody.Value) locale.Code {
	s := jsonbody.Text(0, maxLocale)(t, v)
	if !locale.Known(s) && !t.Failed() {
		t.Add(jsonbody.Choices, "Not a locale")
	}
	return s
}

// trimmed returns a reader of strings without blanks around them.
func trimmed(low, high int) jsonbody.Reader[string] {
	return func(t *jsonbody.Tree, v jsonbody.Value) string {
		s, ok := jsonbody.AsString(t, v)
		s = strings.TrimSpace(s)
		if ok {
			jsonbody.CheckLength(t, jsonbody.Len(s), low, high)
		}
		return s
	}
}

// readRequired reads a member that can be absent, but not null.
func readRequired[T any](t *jsonbody.Tree, body jsonbody.Value, key string, read jsonbody.Reader[T]) optional.Value[T] {
	v := jsonbody.ReadOptional(t, body, key, read)
	if v.IsNull() {
		t.At(key).Required()
	}
	return v
}
