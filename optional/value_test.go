package optional_test

import (
	"encoding/json"
	"testing"

	"github.com/bellhop/bellhop/optional"
)

func TestValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		give         optional.Value[int]
		absent, null bool
		value        int
		present      bool
		overSeven    int
	}{
		{"absent", optional.Value[int]{}, true, false, 0, false, 7},
		{"null", optional.Null[int](), false, true, 0, false, 0},
		{"value", optional.Of(3), false, false, 3, true, 3},
		{"zero value", optional.Of(0), false, false, 0, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.give.IsZero(); got != tt.absent {
				t.Errorf("IsZero() = %v, want %v", got, tt.absent)
			}
			if got := tt.give.IsNull(); got != tt.null {
				t.Errorf("IsNull() = %v, want %v", got, tt.null)
			}
			if v, ok := tt.give.Get(); v != tt.value || ok != tt.present {
				t.Errorf("Get() = %v, %v, want %v, %v", v, ok, tt.value, tt.present)
			}
			if got := tt.give.Or(7); got != tt.overSeven {
				t.Errorf("Or(7) = %v, want %v", got, tt.overSeven)
			}
		})
	}
}

func TestValueJSON(t *testing.T) {
	t.Parallel()
	type object struct {
		Member optional.Value[int] `json:"member,omitzero"`
	}
	for _, text := range []string{`{}`, `{"member":null}`, `{"member":0}`, `{"member":7}`} {
		var o object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(o)
		if err != nil || string(got) != text {
			t.Errorf("%s becomes %s, %v", text, got, err)
		}
	}
	var o object
	if err := json.Unmarshal([]byte(`{"member":"x"}`), &o); err == nil || !o.Member.IsZero() {
		t.Errorf("a string is read as %v, %v", o.Member, err)
	}
}
