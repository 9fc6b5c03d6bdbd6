package command

import (
	"slices"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/locale"
)

// checkTypes notes options that are of another kind than the first: some hold options, the others values.
func checkTypes(t *jsonbody.Tree, list []Option) {
	known := slices.IndexFunc(list, func(o Option) bool { return o.Type != 0 })
	if known < 0 {
		return
	}
	nests := list[known].Type.Nests()
	for i := range list {
		if o := &list[i]; o.Type != 0 && o.Type.Nests() != nests {
			t.Index(i).Add(OptionTypesMixed,
				"Sub-command and sub-command group option types are mutually exclusive to all other types")
		}
	}
}

// checkOrder notes each required option that stands behind an optional one.
func checkOrder(t *jsonbody.Tree, list []Option) {
	optional := false
	for i := range list {
		switch o := &list[i]; {
		case o.Type == 0 || o.Type.Nests():
		case !o.Required:
			optional = true
		case optional:
			t.Index(i).Add(RequiredOrder, "Required options must be placed before non-required options")
		}
	}
}

// checkNames notes option names that are used twice in a list, and localized ones that are another option's name,
// its default or in the same language.
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
			_, shared := used[variant{code, name}]
			if (taken || shared) && name != o.Name && name != "" {
				addNameUsed(t.Index(i).At("name_localizations").At(string(code)), name)
			}
			used[variant{code, name}] = struct{}{}
		}
	}
}
