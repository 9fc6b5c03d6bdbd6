package permissions

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of a search.
const (
	MaxResults = 25
	MaxQuery   = 100 // code points
)

// Search asks for commands by name.
type Search struct {
	Type  command.Type
	Query string // as typed: the slash before a name, case and diacritics make no difference
	Limit int    // at most MaxResults
}

// Search returns, in the form of an index, the commands that a person can use in a channel and whose names fit best: those
// that begin with the query, then those with a word that does, then those that hold it somewhere. Both the name in the
// person's language and the default are looked at. Who does not see the channel gets ErrNoAccess.
func (p *Picker) Search(
	ctx context.Context, user snowflake.User, channel snowflake.Channel, q Search, code locale.Code,
) ([]byte, error) {
	s, err := p.seen(ctx, user, channel)
	if err != nil {
		return nil, err
	}
	offers, err := p.offers(ctx, s)
	if err != nil {
		return nil, err
	}
	found := best{limit: min(q.Limit, MaxResults)}
	query := fold(strings.TrimPrefix(q.Query, "/"))
	for n := range offers {
		o := &offers[n]
		for j, sh := range o.shelves {
			t, err := p.inLanguage(sh.scope, sh.stock, code)
			if err != nil {
				return nil, err
			}
			for i := range sh.items {
				if it := &sh.items[i]; it.Type != q.Type || o.hides(it) {
					continue
				}
				if fit := t.names[i].fits(query); fit < 2*none {
					found.add(hit{pick{o, j, i}, fit, t.names[i].shown}, s)
				}
			}
		}
	}
	picks := make([]pick, len(found.hits))
	for i, h := range found.hits {
		picks[i] = h.pick
	}
	return p.print(picks, code, s.caller(), nil)
}

// hit is a command whose name fits.
type hit struct {
	pick

	fit   match
	shown string
}

func compareHits(a, b hit) int {
	return cmp.Or(
		cmp.Compare(a.fit, b.fit), cmp.Compare(len(a.shown), len(b.shown)), cmp.Compare(a.shown, b.shown),
		cmp.Compare(a.item().ID, b.item().ID),
	)
}

// best holds the best hits that can be used, in their order.
type best struct {
	limit int
	hits  []hit
}

// add takes a hit that can be used and is better than the last one, or for which there is room. Whether it can be used is
// asked last: of many hits few are good enough.
func (b *best) add(h hit, s *Spot) {
	full := len(b.hits) == b.limit
	if full && compareHits(h, b.hits[b.limit-1]) >= 0 || !s.may(h.offer, h.item()).Allowed {
		return
	}
	if full {
		b.hits = b.hits[:b.limit-1]
	}
	at, _ := slices.BinarySearchFunc(b.hits, h, compareHits)
	b.hits = slices.Insert(b.hits, at, h)
}
