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

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
)

// completed returns a completed copy of a record, or a *jsonbody.Tree with its problems.
func completed[T any, P record[T]](r T) (T, error) {
	var t jsonbody.Tree
	P(&r).complete(&t)
	if err := t.Err(); err != nil {
		var none T
		return none, err
	}
	return r, nil
}

// completeAll replaces a list with a completed copy.
func completeAll[T any, P record[T]](t *jsonbody.Tree, all *[]T, limit int) {
	*all = clone(*all)
	if len(*all) > limit && !t.Failed() {
		length(t, 0, limit)
	}
	for i := range *all {
		P(&(*all)[i]).complete(t.Index(i))
	}
}

// clone returns a copy of a list. The copy of an empty list is nil.
func clone[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// find calls note for a member, unless the member already has a problem.
func find(t *jsonbody.Tree, key string, note func(at *jsonbody.Tree)) {
	if at := t.At(key); !at.Failed() {
		note(at)
	}
}

// name requires low to high characters on one line.
func name(t *jsonbody.Tree, key, s string, low, high int) {
	text(t, key, s, low, high)
	if strings.ContainsFunc(s, unicode.IsControl) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must not contain control characters.") })
	}
}

// text requires low to high characters. An empty text counts as missing when low is above zero.
func text(t *jsonbody.Tree, key, s string, low, high int) {
	n := jsonbody.Len(s)
	switch {
	case n == 0 && low > 0:
		required(t, key, false)
	case n < low || n > high:
		find(t, key, func(at *jsonbody.Tree) { length(at, low, high) })
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unprintable):
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must not contain control characters.") })
	}
}

// length reports a length that is not between low and high. A low of 0 is not mentioned.
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

// within requires a number between low and high.
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
			at.Add(BadText, fmt.Sprintf("Contains unknown permissions: the largest value is %s.", permission.MaxBits))
		})
	}
}

// language requires a known locale.
func language(t *jsonbody.Tree, key string, code locale.Code) {
	if !locale.Known(code) {
		find(t, key, func(at *jsonbody.Tree) {
			at.Add(jsonbody.Choices, "Must be a language of the interface, such as en-US, de or pt-BR.")
		})
	}
}

// credential requires characters that a header can contain.
func credential(t *jsonbody.Tree, key, s string) {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if strings.ContainsFunc(s, odd) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must contain only visible ASCII characters without spaces.") })
	}
	if len(s) > MaxToken {
		find(t, key, func(at *jsonbody.Tree) { at.Length(1, MaxToken) })
	}
}

// normalizeTime converts a time to UTC with the precision of the store, whole milliseconds.
func normalizeTime(t *jsonbody.Tree, key string, at *time.Time) {
	if at.IsZero() {
		return
	}
	*at = at.UTC().Truncate(time.Millisecond)
	if y := at.Year(); y < 1970 || y > 9999 {
		find(t, key, func(at *jsonbody.Tree) { at.Add(BadText, "Must be in the years 1970 to 9999.") })
	}
}

// ascending replaces a list with a sorted copy and reports duplicates.
func ascending[T cmp.Ordered](t *jsonbody.Tree, key string, all *[]T) {
	*all = clone(*all)
	slices.Sort(*all)
	if once := slices.Compact(slices.Clone(*all)); len(once) < len(*all) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(Duplicate, "The list contains the same value twice.") })
	}
}

// endpoint requires a URL to which interactions can be posted.
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

// unsafeSchemes are schemes whose URLs a browser runs or reads instead of following them.
var unsafeSchemes = []string{"javascript", "data", "file"}

// redirect requires a redirect URI of a web page or of an app on the same device.
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

// redirects requires a list of redirect URIs.
func redirects(t *jsonbody.Tree, key string, all []string) {
	if len(all) > MaxRedirects {
		find(t, key, func(at *jsonbody.Tree) { length(at, 0, MaxRedirects) })
	}
	for i, uri := range all {
		redirect(t.At(key).Index(i), uri)
	}
}

// seen maps values that must be unique to their first locations. A nil one checks nothing.
type seen[K comparable] map[K]location

// location is the path of a record in a form that takes little memory: two lists of 8 bits and two indexes of 24 bits. The
// second pair is a list in a record of the first, or 0.
type location uint64

// The lists of a location.
const (
	inUsers = iota + 1
	inApplications
	inUserInstalls
	inGuilds
	inRoles
	inChannels
	inMembers
	inInstalls
	inOverwrites
	inCommands
	inCommandPermissions
	inScheduledEvents
	inEmojis
)

// listNames returns the keys of the lists of a location.
func listNames() []string {
	return []string{
		"", "users", "applications", "user_installs", "guilds", "roles", "channels", "members", "installs", "permission_overwrites",
		"commands", "command_permissions", "scheduled_events", "emojis",
	}
}

func at(list, i int) location { return location(list)<<56 | location(i)<<32 }

// in returns the location of a record in a list of the record at l.
func (l location) in(list, j int) location { return l | location(list)<<24 | location(j) }

func (l location) String() string {
	const index = 1<<24 - 1
	path := listNames()[l>>56] + "." + strconv.Itoa(int(l>>32&index))
	if part := l >> 24 & 0xFF; part != 0 {
		path += "." + listNames()[part] + "." + strconv.Itoa(int(l&index))
	}
	return path
}

// note remembers the location of k, and reports k when it is a duplicate. The zero value is ignored.
func (s seen[K]) note(k K, at location, tree func() *jsonbody.Tree) {
	var none K
	if k == none || s == nil {
		return
	}
	if first, twice := s[k]; twice {
		tree().Add(Duplicate, fmt.Sprintf("Duplicate of %s.", first))
		return
	}
	s[k] = at
}
