package conformance

import (
	"net/http"

	"github.com/bellhop/bellhop/client"
)

const (
	secLocalization = "Localization rules"
	secGlobal       = "Application commands, global"
)

// createAndList creates a global command and returns it from a list that was requested with a query and headers.
func (p *probe) createAndList(d obj, query string, header http.Header) obj {
	p.create(p.global, d)
	r := p.wantStatus(p.sendAs(p.bot, http.MethodGet, client.CommandsPath(p.global)+query, nil, header), "the bot can list commands", http.StatusOK)
	found := listed(p.objects(r), p.define(d)["name"], 1)
	if found == nil {
		p.fail("%s does not list the command", r.request)
	}
	return found
}

// localizedName returns a check that a list requested with header contains the localized name want. If want is "", the
// list must contain the default name.
func localizedName(id string, line int, rule string, names obj, header http.Header, want string) Check {
	return on(id, secLocalization, line, rule, Writes, func(p *probe) {
		found := p.createAndList(obj{"name_localizations": names}, "", header)
		got, ok := found["name_localized"]
		switch {
		case want != "" && got != want:
			p.fail("name_localized is %s with the headers %v, want %q", encode(got), header, want)
		case want == "" && ok && got != nil && got != found["name"]:
			p.fail("name_localized is %s with the headers %v, want the default", encode(got), header)
		}
	})
}

func locale(language string) http.Header { return http.Header{"X-Service-Locale": {language}} }

// localizationChecks returns the checks of localization.
func localizationChecks() []Check {
	both := obj{"name_localizations": obj{"de": "probe-de"}, "description_localizations": obj{"de": "Eine Probe"}}
	return []Check{
		accepts("LOC-01", secLocalization, 141, "Names and descriptions can be localized into different languages.",
			obj{"name_localizations": obj{"de": "probe-de"}, "description_localizations": obj{"fr": "Un essai"}}),
		accepts("LOC-02", secObject, 26, "The localization dictionaries can be null.", obj{"name_localizations": nil, "description_localizations": nil}),
		on("LOC-03", secGlobal, 204, "A list with with_localizations=true contains the dictionaries and no localized text.", Writes, func(p *probe) {
			found := p.createAndList(both, "?with_localizations=true", locale("de"))
			p.wantMembers("the command in the list", found, both)
			p.wantAbsent(found, "name_localized", "the list contains the dictionaries")
		}),
		on("LOC-04", secGlobal, 204, "A list without with_localizations contains localized texts and no dictionaries.", Writes, func(p *probe) {
			found := p.createAndList(both, "", locale("de"))
			p.wantMembers("the command in the list", found, obj{"name_localized": "probe-de", "description_localized": "Eine Probe"})
			if v := found["name_localizations"]; v != nil {
				p.fail("name_localizations are %s in a list without with_localizations", encode(v))
			}
		}),
		on("LOC-05", secObject, 38, "A list with localized texts also contains the default texts.", Writes, func(p *probe) {
			p.wantMembers("the command in the list", p.createAndList(both, "", locale("de")), obj{"name": p.name("probe"), "description": "A probe"})
		}),
		localizedName("LOC-06", 146, "X-Service-Locale takes precedence over Accept-Language.", obj{"de": "deutsch", "fr": "franz"},
			http.Header{"X-Service-Locale": {"de"}, "Accept-Language": {"fr"}}, "deutsch"),
		localizedName("LOC-07", 146, "Without X-Service-Locale, Accept-Language selects the language.", obj{"de": "deutsch", "fr": "franz"}, http.Header{"Accept-Language": {"fr"}}, "franz"),
		localizedName("LOC-08", 141, "A language without a translation gets the default text.", obj{"de": "deutsch"}, locale("fr"), ""),
		localizedName("LOC-09", 144, "en-US falls back to en-GB.", obj{"en-GB": "british"}, locale("en-US"), "british"),
		localizedName("LOC-10", 144, "en-GB falls back to en-US.", obj{"en-US": "american"}, locale("en-GB"), "american"),
		localizedName("LOC-11", 144, "es-419 falls back to es-ES.", obj{"es-ES": "castellano"}, locale("es-419"), "castellano"),
		localizedName("LOC-12", 144, "es-ES does not fall back to es-419.", obj{"es-419": "latino"}, locale("es-ES"), ""),
		localizedName("LOC-13", 144, "A translation into the requested language takes precedence over the fallback language.", obj{"en-GB": "british", "en-US": "american"}, locale("en-US"), "american"),
		on("LOC-17", secObject, 38, "name_localized contains the default text if there is no translation.", Writes, func(p *probe) {
			p.wantMembers("the command in the list", p.createAndList(both, "", locale("fr")), obj{"name_localized": p.name("probe"), "description_localized": "A probe"})
		}),
		localizedName("LOC-18", 146, "Case does not matter in X-Service-Locale.", obj{"de": "deutsch"}, locale("DE"), "deutsch"),
		refuses("LOC-19", secLocalization, 142, "Two options cannot have the same name in one language, also if one of them comes from a fallback.",
			with(option(3, "a", obj{"name_localizations": obj{"en-US": "c"}}), option(3, "b", obj{"name_localizations": obj{"en-GB": "c"}}))),
		refuses("LOC-14", secLocalization, 142, "A localized option name cannot equal the default name of another option.",
			with(option(3, "a", obj{"name_localizations": obj{"de": "b"}}), option(3, "b"))),
		refuses("LOC-15", secLocalization, 142, "Two options cannot have the same localized name in one language.",
			with(option(3, "a", obj{"name_localizations": obj{"de": "c"}}), option(3, "b", obj{"name_localizations": obj{"de": "c"}}))),
		accepts("LOC-16", secLocalization, 142, "Two options can have the same localized name in different languages.",
			with(option(3, "a", obj{"name_localizations": obj{"de": "c"}}), option(3, "b", obj{"name_localizations": obj{"fr": "c"}}))),
	}
}
