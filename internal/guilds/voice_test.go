package guilds_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
)

// TestEditVoice mutes, moves and disconnects a member.
func TestEditVoice(t *testing.T) {
	t.Parallel()
	s := open(t)
	if _, err := s.EditMember(t.Context(), game, lab, 202, parse(t, `{"mute":true}`)); !errors.Is(err, apierror.NotInVoice) {
		t.Errorf("a mute without voice is %v", err)
	}
	voice := inVoice{202: 311}
	s.Voice = voice
	for _, tt := range []struct {
		body string
		want error
		in   int
	}{
		{`{"mute":true}`, nil, 311},
		{`{"deaf":true,"channel_id":"312"}`, nil, 312},
		{`{"channel_id":"310"}`, apierror.WrongChannelType, 312},
		{`{"channel_id":"999"}`, directory.ErrUnknownChannel, 312},
		{`{"channel_id":"313"}`, new(directory.DeniedError), 312},
		{`{"channel_id":null}`, nil, 0},
	} {
		m, err := s.EditMember(t.Context(), game, lab, 202, parse(t, tt.body))
		if _, denied := tt.want.(*directory.DeniedError); denied {
			_, denied = errors.AsType[*directory.DeniedError](err)
			if !denied {
				t.Errorf("%s: %v, want a refusal", tt.body, err)
			}
		} else if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.body, err, tt.want)
		}
		if err == nil && !m.Mute {
			t.Errorf("%s: the member is %+v, want a mute", tt.body, m)
		}
		if int(voice[202]) != tt.in {
			t.Errorf("%s: the member is in %v, want %d", tt.body, voice[202], tt.in)
		}
	}
	want := []string{
		`24 100 202 [{"key":"mute","old_value":false,"new_value":true}] map[] `,
		`26 100 0  map[channel_id:312 count:1] `,
		`24 100 202 [{"key":"deaf","old_value":false,"new_value":true}] map[] `,
		`27 100 0  map[count:1] `,
	}
	if got := s.log(t); !slices.Equal(got, want) {
		t.Errorf("audit log %q, want %q", got, want)
	}
}
