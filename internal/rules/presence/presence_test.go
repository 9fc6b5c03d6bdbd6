package presence_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/presence"
	"github.com/go-json-experiment/json"
)

func TestShow(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200)
	for _, tt := range []struct {
		name, update string
		bot          bool
		want         string
	}{
		{"nothing", `{}`, true, `{"status":"online"}`},
		{"no activities", `{"status":"idle","activities":null,"since":91879201,"afk":false}`, true, `{"status":"idle"}`},
		{"invisible", `{"status":"invisible","activities":[{"name":"x","type":0}]}`, false, `{"status":""}`},
		{"offline", `{"status":"offline"}`, false, `{"status":""}`},
		{"the fields of a bot", `{"activities":[{"name":"x","type":3,"state":"s","details":"d","url":"https://twitch.tv/x","emoji":{}}]}`, true, `{"status":"online","activities":[{"name":"x","type":3,"state":"s","created_at":7}]}`},
		{"the fields of a person", `{"activities":[{"name":"x","type":0,"details":"d","party":{"id":"1"}}]}`, false, `{"status":"online","activities":[{"name":"x","type":0,"created_at":7,"details":"d","party":{"id":"1"}}]}`},
		{"a stream", `{"activities":[{"name":"x","type":1,"url":"https://www.twitch.tv/x"}]}`, true, `{"status":"online","activities":[{"name":"x","type":1,"url":"https://www.twitch.tv/x","created_at":7}]}`},
		{"a stream elsewhere", `{"activities":[{"name":"x","type":1,"url":"https://example.com/twitch.tv/"}]}`, true, `{"status":"online","activities":[{"name":"x","type":1,"created_at":7}]}`},
		{"a type that does not exist", `{"activities":[{"name":"x","type":9}]}`, true, `{"status":"online","activities":[{"name":"x","type":0,"created_at":7}]}`},
		{"no name", `{"activities":[{"type":0},{"name":"x","type":0}]}`, true, `{"status":"online","activities":[{"name":"x","type":0,"created_at":7}]}`},
		{"a long name", `{"activities":[{"name":"` + long + `","type":0}]}`, true, `{"status":"online","activities":[{"name":"` + strings.Repeat("é", 128) + `","type":0,"created_at":7}]}`},
	} {
		var u presence.Update
		if err := json.Unmarshal([]byte(tt.update), &u); err != nil {
			t.Fatal(err)
		}
		p, err := u.Show(tt.bot, time.UnixMilli(7))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(p); err != nil || string(text) != tt.want {
			t.Errorf("%s: shows %s (%v), want %s", tt.name, text, err, tt.want)
		}
	}
	many := presence.Update{Activities: make([]presence.Activity, 9)}
	for i := range many.Activities {
		many.Activities[i].Name = "x"
	}
	if p, _ := many.Show(true, time.UnixMilli(7)); len(p.Activities) != 5 {
		t.Errorf("shows %d activities, want 5", len(p.Activities))
	}
	wrong := presence.Update{Status: "busy"}
	if _, err := wrong.Show(true, time.UnixMilli(7)); !errors.Is(err, presence.ErrStatus) {
		t.Errorf("an unknown status is %v", err)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	of := func(s presence.Status, activity string) presence.Presence {
		return presence.Presence{Status: s, Activities: []presence.Activity{{Name: activity}}}
	}
	got := presence.Merge(of(presence.Idle, "a"), presence.Presence{}, of(presence.Online, "b"), of(presence.Online, "c"), of(presence.DoNotDisturb, "d"))
	if !presence.Equal(got, of(presence.Online, "b")) {
		t.Errorf("Merge() = %+v, want the first that is online", got)
	}
	if presence.Equal(got, of(presence.Online, "c")) || !presence.Merge().IsOffline() {
		t.Error("other activities count as equal, or a user without sessions is not offline")
	}
}
