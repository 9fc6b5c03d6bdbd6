package dev

import (
	"reflect"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/dispatch"
)

// TestSent checks that "wait": "none" never shows the answer of the app, however fast the app is.
func TestSent(t *testing.T) {
	t.Parallel()
	asked := []byte(`{"id":"1"}`)
	for _, tt := range []struct {
		name      string
		now, want dispatch.Outcome
	}{
		{
			"the app has answered",
			dispatch.Outcome{Result: dispatch.Answered, Interaction: asked, Messages: [][]byte{{}}, Checked: 1, Delivered: 2, Answered: time.Second},
			dispatch.Outcome{Interaction: asked, Checked: 1},
		},
		{"the app has not answered", dispatch.Outcome{Interaction: asked, Checked: 1}, dispatch.Outcome{Interaction: asked, Checked: 1}},
		{
			"the app was not asked",
			dispatch.Outcome{Result: dispatch.Failed, Detail: "offline", Answered: 1},
			dispatch.Outcome{Result: dispatch.Failed, Detail: "offline", Answered: 1},
		},
	} {
		if got := sent(tt.now); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
