package command

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/locale"
)

// Lengths in code points.
const (
	MaxName        = 32
	MaxDescription = 100
	MaxChoiceName  = 100
	MaxChoiceText  = 100
)

// wording is what the rules ask of a text and of its localizations.
type wording struct {
	key, localized string // the members
	most           int    // code points; the least is one
	spelled        bool   // lower-case words of the naming pattern
	notBlank       bool
	onMap          bool // a localization with a bad spelling is noted on the map, not under its language
}

// The texts of a definition.
var (
	chatInputName = wording{key: "name", localized: "name_localizations", most: MaxName, spelled: true, onMap: true}
	menuName      = wording{key: "name", localized: "name_localizations", most: MaxName, notBlank: true}
	optionName    = wording{key: "name", localized: "name_localizations", most: MaxName, spelled: true}
	choiceName    = wording{key: "name", localized: "name_localizations", most: MaxChoiceName}
	description   = wording{key: "description", localized: "description_localizations", most: MaxDescription}
)

// read returns a text that must be there, and its localizations.
func (w *wording) read(t *jsonbody.Tree, v jsonbody.Value) (string, locale.Map) {
	return w.text(t.At(w.key), v.Get(w.key)), w.localizations(t, v)
}

func (w *wording) text(t *jsonbody.Tree, v jsonbody.Value) string {
	if !v.IsSet() {
		t.Required()
		return ""
	}
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return ""
	}
	w.checkLength(t, s)
	if !w.spelled {
		return s
	}
	switch spell(s) {
	case foreign:
		addForeignName(t)
		addInvalidName(t)
	case upperCase:
		addInvalidName(t)
	case wellSpelled:
	}
	return s
}

func (w *wording) checkLength(t *jsonbody.Tree, s string) {
	if len(s) >= 1 && len(s) <= w.most && !w.notBlank {
		return // it has no more code points than bytes
	}
	if n := jsonbody.Len(s); n < 1 || n > w.most || w.notBlank && strings.TrimSpace(s) == "" {
		t.Length(1, w.most)
	}
}

// localizations reads a text's map of languages. An empty one is none.
func (w *wording) localizations(t *jsonbody.Tree, v jsonbody.Value) locale.Map {
	v = v.Get(w.localized)
	if !v.IsSet() {
		return nil
	}
	at := t.At(w.localized)
	dict, ok := jsonbody.AsDict(at, v)
	if !ok || len(dict.Members()) == 0 {
		return nil
	}
	m := make(locale.Map, min(len(dict.Members()), len(languages)))
	var faults [foreign + 1]bool
	unknown := 0
	for _, e := range slices.Backward(dict.Members()) {
		code := locale.Code(e.Name)
		if !locale.Known(code) {
			if unknown++; unknown <= len(languages) { // more of them help nobody
				at.At(jsonbody.StringOf(e.Name).String()).NotOneOf(quotedLanguages...)
			}
			continue
		}
		if _, ok := m[code]; !ok && !at.At(e.Name).Failed() { // of a name that stands twice the last counts
			faults[w.variant(at.At(e.Name), m, code, e.Value)] = true
		}
	}
	if w.onMap && faults[foreign] {
		addForeignName(at)
	}
	if w.onMap && faults[upperCase] {
		addInvalidName(at)
	}
	return m
}

// variant reads a text in one language into m and returns how it is spelled.
func (w *wording) variant(t *jsonbody.Tree, m locale.Map, code locale.Code, v jsonbody.Value) spelling {
	if !v.IsSet() {
		t.Required()
		return wellSpelled
	}
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return wellSpelled
	}
	m[code] = s
	w.checkLength(t, s)
	if !w.spelled {
		return wellSpelled
	}
	fault := spell(s)
	switch {
	case w.onMap:
	case fault == foreign:
		addForeignName(t)
	case fault == upperCase:
		addInvalidName(t)
	}
	return fault
}

var languages = locale.All()

var quotedLanguages = func() []string {
	quoted := make([]string, len(languages))
	for i, c := range languages {
		quoted[i] = "'" + string(c) + "'"
	}
	return quoted
}()
