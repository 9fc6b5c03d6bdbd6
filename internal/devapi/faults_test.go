package devtools_test

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

func fault(t *testing.T, text string) devtools.Fault {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, err := devtools.ReadFault(v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func nobody(func(snowflake.Application) bool, int) int { return 0 }

func asked(method, route string, app snowflake.Application) devtools.Asked {
	return devtools.Asked{Method: method, Route: route, Application: func() snowflake.Application { return app }}
}

func TestFaultsMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, fault string
		ask         devtools.Asked
		want        bool
	}{
		{"everything", `{"status":500}`, asked("GET", "/lobbies", 0), true},
		{"the method", `{"status":500,"method":"get"}`, asked("GET", "/lobbies", 0), true},
		{"another method", `{"status":500,"method":"POST"}`, asked("GET", "/lobbies", 0), false},
		{"the route", `{"status":500,"route":"/lobbies"}`, asked("GET", "/lobbies", 0), true},
		{"a longer route", `{"status":500,"route":"/lobbies"}`, asked("GET", "/lobbies/{lobby_id}", 0), false},
		{"a star", `{"status":500,"route":"/lobbies*"}`, asked("GET", "/lobbies/{lobby_id}", 0), true},
		{"the application", `{"status":500,"application":"5"}`, asked("GET", "/lobbies", 5), true},
		{"another application", `{"status":500,"application":"5"}`, asked("GET", "/lobbies", 6), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var f devtools.Faults
			f.Add(fault(t, tt.fault), nobody)
			if _, got := f.Strike(tt.ask); got != tt.want {
				t.Errorf("Strike() = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFaultsCount(t *testing.T) {
	t.Parallel()
	var f devtools.Faults
	f.Add(fault(t, `{"status":500,"count":2}`), nobody)
	var struck []bool
	for range 4 {
		_, is := f.Strike(asked("GET", "/x", 0))
		struck = append(struck, is)
	}
	if want := []bool{true, true, false, false}; !slices.Equal(struck, want) {
		t.Errorf("strikes %v, want %v", struck, want)
	}
	if list := f.List(); len(list) != 1 || list[0].Struck != 2 {
		t.Errorf("List() = %+v, want one that struck twice", list)
	}
	f.Clear()
	if _, is := f.Strike(asked("GET", "/x", 0)); is || len(f.List()) != 0 {
		t.Error("a fault that was cleared strikes")
	}
}

// TestFaultsRepeat holds that a seed strikes the same requests each time, about as many as the share says.
func TestFaultsRepeat(t *testing.T) {
	t.Parallel()
	run := func(text string) (struck []bool) {
		var f devtools.Faults
		f.Add(fault(t, text), nobody)
		for range 1000 {
			_, is := f.Strike(asked("GET", "/x", 0))
			struck = append(struck, is)
		}
		return struck
	}
	first := run(`{"status":500,"share":0.3,"seed":7}`)
	if !slices.Equal(first, run(`{"status":500,"share":0.3,"seed":7}`)) {
		t.Error("the same seed strikes other requests")
	}
	if slices.Equal(first, run(`{"status":500,"share":0.3,"seed":8}`)) {
		t.Error("another seed strikes the same requests")
	}
	n := 0
	for _, is := range first {
		if is {
			n++
		}
	}
	if n < 240 || n > 360 {
		t.Errorf("%d of 1000 are struck, want about 300", n)
	}
}

func TestFaultsDisconnect(t *testing.T) {
	t.Parallel()
	var f devtools.Faults
	sessions := []snowflake.Application{0, 5, 6, 5, 5}
	var hit []snowflake.Application
	added, ok := f.Add(fault(t, `{"disconnect":4000,"application":"5","count":2}`), func(strikes func(snowflake.Application) bool, code int) int {
		for _, app := range sessions {
			if strikes(app) {
				hit = append(hit, app)
			}
		}
		if code != 4000 {
			t.Errorf("close code %d, want 4000", code)
		}
		return len(hit)
	})
	if !ok || added.Struck != 2 || !slices.Equal(hit, []snowflake.Application{5, 5}) || len(f.List()) != 0 {
		t.Errorf("%+v strikes %v, want two sessions of 5, and nothing is left", added, hit)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	var f devtools.Faults
	for range devtools.MaxFaults {
		if _, ok := f.Add(fault(t, `{"status":500}`), nobody); !ok {
			t.Fatal("there is room")
		}
	}
	if _, ok := f.Add(fault(t, `{"status":500}`), nobody); ok {
		t.Error("there is room for ever")
	}
}
