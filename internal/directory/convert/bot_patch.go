package convert

import (
	"strings"

	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/optional"
)

// InvalidUsername is a user name that Discord does not allow.
const InvalidUsername jsonbody.Code = "USERNAME_INVALID_CONTAINS"

// Limits of the user name of a bot.
const minUsername, maxUsername = 2, 32

// forbiddenInNames lists the texts that user names cannot contain.
var forbiddenInNames = []string{"@", "#", ":", "```", "discord"}

// ReadBotPatch reads the body of a request in which a bot changes its user, and adds its problems to t. The error is that
// of an image.
func ReadBotPatch(t *jsonbody.Tree, body jsonbody.Value) (p ApplicationPatch, unusable error) {
	body, ok := jsonbody.AsObject(t, body)
	if !ok {
		return p, nil
	}
	if v := body.Get("username"); v.IsSet() {
		p.BotName = optional.Of(readUsername(t.At("username"), v))
	}
	p.BotAvatar = imagedata.ReadMember(t, body, "avatar", imagedata.MaxPicture, &unusable)
	p.BotBanner = imagedata.ReadMember(t, body, "banner", imagedata.MaxPicture, &unusable)
	return p, unusable
}

func readUsername(t *jsonbody.Tree, v jsonbody.Value) string {
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return ""
	}
	s = strings.Join(strings.Fields(s), " ")
	if n := jsonbody.Len(s); n < minUsername || n > maxUsername {
		t.Length(minUsername, maxUsername)
	}
	for _, part := range forbiddenInNames {
		if strings.Contains(strings.ToLower(s), part) {
			t.Add(InvalidUsername, `Username cannot contain "`+part+`"`)
		}
	}
	if s == "everyone" || s == "here" {
		t.Add(InvalidUsername, `Username cannot be "`+s+`"`)
	}
	return s
}
