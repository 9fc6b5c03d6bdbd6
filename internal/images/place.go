package images

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Place names the use of an image: a member of a record, and the path under which the image is served.
type Place struct {
	path  string // without the hash
	of    store.Subject
	guild snowflake.Guild // 0: none
}

// The first parts of paths.
const (
	avatars   = "avatars"
	banners   = "banners"
	inGuilds  = "guilds"
	emojis    = "emojis"
	appIcons  = "app-icons"
	icons     = "icons"
	roleIcons = "role-icons"
	splashes  = "splashes"
	// discoverySplashes and homeHeaders are of guilds.
	discoverySplashes = "discovery-splashes"
	homeHeaders       = "home-headers"
	guildEvents       = "guild-events"
)

// BotAvatar is the avatar of the bot of an application.
func BotAvatar(id snowflake.Application) Place { return ofApplication(avatars, id) }

// BotBanner is the banner of the bot of an application.
func BotBanner(id snowflake.Application) Place { return ofApplication(banners, id) }

// ApplicationIcon is the icon of an application.
func ApplicationIcon(id snowflake.Application) Place { return ofApplication(appIcons, id) }

func ofApplication(kind string, id snowflake.Application) Place {
	return Place{path: kind + "/" + id.String(), of: store.ApplicationSubject(id)}
}

// WebhookAvatar is the avatar of a webhook.
func WebhookAvatar(id snowflake.Webhook) Place {
	return Place{path: avatars + "/" + id.String(), of: store.WebhookSubject(id)}
}

// MemberAvatar is the avatar of a member of a guild.
func MemberAvatar(guild snowflake.Guild, user snowflake.User) Place {
	return ofMember(avatars, guild, user)
}

// MemberBanner is the banner of a member of a guild.
func MemberBanner(guild snowflake.Guild, user snowflake.User) Place {
	return ofMember(banners, guild, user)
}

func ofMember(kind string, guild snowflake.Guild, user snowflake.User) Place {
	return Place{
		path: inGuilds + "/" + guild.String() + "/users/" + user.String() + "/" + kind, of: store.MemberSubject(guild, user), guild: guild,
	}
}

// Guild returns the place of an image of a guild by the member of the guild that shows it: icon, splash, discovery_splash, banner
// or home_header.
func Guild(id snowflake.Guild, member string) Place {
	return Place{path: ofGuild[member] + "/" + id.String(), of: store.GuildSubject(id), guild: id}
}

// ofGuild lists the first parts of the paths of the images of guilds.
var ofGuild = map[string]string{
	"icon": icons, "splash": splashes, "discovery_splash": discoverySplashes, "banner": banners, "home_header": homeHeaders,
}

// RoleIcon is the icon of a role.
func RoleIcon(r store.Role) Place {
	return Place{path: roleIcons + "/" + r.ID.String(), of: store.GuildSubject(r.Guild), guild: r.Guild}
}

// ScheduledEvent is the image of a scheduled event.
func ScheduledEvent(e store.ScheduledEvent) Place {
	return Place{path: guildEvents + "/" + e.ID.String(), of: store.ScheduledEventsSubject(e.Guild), guild: e.Guild}
}

// Emoji is the image of an emoji of a guild or of an application. Its path has no hash.
func Emoji(e store.CustomEmoji) Place {
	of := store.ApplicationSubject(e.Application)
	if e.Guild != 0 {
		of = store.GuildSubject(e.Guild)
	}
	return Place{path: emojis + "/" + e.ID.String(), of: of, guild: e.Guild}
}

// isShown reports whether the record of an image shows its hash. Unlike the queries of images, the decision that asks depends on
// that record.
func isShown(r store.Reader, im store.Image) (bool, error) {
	parts := strings.Split(im.Place, "/")
	kind, number := parts[0], parts[len(parts)-1]
	if kind == inGuilds && len(parts) == 5 {
		kind, number = kind+"/"+number, parts[3]
	}
	id, err := snowflake.Parse[snowflake.User](number)
	if err != nil {
		return false, fmt.Errorf("image at %q: %w", im.Place, store.ErrDamaged)
	}
	hash, err := shownHash(r, kind, uint64(id), im.Guild)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return hash == im.Hash, err
}

// shownHash returns the hash that a record shows.
func shownHash(r store.Reader, kind string, id uint64, guild snowflake.Guild) (string, error) {
	switch kind {
	case avatars:
		u, err := directory.ReadUser(r, snowflake.User(id))
		if err == nil {
			return u.Avatar, nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		h, err := r.Webhooks.Webhook(snowflake.Webhook(id))
		return h.Avatar, err
	case icons, splashes, discoverySplashes, homeHeaders:
		return guildHash(r, kind, snowflake.Guild(id))
	case banners:
		if guild != 0 {
			return guildHash(r, kind, guild)
		}
		u, err := directory.ReadUser(r, snowflake.User(id))
		if err != nil {
			return "", err
		}
		return u.Banner, nil
	case roleIcons:
		role, err := r.Directory.Role(guild, snowflake.Role(id))
		return role.Icon, err
	case emojis:
		e, err := r.Directory.Emoji(snowflake.Emoji(id))
		return e.Image, err
	case guildEvents:
		e, err := r.Directory.ScheduledEvent(snowflake.Event(id))
		return e.Image, err
	case appIcons:
		a, err := r.Directory.Application(snowflake.Application(id))
		return a.Icon, err
	case inGuilds + "/" + avatars:
		m, err := r.Directory.Member(guild, snowflake.User(id))
		return m.Avatar, err
	case inGuilds + "/" + banners:
		m, err := r.Directory.Member(guild, snowflake.User(id))
		return m.Banner, err
	default:
		return "", fmt.Errorf("image of a %s: %w", kind, store.ErrNotFound)
	}
}

// guildHash returns the hash that a guild shows.
func guildHash(r store.Reader, kind string, id snowflake.Guild) (string, error) {
	g, err := r.Directory.Guild(id)
	return map[string]string{
		icons: g.Icon, splashes: g.Splash, discoverySplashes: g.DiscoverySplash, banners: g.Banner, homeHeaders: g.HomeHeader,
	}[kind], err
}
