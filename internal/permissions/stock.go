package permissions

import (
	"maps"
	"strconv"
	"sync/atomic"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/permission"
)

// stock is the state of a scope in the form in which its commands are offered. All but its texts is immutable.
type stock struct {
	serial    uint64 // of the state that it was made from
	items     []item
	localized bool // some text differs in some language

	// texts holds the languages that have been asked for.
	texts atomic.Pointer[map[locale.Code]*text]
}

// item is a command on offer.
type item struct {
	*command.Command

	rule  permission.Command
	names locale.Map // variants of its name
}

// text is a stock in one language.
type text struct {
	blob  []byte // the items as an index shows them, with commas between
	spans []span // of each item in blob
	names []name // of each item
}

type span struct{ from, to int }

// emptyStock is that of every scope without commands.
var emptyStock = &stock{}

// stock returns the commands of a scope in the form in which they are offered.
func (p *Picker) stock(scope command.Scope, s registry.State) (*stock, error) {
	if len(s.Commands) == 0 {
		return emptyStock, nil
	}
	if kept, ok := p.stocks.get(scope); ok && kept.serial == s.Serial {
		return kept, nil
	}
	made := &stock{serial: s.Serial, items: make([]item, len(s.Commands))}
	for i, c := range s.Commands {
		d, err := command.ParseDoc(c.Doc)
		if err != nil {
			return nil, err
		}
		made.localized = made.localized || d.Localized()
		made.items[i] = item{c, ruleOf(d), d.NameLocalizations}
	}
	const each = 256 // bytes of an item, roughly; its command is the registry's
	p.stocks.put(scope, made, each*len(made.items))
	return made, nil
}

// ruleOf returns what the decision needs to know of a definition.
func ruleOf(d command.Definition) permission.Command {
	rule := permission.Command{
		Type: uint8(d.Type), NSFW: d.NSFW, GuildScoped: d.Guild, DMPermission: !d.NoDM, Default: d.MemberPermissions,
	}
	if d.Contexts != nil {
		var set permission.Contexts
		for _, c := range d.Contexts {
			set |= permission.ContextsOf(permission.Context(c))
		}
		rule.Contexts = &set
	}
	for _, t := range d.IntegrationTypes {
		rule.IntegrationTypes |= permission.GuildInstall << t
	}
	return rule
}

// noPermissions ends an item for a caller of whom no entry speaks. What comes before it is the same for all.
const noPermissions = `{}}`

// anyLanguage is under which a text is kept that reads the same in all of them.
const anyLanguage locale.Code = "*"

// in returns the stock in a language, and how many bytes were newly made for it.
func (s *stock) in(code locale.Code) (t *text, made int, err error) {
	if !s.localized {
		code = anyLanguage
	}
	old := s.texts.Load()
	if old != nil {
		if t, ok := (*old)[code]; ok {
			return t, 0, nil
		}
	}
	if t, err = s.write(code); err != nil {
		return nil, 0, err
	}
	for ; ; old = s.texts.Load() {
		next := map[locale.Code]*text{code: t}
		if old != nil {
			maps.Copy(next, *old)
		}
		if s.texts.CompareAndSwap(old, &next) {
			return t, t.size(), nil
		}
	}
}

func (s *stock) write(code locale.Code) (*text, error) {
	t := &text{spans: make([]span, len(s.items)), names: make([]name, len(s.items))}
	for i := range s.items {
		c := s.items[i].Command
		d, err := command.ParseDoc(c.Doc)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			t.blob = append(t.blob, ',')
		}
		from := len(t.blob)
		t.blob = command.AppendIndexed(t.blob, *c, d, code)
		t.blob = t.blob[:len(t.blob)-1]
		if c.Scope.Global() { // nobody counts uses: the oldest is taken to be the most popular
			t.blob = append(t.blob, `,"global_popularity_rank":`...)
			t.blob = strconv.AppendInt(t.blob, int64(i+1), 10)
		}
		t.blob = append(t.blob, `,"permissions":`+noPermissions...)
		t.spans[i] = span{from, len(t.blob)}
		t.names[i] = nameIn(c.Name, s.items[i].names, code)
	}
	return t, nil
}

func (t *text) size() int {
	n := cap(t.blob) + len(t.spans)*16
	for i := range t.names {
		n += 48 + len(t.names[i].shown) + len(t.names[i].plain)
	}
	return n
}

// inLanguage returns a stock of a scope in a language.
func (p *Picker) inLanguage(scope command.Scope, s *stock, code locale.Code) (*text, error) {
	t, made, err := s.in(code)
	if made > 0 {
		p.stocks.grow(scope, made)
	}
	return t, err
}
