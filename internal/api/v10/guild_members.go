package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// inGuild returns a route of the moderation of a guild. Its reason is in the audit log of the guild.
func inGuild(method, path, name, doc, body string, answer map[int]string, handle func(*api.Call) error) api.Route {
	return api.Route{
		Method: method, Path: "/guilds/{guild_id}" + path, Name: "guilds." + name, Doc: doc, Body: body, Answer: answer, Handle: handle,
		Allow: api.Participants, Group: ratelimit.Other, Reason: true,
	}
}

// noContent is the answer without a body.
var noContent = map[int]string{http.StatusNoContent: ""}

func (h *moderationHandlers) memberRoutes() []api.Route {
	const member, own, role = "/members/{user_id}", "/members/@me", "/members/{user_id}/roles/{role_id}"
	add := inGuild(http.MethodPut, member, "members.add", "Add a user to a guild with an access token of the user.", "NewMember",
		map[int]string{201: "Member", 204: ""}, h.addMember)
	add.Reason = false
	return []api.Route{
		inGuild(http.MethodDelete, member, "members.kick", "Remove a member from a guild.", "", noContent, h.kick),
		inGuild(http.MethodPatch, member, "members.edit", "Change the nickname, roles and timeout of a member.", "MemberEdit",
			map[int]string{200: "Member"}, h.editMember),
		inGuild(http.MethodPatch, own, "members.edit-own", "Change the caller's own member.", "OwnMemberEdit",
			map[int]string{200: "OwnMember"}, h.editOwn),
		inGuild(http.MethodPatch, own+"/nick", "members.edit-own-nick", "Change the caller's own nickname. Older than the route without nick.",
			"OwnMemberEdit", map[int]string{200: "Nick"}, h.editOwnNick),
		inGuild(http.MethodPut, role, "members.roles.add", "Give a role to a member.", "", noContent, h.setRole(true)),
		inGuild(http.MethodDelete, role, "members.roles.remove", "Take a role from a member.", "", noContent, h.setRole(false)),
		add,
	}
}

// memberPath returns the guild and the user in the path of a request.
func memberPath(c *api.Call) (guild snowflake.Guild, user snowflake.User, err error) {
	return api.PathIDs[snowflake.Guild, snowflake.User](c, "guild_id", "user_id")
}

func (h *moderationHandlers) kick(c *api.Call) error {
	guild, user, err := memberPath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.Kick(c.Context(), viewerOf(c), guild, user))
}

func (h *moderationHandlers) editMember(c *api.Call) error {
	guild, user, err := memberPath(c)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	return c.OK(h.guilds.EditMember(c.Context(), viewerOf(c), guild, user, body))
}

func (h *moderationHandlers) editOwn(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadImages)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.EditOwn(c.Context(), viewerOf(c), guild, body))
}

func (h *moderationHandlers) editOwnNick(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadJSON)
	if err != nil {
		return err
	}
	m, err := h.guilds.EditOwn(c.Context(), viewerOf(c), guild, body)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		Nick wire.NullString `json:"nick"`
	}{m.Nick})
}

func (h *moderationHandlers) setRole(give bool) func(c *api.Call) error {
	return func(c *api.Call) error {
		guild, user, err := memberPath(c)
		if err != nil {
			return err
		}
		role, err := api.PathID[snowflake.Role](c, "role_id")
		if err != nil {
			return err
		}
		return c.NoContent(h.guilds.SetRole(c.Context(), viewerOf(c), guild, user, role, give))
	}
}

func (h *moderationHandlers) addMember(c *api.Call) error {
	guild, user, err := memberPath(c)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	m, err := h.guilds.AddMember(c.Context(), viewerOf(c), guild, user, body)
	if err != nil || m == nil {
		return c.NoContent(err)
	}
	return c.Value(http.StatusCreated, m)
}
