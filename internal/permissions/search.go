package permissions

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of a search.
const (
	MaxResults = 25
	MaxQuery   = 100 // code points
)

// Search is a search for commands by name.
type Search struct {
	Type  command.Type
	Query string // as typed: a leading slash, case and diacritics are ignored
	Limit int    // at most MaxResults
}

// Search returns an index of the commands that a user can use in a channel and whose names match best: names that begin
// with the query, then names with a word that begins with it, then names that contain it. It compares both the name in
// the user's language and the default name. It returns ErrNoAccess when the user does not see the channel.
func (p *Picker) Search(
	ctx context.Context, user snowflake.User, channel snowflake.Channel, q Search, code locale.Code,
) ([]byte, error) {
	v, err := p.visible(ctx, user, channel)
	if err != nil {
		return nil, err
	}
	apps, err := p.allCommands(ctx, v)
	if err != nil {
		return nil, err
	}
	best := ranking{limit: min(q.Limit, MaxResults)}
	query := fold(strings.TrimPrefix(q.Query, "/"))
	for n := range apps {
		a := &apps[n]
		for j, s := range a.scopes {
			t, err := p.rendering(s, code)
			if err != nil {
				return nil, err
			}
			for i := range s.items {
				if it := &s.items[i]; it.Type != q.Type || a.hides(it) {
					continue
				}
				if m := t.names[i].match(query); m < 2*noMatch {
					best.add(hit{pick{a, j, i}, m, t.names[i].localized}, v)
				}
			}
		}
	}
	picks := make([]pick, len(best.hits))
	for i, h := range best.hits {
		picks[i] = h.pick
	}
	return p.renderIndex(picks, code, v.reader(), nil)
}

// hit is a command whose name matches.
type hit struct {
	pick

	match match
	name  string
}

func compareHits(a, b hit) int {
	return cmp.Or(
		cmp.Compare(a.match, b.match), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name),
		cmp.Compare(a.item().ID, b.item().ID),
	)
}

// ranking holds the best hits that the user can use, in order.
type ranking struct {
	limit int
	hits  []hit
}

// add adds a hit that the user can use, if it ranks high enough. The permission check comes last because most hits rank
// too low.
func (r *ranking) add(h hit, v *Invoker) {
	full := len(r.hits) == r.limit
	if full && compareHits(h, r.hits[r.limit-1]) >= 0 || !v.decide(h.appCommands, h.item()).Allowed {
		return
	}
	if full {
		r.hits = r.hits[:r.limit-1]
	}
	at, _ := slices.BinarySearchFunc(r.hits, h, compareHits)
	r.hits = slices.Insert(r.hits, at, h)
}
