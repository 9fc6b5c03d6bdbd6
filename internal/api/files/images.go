package files

import (
	"bytes"
	"errors"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/snowflake"
)

// imageHandlers serve images, under the paths that they have on Discord's CDN.
type imageHandlers struct {
	images *images.Images
}

func (h *imageHandlers) routes() []api.Route {
	image := func(path, name, doc string) api.Route {
		return api.Route{
			Method: http.MethodGet, Path: path, Root: true, Name: "images." + name, Doc: doc, Allow: api.Everyone,
			Answer: map[int]string{200: "binary"}, Handle: h.getImage,
			Query: []api.Parameter{{Name: "size", Kind: "integer", Doc: "A power of two from 16 to 4096. The image has its own size anyway."}},
		}
	}
	standard := image("/embed/avatars/{image}", "standard", "Read an avatar for users without an image.")
	standard.Handle = h.getStandard
	emoji := image("/emojis/{image}", "emoji", "Read the image of an emoji.")
	emoji.Handle = h.getEmoji
	return []api.Route{
		emoji,
		image("/avatars/{user_id}/{image}", "avatar", "Read the avatar of a user, a bot or a webhook."),
		image("/banners/{owner_id}/{image}", "banner", "Read the banner of a user, a bot or a guild."),
		image("/icons/{guild_id}/{image}", "icon", "Read the icon of a guild."),
		image("/role-icons/{role_id}/{image}", "role_icon", "Read the icon of a role."),
		image("/splashes/{guild_id}/{image}", "splash", "Read the image of a guild behind its invites."),
		image("/discovery-splashes/{guild_id}/{image}", "discovery_splash", "Read the image of a guild in the discovery."),
		image("/home-headers/{guild_id}/{image}", "home_header", "Read the image of a guild on its home page."),
		image("/guild-events/{event_id}/{image}", "scheduled_event", "Read the image of a scheduled event."),
		image("/app-icons/{application_id}/{image}", "app_icon", "Read the icon of an application."),
		image("/guilds/{guild_id}/users/{user_id}/avatars/{image}", "member_avatar", "Read the avatar of a member of a guild."),
		image("/guilds/{guild_id}/users/{user_id}/banners/{image}", "member_banner", "Read the banner of a member of a guild."),
		standard,
	}
}

// imageExtensions are the endings of image paths. All but gif name the format that a client prefers: an image is served in its own
// format.
var imageExtensions = []string{".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif"}

// getImage sends an image.
func (h *imageHandlers) getImage(c *api.Call) error {
	place, file := path.Split(strings.TrimPrefix(c.Request.URL.Path, "/"))
	ending := path.Ext(file)
	return h.send(c, strings.TrimSuffix(place, "/"), strings.TrimSuffix(file, ending), ending)
}

// getEmoji sends the image of an emoji, whose path has no hash. An emoji of a world file has no image and gets a standard one.
func (h *imageHandlers) getEmoji(c *api.Call) error {
	file := c.Request.PathValue("image")
	ending := path.Ext(file)
	name := strings.TrimSuffix(file, ending)
	err := h.send(c, "emojis/"+name, "", ending)
	if !errors.Is(err, images.ErrUnknown) {
		return err
	}
	data, err := h.images.StandardEmoji(c.Context(), name)
	if err != nil {
		return err
	}
	if ending == ".gif" {
		return apierror.StillImage
	}
	sendStandard(c, data, name)
	return nil
}

// send sends an image.
func (h *imageHandlers) send(c *api.Call, place, hash, ending string) error {
	if !slices.Contains(imageExtensions, ending) {
		return api.ErrNotFound
	}
	if err := checkImageSize(c); err != nil {
		return err
	}
	if err := c.EnterByAddress(); err != nil {
		return err
	}
	im, err := h.images.Open(c.Context(), place, hash)
	if err != nil {
		return err
	}
	defer func() { _ = im.Close() }() // a file that was only read
	if ending == ".gif" && !strings.HasPrefix(im.Hash, "a_") {
		return apierror.StillImage
	}
	setImageHeaders(c, im.ContentType, im.Hash)
	http.ServeContent(c, c.Request, "", time.Time{}, im)
	return nil
}

// getStandard sends an avatar for users without an image.
func (h *imageHandlers) getStandard(c *api.Call) error {
	name, isPNG := strings.CutSuffix(c.Request.PathValue("image"), ".png")
	n, err := snowflake.Parse[snowflake.User](name)
	if !isPNG || err != nil && name != "0" {
		return api.ErrNotFound
	}
	data, ok := images.Standard(int(n))
	if !ok {
		return api.ErrNotFound
	}
	if err := c.EnterByAddress(); err != nil {
		return err
	}
	sendStandard(c, data, name)
	return nil
}

// sendStandard sends an image that the service draws itself.
func sendStandard(c *api.Call, data []byte, tag string) {
	setImageHeaders(c, "image/png", tag)
	http.ServeContent(c, c.Request, "", time.Time{}, bytes.NewReader(data))
}

// The sizes that clients can ask for.
const minImageSize, maxImageSize = 16, 4096

// checkImageSize checks the query parameter size.
func checkImageSize(c *api.Call) error {
	q := c.Query()
	text := q.Values.Get("size")
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < minImageSize || n > maxImageSize || n&(n-1) != 0 {
		q.At("size").NotOneOf("16", "32", "64", "128", "256", "512", "1024", "2048", "4096")
	}
	return q.Err()
}

// setImageHeaders sets the headers of an image. The hash in its path follows from its bytes, so clients may keep it for ever. Any
// user may have uploaded it, so the headers stop browsers from running it or guessing its type.
func setImageHeaders(c *api.Call, kind, tag string) {
	c.SetWriteTimeout(sendTime)
	header := c.Header()
	header.Set("Content-Type", kind)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin") // any page may show it
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Etag", `"`+tag+`"`)
}
