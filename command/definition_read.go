package command

import (
	"math"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
)

// read returns the definition in v and reports every rule that it breaks. given holds the members of the request: all
// of v for a new command, only the named members for a change. env is in normal form.
func read(t *jsonbody.Tree, given, v jsonbody.Value, env Env) Definition {
	d := Definition{Guild: env.Guild}
	d.readType(t, v, env)
	d.readTexts(t, v)
	d.readOptions(t, v)
	d.readPermissions(t, v)
	d.readAvailability(t, given, v, env)
	d.NSFW = flag(t, v, "nsfw", false)
	d.readHandler(t, v)
	if d.Type == ChatInput && !d.fits() {
		t.Add(tooLarge, "Command exceeds maximum size (8000)")
	}
	return d
}

// flag reads a boolean. If it is null or absent, flag returns otherwise.
func flag(t *jsonbody.Tree, v jsonbody.Value, key string, otherwise bool) bool {
	v = v.Get(key)
	if !v.IsSet() {
		return otherwise
	}
	b, _ := jsonbody.AsBool(t.At(key), v)
	return b
}

// readType reads the type. If it is invalid, the type stays 0, and only the rules of all types apply.
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
	if d.Type == PrimaryEntryPoint && jsonbody.Len(d.Description) > maxDescription {
		at.Length(-1, maxDescription)
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
		at.Add(menuOptionsInvalid, "Context menu commands cannot have options")
	}
}

// readPermissions reads both permission members. The deprecated default_permission means the permissions 0 if it is
// false and the definition has no other permissions: the two members never contradict each other.
func (d *Definition) readPermissions(t *jsonbody.Tree, v jsonbody.Value) {
	const key, older = "default_member_permissions", "default_permission"
	if bits := v.Get(key); bits.IsSet() {
		if n, ok := jsonbody.AsUint(t.At(key), bits); ok {
			d.MemberPermissions = new(permission.Bits(n))
		}
	}
	if open := v.Get(older); open.IsSet() {
		if b, ok := jsonbody.AsBool(t.At(older), open); ok {
			d.DefaultPermission = &b
		}
	}
	if d.MemberPermissions == nil && d.DefaultPermission != nil && !*d.DefaultPermission {
		d.MemberPermissions, d.Closed = new(permission.Bits), true
	}
}

// readAvailability reads integration_types, contexts and dm_permission. They have no effect on guild commands, which
// keep what clients send, checked by the same rules.
func (d *Definition) readAvailability(t *jsonbody.Tree, given, v jsonbody.Value, env Env) {
	supported := integrationTypes // those of a stored command were checked when it was created
	if given.Get("integration_types").IsSet() {
		supported = env.Supported
	}
	d.IntegrationTypes = readSet(t, v, "integration_types", integrationTypes, supported)
	d.Contexts = readSet(t, v, "contexts", contexts, contexts)
	d.NoDM = !flag(t, v, "dm_permission", true)
	if env.Guild {
		return
	}
	if d.Contexts != nil && given.Get("dm_permission").Kind() != jsonbody.Absent && given.Get("contexts").Kind() == jsonbody.Absent {
		d.Contexts = with(d.Contexts, InBotDM, !d.NoDM)
		if len(d.Contexts) == 0 {
			t.At("contexts").Length(1, -1)
		}
	}
	if d.Contexts != nil {
		d.NoDM = !slices.Contains(d.Contexts, InBotDM)
	}
	if d.IntegrationTypes == nil {
		d.IntegrationTypes = env.Supported
	}
}

// with returns an ascending set with c added or removed.
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

// readSet reads a list of at least one value as a set. It returns nil if the list is null or absent.
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

// asSet returns the values of a list in ascending order, without duplicates. known are all values of the type, allowed
// those that are valid here. It stops after len(known)+1 faults, because more findings do not help.
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
			t.At("handler").Add(handlerInvalid, "Handler cannot be configured for this type of command")
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
