package registry

import (
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

// replaceable returns the commands that a list can replace. A hidden entry point is not among them and stays.
func (s *snapshot) replaceable(env command.Env) []command.Command {
	list := make([]command.Command, 0, len(s.commands))
	for _, c := range s.commands {
		if c.Type != command.PrimaryEntryPoint || env.Embedded {
			list = append(list, *c)
		}
	}
	return list
}

// execute converts the changes of a list into an update of the scope and the commands in the order of the list. The new
// ids are consecutive; the new versions follow them.
func (r *Registry) execute(
	changes []command.Change, s *snapshot, scope command.Scope,
) (u update, result []*command.Command, err error) {
	creates, writes, err := r.count(changes)
	if err != nil {
		return update{}, nil, err
	}
	if u.quota, err = s.quota.Take(creates, r.DailyCreates, r.clock.Now()); err != nil {
		return update{}, nil, err
	}
	var id, version uint64
	if writes > 0 {
		id = r.ids.Run(creates + writes)
		version = id + uint64(creates)
	}
	u.put = make([]*command.Command, 0, writes)
	for _, c := range changes {
		switch {
		case c.Wanted == nil:
			u.deleted = append(u.deleted, c.Registered.ID)
			continue
		case kept(c):
			result = append(result, s.byID(c.Registered.ID))
			continue
		}
		made := &command.Command{Scope: scope, Version: snowflake.Version(version), Type: c.Wanted.Type, Doc: c.Doc, Closed: c.Wanted.Closed}
		version++
		if c.Registered != nil {
			made.ID, made.Name = c.Registered.ID, c.Registered.Name
		} else {
			made.ID = snowflake.Command(id)
			id++
		}
		if c.Registered == nil || c.Renamed() {
			made.Name = strings.Clone(c.Wanted.Name) // a substring would keep the whole body in memory
		}
		if c.Renamed() {
			u.renamed = append(u.renamed, made.ID)
		}
		result = append(result, made)
		u.put = append(u.put, made)
	}
	return u, result, nil
}

// kept reports whether a change of a list keeps the command as it is stored. The document does not show all of it.
func kept(c command.Change) bool { return c.Kept() && c.Registered.Closed == c.Wanted.Closed }

// count returns how many commands the changes create, and how many they write. It checks that the scope can hold the
// commands of the list, and that the list does not delete the entry point.
func (r *Registry) count(changes []command.Change) (creates, writes int, err error) {
	types := make([]command.Type, 0, len(changes))
	for _, c := range changes {
		if c.Wanted == nil {
			if c.Registered.Type == command.PrimaryEntryPoint {
				return 0, 0, ErrEntryPointDropped
			}
			continue
		}
		types = append(types, c.Wanted.Type)
		switch {
		case c.Registered == nil:
			creates++
			writes++
		case !kept(c):
			writes++
			r.ids.Observe(uint64(c.Registered.Version))
		}
	}
	return creates, writes, CheckCounts(types...)
}
