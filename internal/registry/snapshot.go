package registry

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// snapshot is the state of a scope. Everything except renderings is immutable.
type snapshot struct {
	serial   uint64 // differs between any two snapshots with commands; 0 without commands
	quota    Quota
	commands []*command.Command // in ascending order of ids
	counted  bool               // the number of commands is stored

	// renderings caches lists as JSON.
	renderings atomic.Pointer[map[View][]byte]
}

// View selects how a list is rendered.
type View struct {
	// Localizations includes the localization dictionaries instead of the texts of one language.
	Localizations bool
	Locale        locale.Code // the language, without Localizations
	// NoEntryPoint omits the entry point command, for applications without activities.
	NoEntryPoint bool
}

// shared returns the cache key of a list without localizations, which is the same in every language.
func (v View) shared() View { return View{Locale: "*", NoEntryPoint: v.NoEntryPoint} }

func (r *Registry) newSnapshot(commands []*command.Command, quota Quota) *snapshot {
	s := &snapshot{quota: quota, commands: commands, counted: true}
	if len(commands) > 0 {
		s.serial = r.serial.Add(1)
	}
	return s
}

// readSnapshot reads the state of a scope from the store.
func (r *Registry) readSnapshot(from store.Reader, scope command.Scope) (*snapshot, error) {
	quota, stored, err := from.Commands.Scope(scope)
	if err != nil {
		return nil, err
	}
	commands := make([]*command.Command, len(stored))
	for i := range stored {
		commands[i] = &stored[i]
	}
	s := r.newSnapshot(commands, Quota{Since: quota.Since, Used: quota.Used})
	s.counted = quota.Commands == len(commands)
	return s, nil
}

// byID returns the command with that id, or nil.
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

// byName returns the command with that type and name, or nil. Scopes are small, so a scan is faster than a map.
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

// list returns the commands as JSON, and how many bytes it added to the cache.
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

// render returns a list as JSON and reports whether any of its commands has a localization.
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
		if plain, ok := c.AppendPlain(body); ok {
			body = plain
			continue
		}
		d, err := c.Definition()
		if err != nil {
			return nil, false, err
		}
		localized = localized || d.Localized()
		body = c.AppendListed(body, &d, v.Locale)
	}
	return slices.Clip(append(body, ']')), localized, nil
}

// size returns roughly how many bytes the snapshot takes, without renderings.
func (s *snapshot) size() int {
	const each = 144
	n := 0
	for _, c := range s.commands {
		n += each + len(c.Name) + len(c.Doc)
	}
	return n
}
