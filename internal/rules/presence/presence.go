// Package presence has the rules for presences: what users show of themselves, and what others see of it.
package presence

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Status says whether a user is there.
type Status string

// The statuses. Others see Invisible as Offline.
const (
	Online       Status = "online"
	Idle         Status = "idle"
	DoNotDisturb Status = "dnd"
	Invisible    Status = "invisible"
	Offline      Status = "offline"
)

// Statuses returns all statuses.
func Statuses() []Status { return []Status{Online, Idle, DoNotDisturb, Invisible, Offline} }

// ErrStatus means that a status is unknown.
var ErrStatus = errors.New("unknown status")

// Presence has the status and the activities that others see. The zero Presence is that of a user who is offline.
type Presence struct {
	Status     Status     `json:"status"`
	Activities []Activity `json:"activities,omitzero"`
}

// Activity is something that a user does. Bots set only the first four fields.
type Activity struct {
	Name          string         `json:"name"`
	Type          int            `json:"type"`
	URL           *string        `json:"url,omitzero"`
	State         *string        `json:"state,omitzero"`
	CreatedAt     int64          `json:"created_at"` // milliseconds since 1970
	Details       *string        `json:"details,omitzero"`
	ApplicationID jsontext.Value `json:"application_id,omitzero"`
	Emoji         jsontext.Value `json:"emoji,omitzero"`
	Timestamps    jsontext.Value `json:"timestamps,omitzero"`
	Party         jsontext.Value `json:"party,omitzero"`
	Assets        jsontext.Value `json:"assets,omitzero"`
	Flags         jsontext.Value `json:"flags,omitzero"`
}

// The types of activities with rules of their own.
const (
	playing   = 0
	streaming = 1
	competing = 5 // the last type
)

// Bounds of a presence. What is longer is cut.
const (
	maxActivities = 5
	maxText       = 128 // characters of a name, a state and details
)

// Update has the data of Update Presence (op 3), which clients send.
type Update struct {
	Activities []Activity `json:"activities"`
	Status     Status     `json:"status"`
}

// Show returns what others see after an update. An update without a status means online. An unknown status is ErrStatus.
func (u *Update) Show(bot bool, now time.Time) (Presence, error) {
	switch {
	case u.Status != "" && !slices.Contains(Statuses(), u.Status):
		return Presence{}, ErrStatus
	case u.Status == Invisible || u.Status == Offline:
		return Presence{}, nil
	}
	p := Presence{Status: u.Status}
	if p.Status == "" {
		p.Status = Online
	}
	for _, a := range u.Activities {
		if a.Name = cut(a.Name); a.Name == "" || len(p.Activities) == maxActivities {
			continue
		}
		p.Activities = append(p.Activities, a.shown(bot, now))
	}
	return p, nil
}

// shown returns an activity as others see it.
func (a Activity) shown(bot bool, now time.Time) Activity {
	out := a
	if bot {
		out = Activity{Name: a.Name, Type: a.Type, URL: a.URL, State: a.State}
	}
	if out.Type < playing || out.Type > competing {
		out.Type = playing
	}
	if out.Type != streaming || out.URL == nil || !isStream(*out.URL) {
		out.URL = nil
	}
	out.State, out.Details, out.CreatedAt = cutOptional(out.State), cutOptional(out.Details), now.UnixMilli()
	return out
}

// isStream reports whether a URL is that of a stream: on Twitch or YouTube.
func isStream(url string) bool {
	for _, host := range []string{"twitch.tv/", "youtube.com/"} {
		if strings.HasPrefix(url, "https://"+host) || strings.HasPrefix(url, "https://www."+host) {
			return true
		}
	}
	return false
}

func cutOptional(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return new(cut(*s))
}

// cut returns the beginning of a text that is too long.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxText {
		return s
	}
	return string([]rune(s)[:maxText])
}

// IsOffline reports whether others see the user as offline.
func (p Presence) IsOffline() bool { return p.Status == "" }

// order lists the statuses by their weight: a user with several sessions has the first one of them.
var order = []Status{Online, DoNotDisturb, Idle, ""}

// Merge returns the presence of a user with several sessions: that with the strongest status. Of equal ones the first counts.
func Merge(list ...Presence) Presence {
	var best Presence
	for i := range list {
		if Stronger(&list[i], &best) {
			best = list[i]
		}
	}
	return best
}

// Stronger reports whether a presence counts more than another one of the same user.
func Stronger(p, than *Presence) bool {
	return slices.Index(order, p.Status) < slices.Index(order, than.Status)
}

// Equal reports whether others see the same.
func Equal(a, b Presence) bool {
	return a.Status == b.Status && slices.EqualFunc(a.Activities, b.Activities, Activity.equal)
}

func (a Activity) equal(b Activity) bool {
	same := func(x, y *string) bool { return x == y || x != nil && y != nil && *x == *y }
	sameValue := func(x, y jsontext.Value) bool { return string(x) == string(y) }
	return a.Name == b.Name && a.Type == b.Type && same(a.URL, b.URL) && same(a.State, b.State) && same(a.Details, b.Details) &&
		sameValue(a.ApplicationID, b.ApplicationID) && sameValue(a.Emoji, b.Emoji) && sameValue(a.Timestamps, b.Timestamps) &&
		sameValue(a.Party, b.Party) && sameValue(a.Assets, b.Assets) && sameValue(a.Flags, b.Flags)
}
