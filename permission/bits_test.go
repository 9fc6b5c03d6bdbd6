package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
)

func TestWith(t *testing.T) {
	t.Parallel()
	for _, name := range permission.All.Names() {
		if got, ok := permission.Bits(0).With(name); !ok || len(got.Names()) != 1 || got.Names()[0] != name {
			t.Errorf("With(%s) has the names %v", name, got.Names())
		}
	}
	for _, name := range []string{"", "view_channel", "bit 47", "EVERYTHING"} {
		if got, ok := permission.ViewChannel.With(name); ok || got != permission.ViewChannel {
			t.Errorf("With(%q) = %v, %v", name, got, ok)
		}
	}
}

func TestBitNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give permission.Bits
		bit  int
	}{
		{"ADMINISTRATOR", permission.Administrator, 3},
		{"MANAGE_GUILD", permission.ManageGuild, 5},
		{"VIEW_CHANNEL", permission.ViewChannel, 10},
		{"SEND_MESSAGES", permission.SendMessages, 11},
		{"CONNECT", permission.Connect, 20},
		{"MANAGE_ROLES", permission.ManageRoles, 28},
		{"USE_APPLICATION_COMMANDS", permission.UseApplicationCommands, 31},
		{"SEND_MESSAGES_IN_THREADS", permission.SendMessagesInThreads, 38},
		{"USE_EMBEDDED_ACTIVITIES", permission.UseEmbeddedActivities, 39},
		{"MODERATE_MEMBERS", permission.ModerateMembers, 40},
		{"SEND_VOICE_MESSAGES", permission.SendVoiceMessages, 46},
		{"SET_VOICE_CHANNEL_STATUS", permission.SetVoiceChannelStatus, 48},
		{"USE_EXTERNAL_APPS", permission.UseExternalApps, 50},
		{"BYPASS_SLOWMODE", permission.BypassSlowmode, 52},
	} {
		if tt.give != 1<<tt.bit {
			t.Errorf("%s = %s, want bit %d", tt.name, tt.give, tt.bit)
		}
	}
	if permission.All.Has(1<<47) || permission.All.Has(1<<53) || !permission.All.Has(permission.BypassSlowmode) {
		t.Errorf("All = %s, want the named bits and no others", permission.All)
	}
}

func TestBitsText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give string
		ok   bool
	}{{"0", true}, {"2147486720", true}, {"18014398509481983", true}, {"", false}, {"-1", false}, {"x", false}} {
		b, err := permission.ParseBits(tt.give)
		if (err == nil) != tt.ok || (tt.ok && b.String() != tt.give) {
			t.Errorf("ParseBits(%q) = %v, %v", tt.give, b, err)
		}
		var again permission.Bits
		text, _ := b.MarshalText() // never fails
		if err := again.UnmarshalText(text); err != nil || again != b {
			t.Errorf("%v came back as %v, %v", b, again, err)
		}
	}
}
