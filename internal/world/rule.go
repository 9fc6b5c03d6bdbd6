package world

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/permission"
)

// completed returns a completed copy of a record, or what is wrong with it.
func completed[T any, P record[T]](r T) (T, error) {
	var t jsonbody.Tree
	P(&r).complete(&t)
	if err := t.Err(); err != nil {
		var none T
		return none, err
	}
	return r, nil
}

// completeAll completes a list in a copy of its own.
func completeAll[T any, P record[T]](t *jsonbody.Tree, all *[]T, most int) {
	*all = own(*all)
	if len(*all) > most && !t.Failed() {
		length(t, 0, most)
	}
	for i := range *all {
		P(&(*all)[i]).complete(t.Index(i))
	}
}

// own returns a copy of a list that nobody else holds; nil for an empty one.
func own[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// find notes a finding under a member, unless one is there already: what could not be read is not judged again.
func find(t *jsonbody.Tree, key string, note func(at *jsonbody.Tree)) {
	if at := t.At(key); !at.Failed() {
		note(at)
	}
}

// name demands a text of low to high characters on one line.
func name(t *jsonbody.Tree, key, s string, low, high int) {
	text(t, key, s, low, high)
	if strings.ContainsFunc(s, unicode.IsControl) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must not hold control characters.") })
	}
}

// text demands low to high characters; none at all where low is above zero means that it was left out.
func text(t *jsonbody.Tree, key, s string, low, high int) {
	n := jsonbody.Len(s)
	switch {
	case n == 0 && low > 0:
		required(t, key, false)
	case n < low || n > high:
		find(t, key, func(at *jsonbody.Tree) { length(at, low, high) })
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unprintable):
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must not hold control characters.") })
	}
}

// length notes a length outside of low and high; a low of zero is not worth a word.
func length(at *jsonbody.Tree, low, high int) {
	if low == 0 {
		low = -1
	}
	at.Length(low, high)
}

func unprintable(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }

func required(t *jsonbody.Tree, key string, there bool) {
	if !there {
		find(t, key, (*jsonbody.Tree).Required)
	}
}

// within demands a number between low and high.
func within(t *jsonbody.Tree, key string, n, low, high int) {
	switch {
	case n < low:
		find(t, key, func(at *jsonbody.Tree) { at.Below("int", strconv.Itoa(low)) })
	case n > high:
		find(t, key, func(at *jsonbody.Tree) { at.Above("int", strconv.Itoa(high)) })
	}
}

func allowed(t *jsonbody.Tree, key string, b permission.Bits) {
	if b > permission.MaxBits {
		find(t, key, func(at *jsonbody.Tree) {
			at.Add(BadText, fmt.Sprintf("Holds unknown permissions: at most %s.", permission.MaxBits))
		})
	}
}

// language demands a language of the interface.
func language(t *jsonbody.Tree, key string, code locale.Code) {
	if !locale.Known(code) {
		find(t, key, func(at *jsonbody.Tree) {
			at.Add(jsonbody.Choices, "Must be a language of the interface, such as en-US, de or pt-BR.")
		})
	}
}

// credential demands of a token that it can travel in a header.
func credential(t *jsonbody.Tree, key, s string) {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if strings.ContainsFunc(s, odd) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must be made of visible ASCII characters without blanks.") })
	}
	if len(s) > MaxToken {
		find(t, key, func(at *jsonbody.Tree) { at.Length(1, MaxToken) })
	}
}

// moment brings a time into the form in which it is kept and compared: UTC, whole milliseconds.
func moment(t *jsonbody.Tree, key string, at *time.Time) {
	if at.IsZero() {
		return
	}
	*at = at.UTC().Truncate(time.Millisecond)
	if y := at.Year(); y < 1970 || y > 9999 {
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must be in the years 1970 to 9999.") })
	}
}

// ascending sorts a list in a copy of its own and reports what stands in it twice.
func ascending[T cmp.Ordered](t *jsonbody.Tree, key string, all *[]T) {
	*all = own(*all)
	slices.Sort(*all)
	if once := slices.Compact(slices.Clone(*all)); len(once) < len(*all) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(Duplicate, "Holds the same value twice.") })
	}
}

// endpoint demands an address that interactions can be posted to.
func endpoint(t *jsonbody.Tree, key, s string) {
	if s == "" {
		return
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "":
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must be an absolute http or https URL.") })
	case u.User != nil || u.Fragment != "" || len(s) > MaxURL:
		find(t, key, func(at *jsonbody.Tree) {
			at.Add(BadText, fmt.Sprintf("Must have no user, no fragment and at most %d characters.", MaxURL))
		})
	}
}

// unsafeSchemes are run or read by browsers where they should be followed.
var unsafeSchemes = []string{"javascript", "data", "file"}

// redirect demands an address that a browser can be sent back to, of the web or of an app on the same machine.
func redirect(t *jsonbody.Tree, s string) {
	u, err := url.Parse(s)
	web := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	switch {
	case t.Failed():
	case err == nil && slices.Contains(unsafeSchemes, u.Scheme):
		t.Add(BadText, fmt.Sprintf("The scheme %s is not allowed.", u.Scheme))
	case err != nil || u.Scheme == "" || u.Opaque != "" || (web && u.Hostname() == ""):
		t.Add(BadText, "Must be an absolute URL.")
	case strings.ContainsAny(s, "#*") || len(s) > MaxURL:
		t.Add(BadText, fmt.Sprintf("Must have no fragment, no wildcard and at most %d characters.", MaxURL))
	}
}

// seen holds what may stand in a world once, and where it first did.
type seen[K comparable] map[K]spot

// spot is a place in a world, named only when somebody asks.
type spot struct {
	list string
	i    int
	part string // a list within the i-th of list, empty for none
	j    int
}

func (s spot) String() string {
	path := s.list + "." + strconv.Itoa(s.i)
	if s.part != "" {
		path += "." + s.part + "." + strconv.Itoa(s.j)
	}
	return path
}

// note reports k when it stands elsewhere already. The zero K stands nowhere.
func (s seen[K]) note(k K, at spot, where func() *jsonbody.Tree) {
	var none K
	if k == none {
		return
	}
	if first, twice := s[k]; twice {
		where().Add(Duplicate, fmt.Sprintf("Is that of %s already.", first))
		return
	}
	s[k] = at
}
