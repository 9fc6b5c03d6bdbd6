package command

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
)

// checkTypes reports options that contain options in a list whose first option has a value, and the reverse.
func checkTypes(t *jsonbody.Tree, list []Option) {
	known := slices.IndexFunc(list, func(o Option) bool { return o.Type != 0 })
	if known < 0 {
		return
	}
	nests := list[known].Type.Nests()
	for i := range list {
		if o := &list[i]; o.Type != 0 && o.Type.Nests() != nests {
			t.Index(i).Add(optionTypesMixed,
				"Sub-command and sub-command group option types are mutually exclusive to all other types")
		}
	}
}

// checkOrder reports required options that follow an optional one.
func checkOrder(t *jsonbody.Tree, list []Option) {
	optional := false
	for i := range list {
		switch o := &list[i]; {
		case o.Type == 0 || o.Type.Nests():
		case !o.Required:
			optional = true
		case optional:
			t.Index(i).Add(requiredOrder, "Required options must be placed before non-required options")
		}
	}
}

// checkNames reports option names that occur twice in a list. It also reports a localized name that equals the default
// name of another option, or the name that the users of some locale see for an earlier option.
func checkNames(t *jsonbody.Tree, list []Option) {
	localized := false
	for i := range list {
		o := &list[i]
		localized = localized || len(o.NameLocalizations) > 0
		if o.Name != "" && slices.ContainsFunc(list[:i], func(p Option) bool { return p.Name == o.Name }) {
			addNameUsed(t.Index(i), o.Name)
		}
	}
	if localized {
		checkLocalizedNames(t, list)
	}
}

func checkLocalizedNames(t *jsonbody.Tree, list []Option) {
	type variant struct {
		locale.Code
		name string
	}
	names := make(map[string]struct{}, len(list))
	for i := range list {
		names[list[i].Name] = struct{}{}
	}
	used := map[variant]struct{}{}
	for i := range list {
		o := &list[i]
		for code, name := range o.NameLocalizations {
			_, taken := names[name]
			for _, seenIn := range [...]locale.Code{code, locale.AlsoSeenIn(o.NameLocalizations, code)} {
				_, shared := used[variant{seenIn, name}]
				taken = taken || shared
				if seenIn != "" {
					used[variant{seenIn, name}] = struct{}{}
				}
			}
			if taken && name != o.Name && name != "" {
				addNameUsed(t.Index(i).At("name_localizations").At(code), name)
			}
		}
	}
}
