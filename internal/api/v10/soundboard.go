package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// soundboardRoutes are the routes of the soundboard that libraries ask for when they start. There are no sounds.
func soundboardRoutes() []api.Route {
	return []api.Route{{
		Method: http.MethodGet, Path: "/soundboard-default-sounds", Name: "soundboard.defaults",
		Doc:   "List the default sounds of the soundboard. There are none.",
		Allow: api.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "SoundboardSounds"}, Handle: listDefaultSounds,
	}}
}

// listDefaultSounds answers with no sounds.
func listDefaultSounds(c *api.Call) error { return c.Value(http.StatusOK, []string{}) }

// listSounds answers with no sounds to a caller who sees the guild.
func (h *guildHandlers) listSounds(c *api.Call) error {
	if _, err := h.view(c); err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		Items []string `json:"items"`
	}{})
}
