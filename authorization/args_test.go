package authorization_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/bellhop/bellhop/authorization"
)

// field describes one field of the record by its methods. ClientID and Scopes are not optional; they count as set when
// they are not zero.
type field struct {
	name  string
	a, b  any // two values to set
	get   func(authorization.Args) (any, bool)
	set   func(*authorization.Args, any)
	clear func(*authorization.Args)
}

// text describes an optional string.
func text(
	name string,
	get func(authorization.Args) (string, bool),
	set func(*authorization.Args, string),
	unset func(*authorization.Args),
) field {
	return field{
		name: name, a: "", b: "two words", clear: unset, // the empty string counts as set
		get: func(a authorization.Args) (any, bool) { return get(a) },
		set: func(a *authorization.Args, v any) { set(a, v.(string)) },
	}
}

var fields = []field{
	{
		name: "ClientId", a: uint64(1), b: uint64(1<<64 - 1),
		get:   func(a authorization.Args) (any, bool) { return a.ClientID(), a.ClientID() != 0 },
		set:   func(a *authorization.Args, v any) { a.SetClientID(v.(uint64)) },
		clear: func(a *authorization.Args) { a.SetClientID(0) },
	},
	{
		name: "Scopes", a: "openid", b: " openid  sdk.social_layer ",
		get:   func(a authorization.Args) (any, bool) { return a.Scopes(), a.Scopes() != "" },
		set:   func(a *authorization.Args, v any) { a.SetScopes(v.(string)) },
		clear: func(a *authorization.Args) { a.SetScopes("") },
	},
	text("State", authorization.Args.State, (*authorization.Args).SetState, (*authorization.Args).ClearState),
	text("Nonce", authorization.Args.Nonce, (*authorization.Args).SetNonce, (*authorization.Args).ClearNonce),
	{
		name: "CodeChallenge", a: authorization.CodeChallenge{}, b: authorization.NewCodeVerifier().Challenge(),
		get:   func(a authorization.Args) (any, bool) { return a.CodeChallenge() },
		set:   func(a *authorization.Args, v any) { a.SetCodeChallenge(v.(authorization.CodeChallenge)) },
		clear: (*authorization.Args).ClearCodeChallenge,
	},
	{
		name: "IntegrationType", a: authorization.GuildInstall, b: authorization.UserInstall,
		get:   func(a authorization.Args) (any, bool) { return a.IntegrationType() },
		set:   func(a *authorization.Args, v any) { a.SetIntegrationType(v.(authorization.IntegrationType)) },
		clear: (*authorization.Args).ClearIntegrationType,
	},
	text("CustomSchemeParam", authorization.Args.CustomSchemeParam, (*authorization.Args).SetCustomSchemeParam, (*authorization.Args).ClearCustomSchemeParam),
}

func (f field) wantUnset(t *testing.T, when string, a authorization.Args) {
	t.Helper()
	if v, ok := f.get(a); ok {
		t.Errorf("%s: %s = %v, want unset", when, f.name, v)
	}
}

func (f field) want(t *testing.T, when string, a authorization.Args, want any) {
	t.Helper()
	if v, ok := f.get(a); !ok || v != want {
		t.Errorf("%s: %s = %v, %v, want %v", when, f.name, v, ok, want)
	}
}

// Rule of the specification: Authorization arguments record (client side). Each field has a getter and a setter; the
// record can be copied and moved, reports validity, and an uninitialized instance exists.
func TestArgsFields(t *testing.T) {
	t.Parallel()
	for _, f := range fields {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			args := authorization.NewArgs()
			f.wantUnset(t, "new", args)
			f.set(&args, f.a)
			f.want(t, "set", args, f.a)
			f.set(&args, f.b)
			f.want(t, "set again", args, f.b)
			for _, other := range fields {
				if other.name != f.name {
					other.wantUnset(t, "set "+f.name, args)
				}
			}
			f.clear(&args)
			f.wantUnset(t, "cleared", args)
			if !args.Valid() || !args.Equal(authorization.NewArgs()) {
				t.Errorf("cleared record = %v, want a new one", args)
			}
		})
	}
}

func TestArgsCopies(t *testing.T) {
	t.Parallel()
	for _, copied := range []struct {
		name string
		copy func(authorization.Args) authorization.Args
	}{
		{"assignment", func(a authorization.Args) authorization.Args { b := a; return b }},
		{"Clone", authorization.Args.Clone},
	} {
		for _, f := range fields {
			t.Run(copied.name+" of "+f.name, func(t *testing.T) {
				t.Parallel()
				first := authorization.NewArgs()
				f.set(&first, f.a)
				second := copied.copy(first)
				if !second.Equal(first) {
					t.Errorf("copy = %v, want %v", second, first)
				}
				f.set(&second, f.b)
				f.want(t, "after setting the copy, original", first, f.a)
				f.clear(&first)
				f.want(t, "after clearing the original, copy", second, f.b)
				if second.Equal(first) {
					t.Errorf("%v equals %v", second, first)
				}
			})
		}
	}
	t.Run("clone of null is null", func(t *testing.T) {
		t.Parallel()
		if authorization.NullArgs().Clone().Valid() {
			t.Error("Valid() = true, want false")
		}
	})
}

