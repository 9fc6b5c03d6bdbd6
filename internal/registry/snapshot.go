package registry

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// snapshot is the state of a scope. All but its renderings is immutable.
type snapshot struct {
	serial   uint64 // differs between any two snapshots with commands; 0 without commands
	quota    command.Quota
	commands []*command.Command // in ascending order of ids

	// renderings holds the lists that have been asked for, as they go on the wire.
	renderings atomic.Pointer[map[View][]byte]
}

// View says how a list is shown.
type View struct {
	// Localizations shows the dictionaries in place of the texts of one language.
	Localizations bool
	Locale        locale.Code // which language, without Localizations
	// NoEntryPoint leaves the entry point command out: that of an application whose activities are switched off.
	NoEntryPoint bool
}

// shared returns the view under which a list without any localization is kept: it reads the same in every language.
func (v View) shared() View { return View{Locale: "*", NoEntryPoint: v.NoEntryPoint} }

func (r *Registry) newSnapshot(commands []*command.Command, quota command.Quota) *snapshot {
	s := &snapshot{quota: quota, commands: commands}
	if len(commands) > 0 {
		s.serial = r.serial.Add(1)
	}
	return s
}

// readSnapshot returns the state of a scope in the store.
func (r *Registry) readSnapshot(from store.Reader, scope command.Scope) (*snapshot, error) {
	quota, err := from.Commands.Quota(scope)
	if err != nil {
		return nil, err
	}
	stored, err := from.Commands.Commands(scope)
	if err != nil {
		return nil, err
	}
	commands := make([]*command.Command, len(stored))
	for i := range stored {
		commands[i] = &stored[i]
	}
	return r.newSnapshot(commands, command.Quota{Since: quota.Since, Used: quota.Used}), nil
}

// byID returns the command of that id, or nil.
func (s *snapshot) byID(id snowflake.Command) *command.Command { return byID(s.commands, id) }

func byID(commands []*command.Command, id snowflake.Command) *command.Command {
	i, ok := slices.BinarySearchFunc(commands, id, func(c *command.Command, id snowflake.Command) int {
		switch {
		case c.ID < id:
			return -1
		case c.ID > id:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return commands[i]
}

// byName returns the command of that type and name, or nil. Scopes are small: looking at each is faster than a map.
func (s *snapshot) byName(t command.Type, name string) *command.Command {
	for _, c := range s.commands {
		if c.Type == t && c.Name == name {
			return c
		}
	}
	return nil
}

// entryPoint returns the entry point command, or nil.
func (s *snapshot) entryPoint() *command.Command {
	for _, c := range s.commands {
		if c.Type == command.PrimaryEntryPoint {
			return c
		}
	}
	return nil
}

// list returns the commands as they go on the wire, and how many bytes were newly made for it.
func (s *snapshot) list(v View) (body []byte, made int, err error) {
	if body, ok := s.rendered(v); ok {
		return body, 0, nil
	}
	body, localized, err := render(s.commands, v)
	if err != nil {
		return nil, 0, err
	}
	if !localized && !v.Localizations {
		v = v.shared()
	}
	for {
		old := s.renderings.Load()
		next := map[View][]byte{v: body}
		if old != nil {
			maps.Copy(next, *old)
		}
		if s.renderings.CompareAndSwap(old, &next) {
			return body, len(body), nil
		}
	}
}

func (s *snapshot) rendered(v View) ([]byte, bool) {
	all := s.renderings.Load()
	if all == nil {
		return nil, false
	}
	if body, ok := (*all)[v]; ok {
		return body, true
	}
	if v.Localizations {
		return nil, false
	}
	body, ok := (*all)[v.shared()]
	return body, ok
}

// render writes a list and reports whether any of its commands has a localization.
func render(commands []*command.Command, v View) (body []byte, localized bool, err error) {
	body = append(make([]byte, 0, 256*len(commands)+2), '[')
	for _, c := range commands {
		if v.NoEntryPoint && c.Type == command.PrimaryEntryPoint {
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		if v.Localizations {
			body = c.AppendJSON(body)
			continue
		}
		d, err := command.ParseDoc(c.Doc)
		if err != nil {
			return nil, false, err
		}
		localized = localized || d.Localized()
		body = command.AppendListed(body, *c, d, v.Locale)
	}
	return slices.Clip(append(body, ']')), localized, nil
}

// size is roughly what the snapshot costs in memory, without renderings.
func (s *snapshot) size() int {
	const each = 144
	n := 0
	for _, c := range s.commands {
		n += each + len(c.Name) + len(c.Doc)
	}
	return n
}
