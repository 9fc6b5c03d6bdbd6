package snowflake_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give string
		want snowflake.User
		ok   bool
	}{
		{"0", 0, true},
		{"175928847299117063", 175928847299117063, true},
		{"9223372036854775807", snowflake.Max, true},
		{"9223372036854775808", 0, false},
		{"99999999999999999999999", 0, false},
		{"", 0, false},
		{"01", 0, false},
		{"+1", 0, false},
		{"-1", 0, false},
		{"1 ", 0, false},
		{"ping", 0, false},
		{"1.0", 0, false},
		{"१२", 0, false},
	} {
		got, err := snowflake.Parse[snowflake.User](tt.give)
		if (err == nil) != tt.ok || got != tt.want {
			t.Errorf("Parse(%q) = %v, %v, want %v, ok %v", tt.give, got, err, tt.want, tt.ok)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := snowflake.Guild(rapid.Uint64Range(0, snowflake.Max).Draw(t, "id"))
		text, err := id.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var again snowflake.Guild
		if err := again.UnmarshalText(text); err != nil || again != id {
			t.Fatalf("%v came back as %v, %v", id, again, err)
		}
	})
}

func TestTime(t *testing.T) {
	t.Parallel()
	want := time.Date(2016, 4, 30, 11, 18, 25, 796e6, time.UTC)
	if got := snowflake.User(175928847299117063).Time(); !got.Equal(want) {
		t.Errorf("Time() = %v, want %v", got, want)
	}
}
