package interaction_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
)

// TestCallbackResponse tests the table of section 8.3 of the specification.
func TestCallbackResponse(t *testing.T) {
	t.Parallel()
	base := interaction.CallbackResponse{Interaction: 101, Type: interaction.ApplicationCommand, Channel: 10, Guild: 1}
	const head = `{"interaction":{"id":"101","type":2,`
	const tail = `"channel_id":"10","guild_id":"1"}`
	for _, tt := range []struct {
		name   string
		change func(r *interaction.CallbackResponse)
		want   string
	}{
		{"4", func(r *interaction.CallbackResponse) {
			r.Answer, r.Message, r.JSON, r.Flags = interaction.ChannelMessage, 102, []byte(`{}`), message.Ephemeral
		}, head + `"response_message_id":"102","response_message_loading":false,"response_message_ephemeral":true,` + tail + `,"resource":{"type":4,"message":{}}}`},
		{"5", func(r *interaction.CallbackResponse) {
			r.Answer, r.Message, r.JSON, r.Flags = interaction.DeferredChannelMessage, 102, []byte(`{}`), message.Loading
		}, head + `"response_message_id":"102","response_message_loading":true,"response_message_ephemeral":false,` + tail + `,"resource":{"type":5,"message":{}}}`},
		{
			"6", func(r *interaction.CallbackResponse) { r.Answer, r.Message = interaction.DeferredUpdateMessage, 6 },
			head + `"response_message_id":"6","response_message_loading":false,"response_message_ephemeral":false,` + tail + `}`,
		},
		{
			"7", func(r *interaction.CallbackResponse) {
				r.Answer, r.Message, r.JSON = interaction.UpdateMessage, 6, []byte(`{}`)
			},
			head + `"response_message_id":"6","response_message_loading":false,"response_message_ephemeral":false,` + tail + `,"resource":{"type":7,"message":{}}}`,
		},
		{"8", func(r *interaction.CallbackResponse) { r.Answer = interaction.AutocompleteResult }, head + tail + `}`},
		{"9", func(r *interaction.CallbackResponse) { r.Answer, r.Guild = interaction.OpenModal, 0 }, head + `"channel_id":"10"}}`},
		{
			"12", func(r *interaction.CallbackResponse) {
				r.Answer, r.Instance = interaction.LaunchActivity, "i-1-gc-1-10"
			},
			head + `"activity_instance_id":"i-1-gc-1-10",` + tail + `,"resource":{"type":12,"activity_instance":{"id":"i-1-gc-1-10"}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := base
			tt.change(&r)
			got := r.AppendJSON(nil)
			wantJS(t, got)
			if string(got) != tt.want {
				t.Errorf("callback %s:\n%s, want\n%s", tt.name, got, tt.want)
			}
		})
	}
}
