package command

import (
	"math"
	"slices"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/permission"
)

// read returns the definition that v describes and notes everything that is wrong with it. given is what the request
// itself said: of a new command all of v, of a change only the members that it named. env is in its normal form.
func read(t *jsonbody.Tree, given, v jsonbody.Value, env Env) Definition {
	d := Definition{Guild: env.Guild}
	d.readType(t, v, env)
	d.readTexts(t, v)
	d.readOptions(t, v)
	d.readPermissions(t, given, v)
	d.readPlaces(t, given, v, env)
	d.NSFW = flag(t, v, "nsfw", false)
	d.readHandler(t, v)
	if d.Type == ChatInput && !d.fits() {
		t.Add(TooLarge, "Command exceeds maximum size (8000)")
	}
	return d
}

// flag reads a boolean; null and nothing stand for otherwise.
func flag(t *jsonbody.Tree, v jsonbody.Value, key string, otherwise bool) bool {
	v = v.Get(key)
	if !v.IsSet() {
		return otherwise
	}
	b, _ := jsonbody.AsBool(t.At(key), v)
	return b
}

// readType leaves the type 0 when it cannot be known; then only the rules of every type are applied.
func (d *Definition) readType(t *jsonbody.Tree, v jsonbody.Value, env Env) {
	v = v.Get("type")
	if !v.IsSet() {
		d.Type = ChatInput
		return
	}
	at := t.At("type")
	n, ok := jsonbody.AsWhole(at, v)
	switch {
	case !ok:
		return
	case n < int64(ChatInput) || n > int64(PrimaryEntryPoint):
		jsonbody.NotOneOfInts(at, ChatInput, User, Message, PrimaryEntryPoint)
		return
	}
	d.Type = Type(n)
	if d.Type == PrimaryEntryPoint && (env.Guild || !env.Embedded) {
		jsonbody.NotOneOfInts(at, ChatInput, User, Message)
	}
}

func (d *Definition) readTexts(t *jsonbody.Tree, v jsonbody.Value) {
	if d.Type == ChatInput {
		d.Name, d.NameLocalizations = chatInputName.read(t, v)
		d.Description, d.DescriptionLocalizations = description.read(t, v)
		return
	}
	d.Name, d.NameLocalizations = menuName.read(t, v)
	at := t.At(description.key)
	if text := v.Get(description.key); text.IsSet() {
		d.Description, _ = jsonbody.AsString(at, text)
	}
	d.DescriptionLocalizations = description.localizations(t, v)
	if d.Type == PrimaryEntryPoint && jsonbody.Len(d.Description) > MaxDescription {
		at.Length(-1, MaxDescription)
	}
	if d.Type != User && d.Type != Message {
		return
	}
	if d.Description != "" {
		addMenuDescription(at)
	}
	if at := t.At(description.localized); len(d.DescriptionLocalizations) > 0 && !at.Failed() {
		addMenuDescription(at)
	}
}

func (d *Definition) readOptions(t *jsonbody.Tree, v jsonbody.Value) {
	v = v.Get("options")
	if !v.IsSet() {
		return
	}
	at := t.At("options")
	if d.Type == ChatInput || d.Type == 0 {
		d.Options = readOptions(at, v, anyOption)
		return
	}
	if items, _ := jsonbody.AsList(at, v); len(items) > 0 {
		at.Add(MenuOptionsInvalid, "Context menu commands cannot have options")
	}
}

// readPermissions also lets the older flag close a command to everyone, when the request says nothing newer.
func (d *Definition) readPermissions(t *jsonbody.Tree, given, v jsonbody.Value) {
	const key, older = "default_member_permissions", "default_permission"
	if bits := v.Get(key); bits.IsSet() {
		if n, ok := jsonbody.AsInt(t.At(key), bits, 0, int64(permission.MaxBits)); ok {
			d.MemberPermissions = new(permission.Bits(n))
		}
	}
	if open := v.Get(older); open.IsSet() {
		if b, ok := jsonbody.AsBool(t.At(older), open); ok {
			d.DefaultPermission = &b
		}
	}
	closed := d.DefaultPermission != nil && !*d.DefaultPermission
	if closed && d.MemberPermissions == nil && given.Get(older).IsSet() && given.Get(key).Kind() == jsonbody.Absent {
		d.MemberPermissions = new(permission.Bits)
	}
}

