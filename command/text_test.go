package command_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
)

func TestLocalizations(t *testing.T) {
	t.Parallel()
	const rule, names, texts = "Localization rules", "name_localizations", "description_localizations"
	with := func(key, v string) string { return chat(`"` + key + `":` + v) }
	runParse(t, anyApp, []parseCase{
		{"null", rule, with(names, `null`), nil},
		{"empty", rule, with(names, `{}`), nil},
		{"list", rule, with(names, `[]`), faults{names: {jsonbody.DictConvert}}},
		{"text", rule, with(texts, `"de"`), faults{texts: {jsonbody.DictConvert}}},
		{"unknown language", rule, with(names, `{"pt_BR":"x"}`), faults{names + ".pt_BR": {jsonbody.Choices}}},
		{"language without its region", rule, with(texts, `{"en":"x"}`), faults{texts + ".en": {jsonbody.Choices}}},
		{"language in another case", rule, with(texts, `{"en-us":"x"}`), faults{texts + ".en-us": {jsonbody.Choices}}},
		{"unknown language of no text", rule, with(names, `{"xx":7}`), faults{names + ".xx": {jsonbody.Choices}}},
		{"number", rule, with(names, `{"de":7}`), faults{names + ".de": {jsonbody.StringConvert}}},
		{"null value", rule, with(names, `{"de":null}`), faults{names + ".de": {jsonbody.Required}}},
		{"empty name", rule, with(names, `{"de":""}`), faults{names + ".de": {jsonbody.BadLength}}},
		{"longest name", rule, with(names, `{"de":"`+repeat("ö", 32)+`"}`), nil},
		{"name too long", rule, with(names, `{"de":"`+repeat("ö", 33)+`"}`), faults{names + ".de": {jsonbody.BadLength}}},
		{"empty description", rule, with(texts, `{"de":""}`), faults{texts + ".de": {jsonbody.BadLength}}},
		{"longest description", rule, with(texts, `{"de":"`+repeat("ö", 100)+`"}`), nil},
		{"description too long", rule, with(texts, `{"de":"`+repeat("ö", 101)+`"}`), faults{texts + ".de": {jsonbody.BadLength}}},
		{"name breaks the pattern", rule, with(names, `{"de":"a b"}`), faults{names: {jsonbody.StringRegex}}},
		{"name in upper case", rule, with(names, `{"de":"Wurf"}`), faults{names: {invalidName}}},
		{
			"several names break rules", rule, with(names, `{"de":"a b","fr":"c d","it":"Ef","ja":""}`),
			faults{names: {jsonbody.StringRegex, invalidName}, names + ".ja": {jsonbody.BadLength}},
		},
		{"USER name", rule, `{"type":2,"name":"A","name_localizations":{"de":"Karte Zeigen"}}`, nil},
		{"blank USER name", rule, `{"type":2,"name":"A","name_localizations":{"de":" "}}`, faults{names + ".de": {jsonbody.BadLength}}},
		{"equal to the default", rule, with(names, `{"en-US":"do"}`), nil},
		{"last of two values counts", rule, with(names, `{"de":7,"de":"wurf"}`), nil},
		{"last of two wrong values counts", rule, with(names, `{"de":"","de":7}`), faults{names + ".de": {jsonbody.StringConvert}}},
		{
			"option name breaks the pattern", rule, withOption(`"type":3,"name_localizations":{"de":"a b","fr":"ok"}`),
			faults{"options.0." + names + ".de": {jsonbody.StringRegex}},
		},
		{
			"option name in upper case", rule, withOption(`"type":3,"name_localizations":{"de":"Wurf"}`),
			faults{"options.0." + names + ".de": {invalidName}},
		},
		{
			"subcommand name in upper case", rule, withOption(`"type":1,"name_localizations":{"de":"Wurf"}`),
			faults{"options.0." + names + ".de": {invalidName}},
		},
		{
			"option description too long", rule, withOption(`"type":3,"description_localizations":{"de":"` + repeat("x", 101) + `"}`),
			faults{"options.0." + texts + ".de": {jsonbody.BadLength}},
		},
		{
			"choice name of any kind", rule,
			withOption(`"type":3,"choices":[{"name":"c","value":"v","name_localizations":{"de":"Ein Wurf!"}}]`), nil,
		},
		{
			"choice name too long", rule,
			withOption(`"type":3,"choices":[{"name":"c","value":"v","name_localizations":{"de":"` + repeat("x", 101) + `","fr":""}}]`),
			faults{"options.0.choices.0." + names + ".de": {jsonbody.BadLength}, "options.0.choices.0." + names + ".fr": {jsonbody.BadLength}},
		},
	})
}

func TestLocalizationsKnowEveryLanguage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i, c := range locale.All() {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(`"` + c + `":"x"`)
	}
	d := parse(t, chat(`"name_localizations":{`+b.String()+`}`), anyApp)
	if got := len(d.NameLocalizations); got != 34 {
		t.Errorf("a name has %d localizations, want 34", got)
	}
}

