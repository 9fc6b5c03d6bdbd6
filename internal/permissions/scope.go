package permissions

import (
	"maps"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
)

// scopeCommands are the commands of a scope, prepared for decisions, indexes and searches. Everything except rendered
// is immutable.
type scopeCommands struct {
	scope     command.Scope
	serial    uint64 // of the registry state that they were made from
	items     []item
	localized bool // some text differs between languages

	// rendered caches the commands by language.
	rendered atomic.Pointer[map[locale.Code]*rendering]
}

// item is a command of a scope.
type item struct {
	*command.Command

	rule  permission.Command
	names locale.Map // localized names
}

// rendering is a scope in one language.
type rendering struct {
	json  []byte // the items as they appear in an index, separated by commas
	spans []span // of each item in json
	names []name // of each item
}

type span struct{ from, to int }

// emptyScope is used for every scope without commands.
var emptyScope = &scopeCommands{}

// scopeCommands returns the prepared commands of a scope.
func (p *Picker) scopeCommands(scope command.Scope, s registry.State) (*scopeCommands, error) {
	if len(s.Commands) == 0 {
		return emptyScope, nil
	}
	if cached, ok := p.scopes.get(scope); ok && cached.serial == s.Serial {
		return cached, nil
	}
	made := &scopeCommands{scope: scope, serial: s.Serial, items: make([]item, len(s.Commands))}
	for i, c := range s.Commands {
		d, err := c.Definition()
		if err != nil {
			return nil, err
		}
		made.localized = made.localized || d.Localized()
		made.items[i] = item{c, ruleOf(d), d.NameLocalizations}
	}
	const each = 256 // approximate bytes of an item; the registry holds its command
	p.scopes.put(scope, made, each*len(made.items), p.budget())
	return made, nil
}

// ruleOf returns the part of a definition that the decision needs.
func ruleOf(d command.Definition) permission.Command {
	rule := permission.Command{
		Type: uint8(d.Type), NSFW: d.NSFW, GuildScoped: d.Guild, DMPermission: !d.NoDM, Default: d.MemberPermissions,
		Launches: d.Handler == command.LaunchActivity,
	}
	if d.Contexts != nil {
		rule.Contexts = new([3]bool)
		for _, c := range d.Contexts {
			rule.Contexts[c] = true
		}
	}
	rule.IntegrationTypes.Guild = slices.Contains(d.IntegrationTypes, command.GuildInstall)
	rule.IntegrationTypes.User = slices.Contains(d.IntegrationTypes, command.UserInstall)
	return rule
}

// hasName reports whether the command has that name by default or in some language.
func (it *item) hasName(name string) bool {
	if it.Name == name {
		return true
	}
	for _, localized := range it.names {
		if localized == name {
			return true
		}
	}
	return false
}

// noPermissions ends an item for a reader without entries. The part before it is the same for all readers.
const noPermissions = `{}}`

// anyLanguage is the cache key of a text that is the same in all languages.
const anyLanguage locale.Code = "*"

// rendering returns the commands of a scope in a language.
func (p *Picker) rendering(s *scopeCommands, code locale.Code) (*rendering, error) {
	t, made, err := s.in(code)
	if made > 0 {
		p.scopes.grow(s.scope, made, p.budget())
	}
	return t, err
}

// in returns the commands in a language, and how many bytes it added to the cache.
func (s *scopeCommands) in(code locale.Code) (t *rendering, made int, err error) {
	if !s.localized {
		code = anyLanguage
	}
	old := s.rendered.Load()
	if old != nil {
		if t, ok := (*old)[code]; ok {
			return t, 0, nil
		}
	}
	if t, err = s.render(code); err != nil {
		return nil, 0, err
	}
	for ; ; old = s.rendered.Load() {
		next := map[locale.Code]*rendering{code: t}
		if old != nil {
			maps.Copy(next, *old)
		}
		if s.rendered.CompareAndSwap(old, &next) {
			return t, t.size(), nil
		}
	}
}

func (s *scopeCommands) render(code locale.Code) (*rendering, error) {
	t := &rendering{spans: make([]span, len(s.items)), names: make([]name, len(s.items))}
	for i := range s.items {
		c := s.items[i].Command
		d, err := c.Definition()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			t.json = append(t.json, ',')
		}
		from := len(t.json)
		t.json = c.AppendIndexed(t.json, &d, code)
		t.json = t.json[:len(t.json)-1]
		if c.Scope.Global() { // uses are not counted: the oldest command ranks first
			t.json = append(t.json, `,"global_popularity_rank":`...)
			t.json = strconv.AppendInt(t.json, int64(i+1), 10)
		}
		t.json = append(t.json, `,"permissions":`+noPermissions...)
		t.spans[i] = span{from, len(t.json)}
		t.names[i] = nameIn(c.Name, s.items[i].names, code)
	}
	return t, nil
}

// item returns one command as JSON.
func (t *rendering) item(i int) []byte { return t.json[t.spans[i].from:t.spans[i].to] }

func (t *rendering) size() int {
	n := cap(t.json) + len(t.spans)*16
	for i := range t.names {
		n += 48 + len(t.names[i].localized) + len(t.names[i].standard)
	}
	return n
}
