package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// emojiHandlers serve the emojis of guilds and of applications, and the lists of stickers.
type emojiHandlers struct {
	guilds *guilds.Guilds
	images *images.Images
}

func (h *emojiHandlers) routes() []api.Route {
	const list, one = "/emojis", "/emojis/{emoji_id}"
	read := func(path, name, doc, answer string, handle func(*api.Call) error) api.Route {
		r := inGuild(http.MethodGet, path, name, doc, "", map[int]string{200: answer}, handle)
		r.Allow, r.Reason = api.Accounts, false
		return r
	}
	ofApp := func(method, path, name, doc, body string, answer map[int]string, handle func(*api.Call) error) api.Route {
		return api.Route{
			Method: method, Path: "/applications/{application_id}" + path, Name: "application.emojis." + name, Doc: doc, Body: body,
			Answer: answer, Handle: handle, Allow: api.OwnBot, Group: ratelimit.Other,
		}
	}
	return []api.Route{
		read(list, "emojis", "List the emojis of a guild.", "Emojis", h.list),
		read(one, "emoji", "Read an emoji of a guild.", "Emoji", h.get),
		inGuild(http.MethodPost, list, "emojis.create", "Create an emoji of a guild.", "NewEmoji", map[int]string{201: "Emoji"}, h.create),
		inGuild(http.MethodPatch, one, "emojis.edit", "Change an emoji of a guild.", "EmojiEdit", map[int]string{200: "Emoji"}, h.edit),
		inGuild(http.MethodDelete, one, "emojis.delete", "Delete an emoji of a guild.", "", noContent, h.delete),
		ofApp(http.MethodGet, list, "list", "List the emojis of the caller's own application.", "", map[int]string{200: "ApplicationEmojis"}, h.listOfApp),
		ofApp(http.MethodGet, one, "get", "Read an emoji of the caller's own application.", "", map[int]string{200: "Emoji"}, h.getOfApp),
		ofApp(http.MethodPost, list, "create", "Create an emoji of the caller's own application.", "NewEmoji", map[int]string{201: "Emoji"}, h.createOfApp),
		ofApp(http.MethodPatch, one, "edit", "Rename an emoji of the caller's own application.", "EmojiEdit", map[int]string{200: "Emoji"}, h.editOfApp),
		ofApp(http.MethodDelete, one, "delete", "Delete an emoji of the caller's own application.", "", noContent, h.deleteOfApp),
		read("/stickers", "stickers", "List the stickers of a guild. There are none.", "Stickers", h.listStickers),
		{
			Method: http.MethodGet, Path: "/sticker-packs", Name: "stickers.packs", Doc: "List the packs of stickers. There are none.",
			Allow: api.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "StickerPacks"}, Handle: h.listStickerPacks,
		},
	}
}

// emojiPath returns the guild and the emoji in the path of a request.
func emojiPath(c *api.Call) (guild snowflake.Guild, emoji snowflake.Emoji, err error) {
	return api.PathIDs[snowflake.Guild, snowflake.Emoji](c, "guild_id", "emoji_id")
}

func (h *emojiHandlers) list(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return c.OK(h.guilds.Emojis(c.Context(), viewerOf(c), guild))
}

func (h *emojiHandlers) get(c *api.Call) error {
	guild, id, err := emojiPath(c)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.Emoji(c.Context(), viewerOf(c), guild, id))
}

func (h *emojiHandlers) create(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadObject)
	if err != nil {
		return err
	}
	return c.Created(h.guilds.CreateEmoji(c.Context(), viewerOf(c), guild, body))
}

func (h *emojiHandlers) edit(c *api.Call) error {
	guild, id, err := emojiPath(c)
	if err != nil {
		return err
	}
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	return c.OK(h.guilds.EditEmoji(c.Context(), viewerOf(c), guild, id, body))
}

func (h *emojiHandlers) delete(c *api.Call) error {
	guild, id, err := emojiPath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.DeleteEmoji(c.Context(), viewerOf(c), guild, id))
}

func (h *emojiHandlers) listOfApp(c *api.Call) error {
	all, err := h.images.Emojis(c.Context(), c.Principal.Application)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		Items []wire.Emoji `json:"items"`
	}{all})
}

func (h *emojiHandlers) getOfApp(c *api.Call) error {
	id, err := api.PathID[snowflake.Emoji](c, "emoji_id")
	if err != nil {
		return err
	}
	return c.OK(h.images.Emoji(c.Context(), c.Principal.Application, id))
}

func (h *emojiHandlers) createOfApp(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	return c.Created(h.images.CreateEmoji(c.Context(), c.Principal.Application, body))
}

func (h *emojiHandlers) editOfApp(c *api.Call) error {
	id, body, err := api.PathBody[snowflake.Emoji](c, "emoji_id", c.ReadObject)
	if err != nil {
		return err
	}
	return c.OK(h.images.EditEmoji(c.Context(), c.Principal.Application, id, body))
}

func (h *emojiHandlers) deleteOfApp(c *api.Call) error {
	id, err := api.PathID[snowflake.Emoji](c, "emoji_id")
	if err != nil {
		return err
	}
	return c.NoContent(h.images.DeleteEmoji(c.Context(), c.Principal.Application, id))
}

// listStickers answers with no stickers to a caller who sees the guild.
func (h *emojiHandlers) listStickers(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	if _, err := h.guilds.Emojis(c.Context(), viewerOf(c), guild); err != nil {
		return err
	}
	return c.Value(http.StatusOK, []string{})
}

// listStickerPacks answers with no packs.
func (h *emojiHandlers) listStickerPacks(c *api.Call) error {
	return c.Value(http.StatusOK, struct {
		Packs []string `json:"sticker_packs"`
	}{})
}
