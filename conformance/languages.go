package conformance

import (
	"net/http"

	"github.com/bellhop/bellhop/client"
)

const (
	secLanguages = "Localization rules"
	secGlobal    = "Application commands, global"
)

// spoken returns the command of the run in a list that was asked for with headers.
func (p *probe) spoken(d obj, query string, header http.Header) obj {
	p.create(p.global, d)
	r := p.want(p.askAs(p.bot, http.MethodGet, client.CommandsPath(p.global)+query, nil, header), "lists can be read", http.StatusOK)
	found := listed(p.objects(r), p.define(d)["name"], 1)
	if found == nil {
		p.fail("%s does not list the command", r.asked)
	}
	return found
}

// says returns a check that a list in a language shows a name; "" stands for the default.
func says(id string, line int, rule string, names obj, header http.Header, want string) Check {
	return on(id, secLanguages, line, rule, Writes, func(p *probe) {
		found := p.spoken(obj{"name_localizations": names}, "", header)
		got, ok := found["name_localized"]
		switch {
		case want != "" && got != want:
			p.fail("name_localized is %s with the headers %v, want %q", encode(got), header, want)
		case want == "" && ok && got != nil && got != found["name"]:
			p.fail("name_localized is %s with the headers %v, want the default", encode(got), header)
		}
	})
}

func in(language string) http.Header { return http.Header{"X-Service-Locale": {language}} }

// localizationChecks are about languages.
func localizationChecks() []Check {
	both := obj{"name_localizations": obj{"de": "probe-de"}, "description_localizations": obj{"de": "Eine Probe"}}
	return []Check{
		accepts("LOC-01", secLanguages, 141, "Different texts may have different languages.",
			obj{"name_localizations": obj{"de": "probe-de"}, "description_localizations": obj{"fr": "Un essai"}}),
		accepts("LOC-02", secObject, 26, "Dictionaries of languages may be null.", obj{"name_localizations": nil, "description_localizations": nil}),
		on("LOC-03", secGlobal, 204, "Lists with with_localizations=true show the dictionaries, and no single language.", Writes, func(p *probe) {
			found := p.spoken(both, "?with_localizations=true", in("de"))
			p.shows("the command in the list", found, both)
			p.lacks(found, "name_localized", "the dictionaries stand in its place")
		}),
		on("LOC-04", secGlobal, 204, "Lists show one language in place of the dictionaries.", Writes, func(p *probe) {
			found := p.spoken(both, "", in("de"))
			p.shows("the command in the list", found, obj{"name_localized": "probe-de", "description_localized": "Eine Probe"})
			if v := found["name_localizations"]; v != nil {
				p.fail("name_localizations are %s in a list without with_localizations", encode(v))
			}
		}),
		on("LOC-05", secObject, 38, "Beside the text of a language stands the default.", Writes, func(p *probe) {
			p.shows("the command in the list", p.spoken(both, "", in("de")), obj{"name": p.name("probe"), "description": "A probe"})
		}),
		says("LOC-06", 146, "X-Service-Locale comes before Accept-Language.", obj{"de": "deutsch", "fr": "franz"},
			http.Header{"X-Service-Locale": {"de"}, "Accept-Language": {"fr"}}, "deutsch"),
		says("LOC-07", 146, "Accept-Language is next.", obj{"de": "deutsch", "fr": "franz"}, http.Header{"Accept-Language": {"fr"}}, "franz"),
		says("LOC-08", 141, "A language that a dictionary lacks shows the default.", obj{"de": "deutsch"}, in("fr"), ""),
		says("LOC-09", 144, "en-GB stands in for en-US.", obj{"en-GB": "british"}, in("en-US"), "british"),
		says("LOC-10", 144, "en-US stands in for en-GB.", obj{"en-US": "american"}, in("en-GB"), "american"),
		says("LOC-11", 144, "es-ES stands in for es-419.", obj{"es-ES": "castellano"}, in("es-419"), "castellano"),
		says("LOC-12", 144, "es-419 does not stand in for es-ES.", obj{"es-419": "latino"}, in("es-ES"), ""),
		says("LOC-13", 144, "A language of its own comes before the one that stands in.", obj{"en-GB": "british", "en-US": "american"}, in("en-US"), "american"),
		refuses("LOC-14", secLanguages, 142, "A localized option name differs from the default names of other options.",
			with(option(3, "a", obj{"name_localizations": obj{"de": "b"}}), option(3, "b"))),
		refuses("LOC-15", secLanguages, 142, "Localized option names of one language differ.",
			with(option(3, "a", obj{"name_localizations": obj{"de": "c"}}), option(3, "b", obj{"name_localizations": obj{"de": "c"}}))),
		accepts("LOC-16", secLanguages, 142, "Localized option names of different languages may be the same.",
			with(option(3, "a", obj{"name_localizations": obj{"de": "c"}}), option(3, "b", obj{"name_localizations": obj{"fr": "c"}}))),
	}
}