// TestLocalizationsAreBounded checks that a map with many unknown locales gives an error of bounded size.
func TestLocalizationsAreBounded(t *testing.T) {
	t.Parallel()
	var unknown []string
	for i := range 500 {
		unknown = append(unknown, `"`+strconv.Itoa(i)+`":"y"`)
	}
	_, err := command.Parse([]byte(chat(`"name_localizations":{`+strings.Join(unknown, ",")+`}`)), anyApp)
	if n := len(faultsOf(t, err)); n != 34 {
		t.Errorf("500 unknown languages give %d findings, want 34", n)
	}
	_, err = command.Parse([]byte(chat(`"name_localizations":{"`+repeat("x", 1000)+`":"y"}`)), anyApp)
	for path := range faultsOf(t, err) {
		if len(path) > 200 {
			t.Errorf("the path of an unknown language has %d bytes", len(path))
		}
	}
}

func TestLocalizedOptionNames(t *testing.T) {
	t.Parallel()
	const rule = "Localization rules"
	option := func(name, names string) string {
		return `{"type":3,"name":"` + name + `","description":"d","name_localizations":{` + names + `}}`
	}
	options := func(items ...string) string { return chat(`"options":[` + strings.Join(items, ",") + `]`) }
	runParse(t, anyApp, []parseCase{
		{
			"another option's default name", rule, options(option("a", `"de":"b"`), option("b", ``)),
			faults{"options.0.name_localizations.de": {optionNameUsed}},
		},
		{
			"an earlier option's default name", rule, options(option("a", ``), option("b", `"de":"a"`)),
			faults{"options.1.name_localizations.de": {optionNameUsed}},
		},
		{
			"shared in one language", rule, options(option("a", `"de":"x"`), option("b", `"de":"x"`), option("c", `"de":"x"`)),
			faults{"options.1.name_localizations.de": {optionNameUsed}, "options.2.name_localizations.de": {optionNameUsed}},
		},
		{
			"shared and a default name", rule, options(option("a", `"de":"b"`), option("b", ``), option("c", `"de":"b"`)),
			faults{"options.0.name_localizations.de": {optionNameUsed}, "options.2.name_localizations.de": {optionNameUsed}},
		},
		{
			"shared by a fallback", rule, options(option("a", `"en-US":"x"`), option("b", `"en-GB":"x"`)),
			faults{"options.1.name_localizations.en-GB": {optionNameUsed}},
		},
		{
			"shared by a fallback, the other way", rule, options(option("a", `"en-GB":"x"`), option("b", `"en-US":"x"`)),
			faults{"options.1.name_localizations.en-US": {optionNameUsed}},
		},
		{
			"shared by the fallback of es-419", rule, options(option("a", `"es-419":"x"`), option("b", `"es-ES":"x"`)),
			faults{"options.1.name_localizations.es-ES": {optionNameUsed}},
		},
		{"no fallback where both languages exist", rule, options(option("a", `"en-US":"x"`), option("b", `"en-GB":"x","en-US":"y"`), option("c", `"en-GB":"z"`)), faults{
			"options.1.name_localizations.en-GB": {optionNameUsed},
		}},
		{"own names in both languages", rule, options(option("a", `"en-US":"x","en-GB":"y"`), option("b", `"en-US":"z","en-GB":"x"`)), nil},
		{"es-ES does not fall back to es-419", rule, options(option("a", `"es-419":"x"`), option("b", `"es-ES":"y","es-419":"z"`), option("c", `"es-ES":"x","es-419":"w"`)), nil},
		{"the same in two languages", rule, options(option("a", `"de":"x"`), option("b", `"fr":"x"`)), nil},
		{"the same in two languages of one option", rule, options(option("a", `"de":"x","fr":"x"`)), nil},
		{"its own default name", rule, options(option("a", `"de":"a"`), option("b", `"de":"b"`)), nil},
		{
			"siblings of a subcommand", rule,
			options(`{"type":1,"name":"s","description":"d","options":[` + option("a", `"de":"x"`) + `,` + option("b", `"de":"x"`) + `]}`),
			faults{"options.0.options.1.name_localizations.de": {optionNameUsed}},
		},
		{
			"cousins", rule, options(
				`{"type":1,"name":"s","description":"d","options":[`+option("a", `"de":"x"`)+`]}`,
				`{"type":1,"name":"t","description":"d","options":[`+option("a", `"de":"x"`)+`]}`,
			), nil,
		},
		{"a parent's name", rule, options(`{"type":1,"name":"s","description":"d","options":[` + option("a", `"de":"s"`) + `]}`), nil},
		{
			"empty names", rule, options(option("a", `"de":""`), option("b", `"de":""`)),
			faults{"options.0.name_localizations.de": {jsonbody.BadLength}, "options.1.name_localizations.de": {jsonbody.BadLength}},
		},
	})
	_, err := command.Parse([]byte(options(option("a", `"de":"b"`), option("b", ``))), anyApp)
	const want = "invalid form body: options.0.name_localizations.de: Option name b is already used in these options"
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}
