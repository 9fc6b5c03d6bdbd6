package command

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
)

// Lengths in code points.
const (
	maxName        = 32
	maxDescription = 100
	maxChoiceName  = 100
	maxChoiceText  = 100
)

// textRule holds the rules for a text and its localizations.
type textRule struct {
	key, localized string // names of the members
	most           int    // the longest text, in code points; the shortest is 1
	isName         bool   // checkName applies
	notBlank       bool
	onMap          bool // findings of checkName on localizations go to the map, not to the locale
}

// The rules for the texts of a definition.
var (
	chatInputName = textRule{key: "name", localized: "name_localizations", most: maxName, isName: true, onMap: true}
	menuName      = textRule{key: "name", localized: "name_localizations", most: maxName, notBlank: true}
	optionName    = textRule{key: "name", localized: "name_localizations", most: maxName, isName: true}
	choiceName    = textRule{key: "name", localized: "name_localizations", most: maxChoiceName}
	description   = textRule{key: "description", localized: "description_localizations", most: maxDescription}
)

// read reads a required text and its localizations.
func (r *textRule) read(t *jsonbody.Tree, v jsonbody.Value) (string, locale.Map) {
	return r.text(t.At(r.key), v.Get(r.key)), r.localizations(t, v)
}

func (r *textRule) text(t *jsonbody.Tree, v jsonbody.Value) string {
	if !v.IsSet() {
		t.Required()
		return ""
	}
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return ""
	}
	r.checkLength(t, s)
	if !r.isName {
		return s
	}
	switch checkName(s) {
	case badCharacter:
		addBadCharacter(t)
		addInvalidName(t)
	case upperCase:
		addInvalidName(t)
	case noFault:
	}
	return s
}

func (r *textRule) checkLength(t *jsonbody.Tree, s string) {
	if len(s) >= 1 && len(s) <= r.most && !r.notBlank {
		return // no text has more code points than bytes
	}
	if n := jsonbody.Len(s); n < 1 || n > r.most || r.notBlank && strings.TrimSpace(s) == "" {
		t.Length(1, r.most)
	}
}

// localizations reads the localizations of a text. It returns nil for an empty map.
func (r *textRule) localizations(t *jsonbody.Tree, v jsonbody.Value) locale.Map {
	v = v.Get(r.localized)
	if !v.IsSet() {
		return nil
	}
	at := t.At(r.localized)
	dict, ok := jsonbody.AsDict(at, v)
	if !ok || len(dict.Members()) == 0 {
		return nil
	}
	m := make(locale.Map, min(len(dict.Members()), len(locales)))
	var faults [badCharacter + 1]bool
	unknown := 0
	for _, e := range slices.Backward(dict.Members()) {
		code := e.Name
		if !locale.Known(code) {
			if unknown++; unknown <= len(locales) { // more findings do not help
				at.At(jsonbody.StringOf(e.Name).String()).NotOneOf(quotedLocales...)
			}
			continue
		}
		if _, ok := m[code]; !ok && !at.At(e.Name).Failed() { // of duplicate names the last counts
			faults[r.variant(at.At(e.Name), m, code, e.Value)] = true
		}
	}
	if r.onMap && faults[badCharacter] {
		addBadCharacter(at)
	}
	if r.onMap && faults[upperCase] {
		addInvalidName(at)
	}
	return m
}

// variant reads the text for one locale into m and returns the result of checkName.
func (r *textRule) variant(t *jsonbody.Tree, m locale.Map, code locale.Code, v jsonbody.Value) nameFault {
	if !v.IsSet() {
		t.Required()
		return noFault
	}
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return noFault
	}
	m[code] = s
	r.checkLength(t, s)
	if !r.isName {
		return noFault
	}
	fault := checkName(s)
	switch {
	case r.onMap:
	case fault == badCharacter:
		addBadCharacter(t)
	case fault == upperCase:
		addInvalidName(t)
	}
	return fault
}

var locales = locale.All()

var quotedLocales = func() []string {
	quoted := make([]string, len(locales))
	for i, c := range locales {
		quoted[i] = "'" + c + "'"
	}
	return quoted
}()
