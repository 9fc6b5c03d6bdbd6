package command

import (
	"bytes"
	"maps"
	"slices"
)

// Changes returns the members in which two definitions of a scope differ, by their names on the wire and in that order.
func Changes(before, after Definition) []string {
	var changed []string
	note := func(name string, same bool) {
		if !same {
			changed = append(changed, name)
		}
	}
	note("default_member_permissions", samePointed(before.MemberPermissions, after.MemberPermissions))
	note("default_permission", samePointed(before.DefaultPermission, after.DefaultPermission))
	note("type", before.Type == after.Type)
	note("name", before.Name == after.Name)
	note("name_localizations", maps.Equal(before.NameLocalizations, after.NameLocalizations))
	note("description", before.Description == after.Description)
	note("description_localizations", maps.Equal(before.DescriptionLocalizations, after.DescriptionLocalizations))
	if !before.Guild {
		note("dm_permission", before.NoDM == after.NoDM)
		note("contexts", slices.Equal(before.Contexts, after.Contexts))
		note("integration_types", slices.Equal(before.IntegrationTypes, after.IntegrationTypes))
	}
	note("options", bytes.Equal(docOf(before.Options), docOf(after.Options)))
	note("nsfw", before.NSFW == after.NSFW)
	note("handler", before.Handler == after.Handler)
	return changed
}

func samePointed[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// docOf returns options the way a document holds them: an option has members that its document leaves out.
func docOf(options []Option) []byte {
	var p printer
	p.options(options)
	return p.b
}
