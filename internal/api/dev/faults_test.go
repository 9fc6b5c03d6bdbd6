package dev_test

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

func fault(t *testing.T, text string) dev.Fault {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, err := dev.ReadFault(v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func noConnections(func(snowflake.Application) bool, int) {}

// request is a request that may meet a fault.
type request struct {
	method, route string
	app           snowflake.Application
}

func (r request) fails(f *dev.Faults) bool {
	_, fails := f.NextFault(r.method, r.route, func() snowflake.Application { return r.app })
	return fails
}

func TestFaultsMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, fault string
		request     request
		want        bool
	}{
		{"everything", `{"status":500}`, request{"GET", "/lobbies", 0}, true},
		{"the method", `{"status":500,"method":"get"}`, request{"GET", "/lobbies", 0}, true},
		{"another method", `{"status":500,"method":"POST"}`, request{"GET", "/lobbies", 0}, false},
		{"the route", `{"status":500,"route":"/lobbies"}`, request{"GET", "/lobbies", 0}, true},
		{"a longer route", `{"status":500,"route":"/lobbies"}`, request{"GET", "/lobbies/{lobby_id}", 0}, false},
		{"a star", `{"status":500,"route":"/lobbies*"}`, request{"GET", "/lobbies/{lobby_id}", 0}, true},
		{"the application", `{"status":500,"application":"5"}`, request{"GET", "/lobbies", 5}, true},
		{"another application", `{"status":500,"application":"5"}`, request{"GET", "/lobbies", 6}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var f dev.Faults
			f.Add(fault(t, tt.fault), noConnections)
			if got := tt.request.fails(&f); got != tt.want {
				t.Errorf("NextFault() = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFaultsCount(t *testing.T) {
	t.Parallel()
	var f dev.Faults
	f.Add(fault(t, `{"status":500,"count":2}`), noConnections)
	var failed []bool
	for range 4 {
		failed = append(failed, request{"GET", "/x", 0}.fails(&f))
	}
	if want := []bool{true, true, false, false}; !slices.Equal(failed, want) {
		t.Errorf("failed %v, want %v", failed, want)
	}
	if list := f.List(); len(list) != 1 || list[0].Applied != 2 {
		t.Errorf("List() = %+v, want one with Applied = 2", list)
	}
	f.Clear()
	if (request{"GET", "/x", 0}).fails(&f) || len(f.List()) != 0 {
		t.Error("a request fails after Clear")
	}
}

// TestFaultsRepeat checks that the same seed makes the same requests fail, about as many as the share says.
func TestFaultsRepeat(t *testing.T) {
	t.Parallel()
	run := func(text string) (failed []bool) {
		var f dev.Faults
		f.Add(fault(t, text), noConnections)
		for range 1000 {
			failed = append(failed, request{"GET", "/x", 0}.fails(&f))
		}
		return failed
	}
	first := run(`{"status":500,"share":0.3,"seed":7}`)
	if !slices.Equal(first, run(`{"status":500,"share":0.3,"seed":7}`)) {
		t.Error("the same seed makes other requests fail")
	}
	if slices.Equal(first, run(`{"status":500,"share":0.3,"seed":8}`)) {
		t.Error("another seed makes the same requests fail")
	}
	n := 0
	for _, failed := range first {
		if failed {
			n++
		}
	}
	if n < 240 || n > 360 {
		t.Errorf("%d of 1000 requests fail, want about 300", n)
	}
}

func TestFaultsDisconnect(t *testing.T) {
	t.Parallel()
	var f dev.Faults
	sessions := []snowflake.Application{0, 5, 6, 5, 5}
	var hit []snowflake.Application
	added, ok := f.Add(fault(t, `{"disconnect":4000,"application":"5","count":2}`), func(applies func(snowflake.Application) bool, code int) {
		for _, app := range sessions {
			if applies(app) {
				hit = append(hit, app)
			}
		}
		if code != 4000 {
			t.Errorf("close code %d, want 4000", code)
		}
	})
	if !ok || added.Applied != 2 || !slices.Equal(hit, []snowflake.Application{5, 5}) || len(f.List()) != 0 {
		t.Errorf("%+v closes connections of %v, want two of 5 and no fault left", added, hit)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	var f dev.Faults
	for range dev.MaxFaults {
		if _, ok := f.Add(fault(t, `{"status":500}`), noConnections); !ok {
			t.Fatal("Add() = false below MaxFaults")
		}
	}
	if _, ok := f.Add(fault(t, `{"status":500}`), noConnections); ok {
		t.Error("Add() = true above MaxFaults")
	}
}