func TestArgsMove(t *testing.T) {
	t.Parallel()
	full := func() authorization.Args {
		a := authorization.NewArgs()
		for _, f := range fields {
			f.set(&a, f.b)
		}
		return a
	}
	t.Run("takes every field and leaves null", func(t *testing.T) {
		t.Parallel()
		source := full()
		target := source.Move()
		if !target.Equal(full()) {
			t.Errorf("target = %v, want %v", target, full())
		}
		if source.Valid() || !source.Equal(authorization.NullArgs()) {
			t.Errorf("source = %v, want null", source)
		}
		for _, f := range fields {
			f.wantUnset(t, "moved from", source)
		}
	})
	t.Run("onto itself keeps everything", func(t *testing.T) {
		t.Parallel()
		args := full()
		args = args.Move()
		if !args.Equal(full()) {
			t.Errorf("args = %v, want %v", args, full())
		}
	})
	t.Run("of null is null", func(t *testing.T) {
		t.Parallel()
		var null authorization.Args
		if moved := null.Move(); moved.Valid() || null.Valid() {
			t.Errorf("Move() = %v from %v, want both null", moved, null)
		}
	})
	t.Run("source is usable after assignment", func(t *testing.T) {
		t.Parallel()
		args := full()
		_ = args.Move()
		args = authorization.NewArgs()
		args.SetScopes("openid")
		if !args.Valid() || args.Scopes() != "openid" {
			t.Errorf("args = %v, want a valid record with scopes", args)
		}
	})
}

func TestArgsNull(t *testing.T) {
	t.Parallel()
	var zero authorization.Args
	if !zero.Equal(authorization.NullArgs()) || zero.Equal(authorization.NewArgs()) {
		t.Error("the zero value is not the null record")
	}
	for _, f := range fields {
		t.Run("setting "+f.name+" does nothing", func(t *testing.T) {
			t.Parallel()
			null := authorization.NullArgs()
			f.wantUnset(t, "null", null)
			f.set(&null, f.b)
			f.wantUnset(t, "null after set", null)
			f.clear(&null)
			if null.Valid() || !null.Equal(authorization.NullArgs()) {
				t.Errorf("null = %v, want null", null)
			}
		})
	}
}

// TestArgsModel applies random operations to two records and to a map for each, and compares them.
func TestArgsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var records [2]authorization.Args
		var models [2]map[string]any // nil for a null record
		which := rapid.IntRange(0, 1)
		oneField := rapid.SampledFrom(fields)
		t.Repeat(map[string]func(*rapid.T){
			"new": func(t *rapid.T) {
				i := which.Draw(t, "record")
				records[i], models[i] = authorization.NewArgs(), map[string]any{}
			},
			"set": func(t *rapid.T) {
				i, f := which.Draw(t, "record"), oneField.Draw(t, "field")
				v := rapid.SampledFrom([]any{f.a, f.b}).Draw(t, "value")
				f.set(&records[i], v)
				if models[i] != nil {
					models[i][f.name] = v
				}
			},
			"clear": func(t *rapid.T) {
				i, f := which.Draw(t, "record"), oneField.Draw(t, "field")
				f.clear(&records[i])
				delete(models[i], f.name)
			},
			"copy": func(t *rapid.T) {
				i := which.Draw(t, "record")
				records[i], models[i] = records[1-i], maps.Clone(models[1-i])
			},
			"move": func(t *rapid.T) {
				i := which.Draw(t, "record")
				records[i] = records[1-i].Move()
				models[i], models[1-i] = models[1-i], nil
			},
			"": func(t *rapid.T) {
				for i := range records {
					checkModel(t, records[i], models[i])
				}
				same := fmt.Sprint(models[0]) == fmt.Sprint(models[1]) && (models[0] == nil) == (models[1] == nil)
				if records[0].Equal(records[1]) != same {
					t.Errorf("Equal() = %v, want %v: %v, %v", !same, same, models[0], models[1])
				}
			},
		})
	})
}

func checkModel(t *rapid.T, a authorization.Args, model map[string]any) {
	if a.Valid() != (model != nil) {
		t.Errorf("Valid() = %v, model %v", a.Valid(), model)
	}
	for _, f := range fields {
		want, set := model[f.name]
		if got, ok := f.get(a); ok != set || (set && got != want) {
			t.Errorf("%s = %v, %v, want %v, %v", f.name, got, ok, want, set)
		}
	}
}

func TestArgsConcurrentReaders(t *testing.T) {
	t.Parallel()
	args, _ := communication()
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for _, f := range fields {
				f.get(args)
			}
			if !args.Clone().Equal(args) {
				t.Error("the clone differs")
			}
		})
	}
	readers.Wait()
}

func TestArgsString(t *testing.T) {
	t.Parallel()
	args := authorization.NewArgs()
	args.SetClientID(7)
	args.SetScopes("openid")
	args.SetState("hide-this-state")
	args.SetNonce("hide-this-nonce")
	args.SetIntegrationType(authorization.UserInstall)
	const want = `Args(client_id=7 scopes="openid" state nonce integration_type)`
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		if got := fmt.Sprintf(verb, args); got != want {
			t.Errorf("%s = %s, want %s", verb, got, want)
		}
		if got := fmt.Sprintf(verb, struct{ A authorization.Args }{args}); strings.Contains(got, "hide-this") {
			t.Errorf("%s of a struct shows a value: %s", verb, got)
		}
	}
	if got := authorization.NullArgs().String(); got != "Args(null)" {
		t.Errorf("String() = %s, want Args(null)", got)
	}
}

func TestIntegrationType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give  authorization.IntegrationType
		value int
		text  string
	}{
		{authorization.GuildInstall, 0, "GUILD_INSTALL"},
		{authorization.UserInstall, 1, "USER_INSTALL"},
		{authorization.IntegrationType(9), 9, "IntegrationType(9)"},
	} {
		if int(tt.give) != tt.value || tt.give.String() != tt.text {
			t.Errorf("%v = %d, want %s = %d", tt.give, int(tt.give), tt.text, tt.value)
		}
	}
}
