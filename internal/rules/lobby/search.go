package lobby

import (
	"math"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of a search.
const (
	MaxFilters  = 10
	MaxFound    = 100
	UsualFound  = 50
	CapacityKey = "max_members" // the member of the metadata that says how many members a lobby can have
)

// Filter has the conditions of a search. The zero Filter matches all lobbies.
type Filter struct {
	Equal  []Match
	Ranges []Range
	Free   int // places that are free at least
}

// Match requires a text in the metadata.
type Match struct{ Key, Value string }

// Range requires a number in the metadata.
type Range struct {
	Key       string
	Low, High float64
}

// ReadFilter reads the parameters metadata[KEY], min[KEY], max[KEY] and free of a query. It ignores others.
func ReadFilter(t *jsonbody.Tree, q map[string][]string) (f Filter) {
	ranges := map[string]int{}
	for name, values := range q {
		at := t.At(name)
		kind, key, ok := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		if !ok || !strings.HasSuffix(name, "]") {
			continue
		}
		if len(values) != 1 || kind != "metadata" && kind != "min" && kind != "max" {
			at.Add(jsonbody.ModelConvert, "Use metadata[KEY], min[KEY] or max[KEY], each once.")
			continue
		}
		if kind == "metadata" {
			f.Equal = append(f.Equal, Match{key, values[0]})
			continue
		}
		n, valid := number(values[0])
		if !valid {
			at.NotA("number", values[0])
		}
		i, known := ranges[key]
		if !known {
			i = len(f.Ranges)
			ranges[key] = i
			f.Ranges = append(f.Ranges, Range{key, math.Inf(-1), math.Inf(1)})
		}
		if kind == "min" {
			f.Ranges[i].Low = n
		} else {
			f.Ranges[i].High = n
		}
	}
	if len(f.Equal)+len(f.Ranges) > MaxFilters {
		t.At("metadata").Length(-1, MaxFilters)
	}
	if free := q["free"]; len(free) > 0 && free[0] != "" {
		n, _ := jsonbody.AsInt(t.At("free"), jsonbody.StringOf(free[0]), 0, MaxMembers)
		f.Free = int(n)
	}
	return f
}

// number reads a decimal number.
func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) && !strings.ContainsAny(text, "xX_")
}

// Listing is a lobby in the result of a search, without its members.
type Listing struct {
	ID       snowflake.Lobby
	Flags    Flags
	Metadata Metadata
	Members  int

	fields []field
	places int
}

// field is a member of the metadata.
type field struct {
	Match

	n       float64
	numeric bool
}

// NewListing returns a listing that can be searched.
func NewListing(id snowflake.Lobby, flags Flags, metadata Metadata, members int) *Listing {
	l := &Listing{ID: id, Flags: flags, Metadata: metadata, Members: members, places: MaxMembers}
	for k, v := range metadata.Map() {
		n, numeric := number(v)
		l.fields = append(l.fields, field{Match{k, v}, n, numeric})
		if k == CapacityKey && numeric && n >= 0 && n < MaxMembers {
			l.places = int(n)
		}
	}
	return l
}

// Texts calls fn with each member of the metadata.
func (l *Listing) Texts(fn func(Match)) {
	for i := range l.fields {
		fn(l.fields[i].Match)
	}
}

// Free returns the number of free places.
func (l *Listing) Free() int { return max(l.places-l.Members, 0) }

// Matches reports whether a lobby fulfils all conditions of a search.
func (l *Listing) Matches(f *Filter) bool {
	if l.Free() < f.Free {
		return false
	}
	for i := range f.Equal {
		if at := l.field(f.Equal[i].Key); at == nil || at.Value != f.Equal[i].Value {
			return false
		}
	}
	for i := range f.Ranges {
		r := &f.Ranges[i]
		if at := l.field(r.Key); at == nil || !at.numeric || at.n < r.Low || at.n > r.High {
			return false
		}
	}
	return true
}

func (l *Listing) field(key string) *field {
	for i := range l.fields {
		if l.fields[i].Key == key {
			return &l.fields[i]
		}
	}
	return nil
}

// AppendJSON appends the listing of a lobby of an application.
func (l *Listing) AppendJSON(b []byte, app snowflake.Application) []byte {
	p := wire.Printer{Out: b}
	p.ID(`{"id":`, uint64(l.ID))
	p.ID(`,"application_id":`, uint64(app))
	p.Raw(`,"metadata":`)
	p.Out = l.Metadata.AppendJSON(p.Out)
	p.Integer(`,"flags":`, int64(l.Flags))
	p.Integer(`,"member_count":`, int64(l.Members))
	p.Integer(`,"free_places":`, int64(l.Free()))
	p.Raw(`}`)
	return p.Out
}