// readPlaces reads where the command is offered. Commands of a guild have no such members, but clients send them; they
// are read for their faults and forgotten.
func (d *Definition) readPlaces(t *jsonbody.Tree, given, v jsonbody.Value, env Env) {
	supported := integrationTypes // by whatever the application was when the command was made
	if !env.Guild && given.Get("integration_types").IsSet() {
		supported = env.Supported
	}
	installs := readSet(t, v, "integration_types", integrationTypes, supported)
	places := readSet(t, v, "contexts", contexts, contexts)
	dm := flag(t, v, "dm_permission", true)
	if env.Guild {
		return
	}
	if places != nil && given.Get("dm_permission").Kind() != jsonbody.Absent && given.Get("contexts").Kind() == jsonbody.Absent {
		places = with(places, InBotDM, dm)
		if len(places) == 0 {
			t.At("contexts").Length(1, -1)
		}
	}
	if places != nil {
		dm = slices.Contains(places, InBotDM)
	}
	d.Contexts, d.NoDM = places, !dm
	if installs == nil {
		installs = env.Supported
	}
	d.IntegrationTypes = installs
}

// with returns an ascending set with or without a member.
func with(set []Context, c Context, in bool) []Context {
	i, found := slices.BinarySearch(set, c)
	switch {
	case in && !found:
		return slices.Insert(set, i, c)
	case !in && found:
		return slices.Delete(set, i, i+1)
	}
	return set
}

// readSet reads a list that is a set of at least one value. Nothing and null are nil.
func readSet[N ~uint8](t *jsonbody.Tree, v jsonbody.Value, key string, known, allowed []N) []N {
	v = v.Get(key)
	if !v.IsSet() {
		return nil
	}
	at := t.At(key)
	items, ok := jsonbody.AsList(at, v)
	if ok && len(items) == 0 {
		at.Length(1, -1)
	}
	return asSet(at, items, known, allowed)
}

// asSet returns the values of a list in ascending order, each once. Known are all that there are, allowed those that are
// right here. After more faults than there are values it stops: the rest would tell nothing new.
func asSet[N ~uint8](t *jsonbody.Tree, items []jsonbody.Value, known, allowed []N) []N {
	set := make([]N, 0, min(len(items), len(known)))
	faults := 0
	for i, v := range items {
		n, ok := jsonbody.AsWhole(t.Index(i), v)
		switch {
		case !ok:
			faults++
		case n < 0 || n > math.MaxUint8 || !slices.Contains(known, N(n)):
			jsonbody.NotOneOfInts(t.Index(i), known...)
			faults++
		case !slices.Contains(allowed, N(n)):
			jsonbody.NotOneOfInts(t.Index(i), allowed...)
			faults++
		default:
			if at, found := slices.BinarySearch(set, N(n)); !found {
				set = slices.Insert(set, at, N(n))
			}
		}
		if faults > len(known) {
			break
		}
	}
	return set
}

func (d *Definition) readHandler(t *jsonbody.Tree, v jsonbody.Value) {
	v = v.Get("handler")
	if d.Type != PrimaryEntryPoint {
		if v.IsSet() && d.Type != 0 {
			t.At("handler").Add(HandlerInvalid, "Handler cannot be configured for this type of command")
		}
		return
	}
	d.Handler = AppHandler
	if !v.IsSet() {
		return
	}
	at := t.At("handler")
	n, ok := jsonbody.AsWhole(at, v)
	switch {
	case !ok:
	case n != int64(AppHandler) && n != int64(LaunchActivity):
		jsonbody.NotOneOfInts(at, AppHandler, LaunchActivity)
	default:
		d.Handler = Handler(n)
	}
}
