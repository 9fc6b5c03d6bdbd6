package conformance

import (
	"maps"
	"net/http"

	"github.com/bellhop/bellhop/snowflake"
)

const (
	secEvents    = "Interactions received by the app"
	secSuggest   = "Autocomplete"
	eventNeeds   = Writes | Guild | People | Dev
	answeredWith = "answered"
)

// stage is what it takes for a person to use a command of the run.
type stage struct {
	*probe
	app     *app
	owner   string // of the guild
	other   string // a member who is no administrator
	channel string
}

// staged returns a check that needs people who use commands.
func staged(id, section string, line int, rule string, run func(*stage)) Check {
	return on(id, section, line, rule, eventNeeds, func(p *probe) {
		a, err := p.listen(p.ctx)
		if err != nil {
			p.fail("the application's endpoint cannot be set: %v", err)
		}
		s := &stage{probe: p, app: a, channel: p.openChannel()}
		guild := p.object(p.want(p.ask(http.MethodGet, "/guilds/"+p.Guild.String(), nil), "the bot is a member", http.StatusOK))
		s.owner = text(guild["owner_id"])
		for _, u := range p.Users {
			if u.String() != s.owner {
				s.other = u.String()
			}
		}
		run(s)
	})
}

// openChannel returns a text channel of the guild without rules of its own.
func (p *probe) openChannel() string {
	r := p.want(p.ask(http.MethodGet, "/guilds/"+p.Guild.String()+"/channels", nil), "the bot is a member", http.StatusOK)
	for _, c := range p.objects(r) {
		overwrites, _ := c["permission_overwrites"].([]any)
		if same(c["type"], 0) && c["nsfw"] != true && len(overwrites) == 0 {
			return text(c["id"])
		}
	}
	p.fail("the guild has no open text channel")
	return ""
}

// make registers a command of the guild. No other check has one of its name, in any scope.
func (s *stage) make(d obj) obj {
	full := obj{"name": s.name("use")}
	if d["type"] == 2 {
		full["name"] = s.name("Use")
	}
	maps.Copy(full, d)
	return s.create(s.guild, full)
}

// use lets somebody use a command.
func (s *stage) use(as string, command any) reply {
	return s.ask(http.MethodPost, s.bot.Root()+"/_dev/invoke", obj{"as": as, "in": s.channel, "command": command})
}

// answered lets somebody use a command that is answered, and returns what the app heard.
func (s *stage) answered(as string, command any) obj {
	s.app.heard()
	r := s.want(s.use(as, command), "the command can be used", http.StatusOK)
	if o := s.object(r); o["outcome"] != answeredWith {
		s.fail("%s came to %s, want it answered", r.asked, short(r.Body))
	}
	heard := s.app.heard()
	if heard == nil {
		s.fail("%s was answered, and the app heard nothing", r.asked)
	}
	return heard
}

// unavailable ends the check unless a use is refused by the service, without the app.
func (s *stage) unavailable(as string, command any, why string) {
	s.app.heard()
	r := s.use(as, command)
	if r.Status < 400 || r.Status >= 500 || s.app.heard() != nil {
		s.fail("%s is answered %d %s, want it refused before the app hears of it: %s", r.asked, r.Status, short(r.Body), why)
	}
}

// typed returns the run's command in parts, with options.
func (s *stage) typed(name string, options ...any) obj {
	return obj{"name": name, "application": s.Application.String(), "options": options}
}

func given(name string, value any) obj { return obj{"name": name, "value": value} }

// eventChecks are about what apps receive when people use commands.
func eventChecks() []Check {
	return []Check{
		staged("EVT-01", secEvents, 263, "An app receives who used a command, where, and in which language.", func(s *stage) {
			s.make(nil)
			heard := s.answered(s.owner, s.typed(s.name("use")))
			s.shows("the interaction", heard, obj{
				"application_id": s.Application.String(), "type": 2, "version": 1, "guild_id": s.Guild.String(), "channel_id": s.channel,
				"member": obj{"user": obj{"id": s.owner}},
			})
			for _, member := range []string{"id", "token", "app_permissions", "locale", "guild_locale"} {
				if v, _ := heard[member].(string); v == "" {
					s.fail("%s of the interaction is %s, want a text", member, encode(heard[member]))
				}
			}
		}),
		staged("EVT-02", secEvents, 263, "The member comes with roles and permissions.", func(s *stage) {
			s.make(nil)
			member, _ := s.answered(s.owner, s.typed(s.name("use")))["member"].(map[string]any)
			if _, ok := member["roles"].([]any); !ok {
				s.fail("roles of the member are %s", encode(member["roles"]))
			}
			if _, err := snowflake.Parse[uint64](text(member["permissions"])); err != nil {
				s.fail("permissions of the member are %s, want a number as a string", encode(member["permissions"]))
			}
		}),
		staged("EVT-03", secEvents, 265, "The data names the command, its type, and the options that were given.", func(s *stage) {
			made := s.make(with(option(3, "a"), option(4, "b"), option(5, "c")))
			heard := s.answered(s.owner, s.typed(s.name("use"), given("a", "x"), given("b", 5)))
			s.shows("the data", heard, obj{"data": obj{"id": made["id"], "name": made["name"], "type": 1, "options": []any{
				obj{"type": 3, "name": "a", "value": "x"}, obj{"type": 4, "name": "b", "value": 5},
			}}})
		}),
		staged("EVT-04", secLanguages, 143, "Interactions carry default names, also of commands that were used by a localized one.", func(s *stage) {
			local := s.name("use-de")
			s.make(obj{"name_localizations": obj{"de": local, "en-US": local, "fr": local}})
			heard := s.answered(s.owner, "/"+local)
			s.shows("the data", heard, obj{"data": obj{"name": s.name("use")}})
		}),
		staged("EVT-05", secEvents, 265, "A USER command carries its target, resolved as user and member.", func(s *stage) {
			s.make(obj{"type": 2})
			heard := s.answered(s.owner, obj{"name": s.name("Use"), "type": 2, "application": s.Application.String(), "target": s.other})
			s.shows("the data", heard, obj{"data": obj{"target_id": s.other, "type": 2, "resolved": obj{
				"users": obj{s.other: obj{"id": s.other}}, "members": obj{s.other: obj{}},
			}}})
		}),
		staged("EVT-06", secSuggest, 269, "While an option is typed the app is asked, and told which one it is.", (*stage).suggested),
		staged("EVT-07", secOption, 76, "An option with autocomplete takes values that were not suggested.", func(s *stage) {
			s.make(with(option(3, "a", obj{"autocomplete": true})))
			heard := s.answered(s.owner, s.typed(s.name("use"), given("a", "never suggested")))
			s.shows("the data", heard, obj{"data": obj{"options": []any{obj{"value": "never suggested"}}}})
		}),
		staged("EVT-08", secChoice, 98, "Choices are the only valid values.", func(s *stage) {
			s.make(with(option(3, "a", obj{"choices": []any{obj{"name": "A", "value": "a"}}})))
			s.answered(s.owner, s.typed(s.name("use"), given("a", "a")))
			s.unavailable(s.owner, s.typed(s.name("use"), given("a", "b")), "b is no choice")
		}),
		staged("EVT-09", secNesting, 194, "A command with subcommands cannot itself be used.", func(s *stage) {
			s.make(with(option(1, "sub")))
			s.unavailable(s.owner, s.typed(s.name("use")), "only its subcommand can be used")
		}),
		staged("EVT-10", secAuth, 255, `Administrators can use all commands, others none that ask for "0".`, func(s *stage) {
			s.make(obj{"default_member_permissions": "0"})
			s.answered(s.owner, s.typed(s.name("use")))
			s.unavailable(s.other, s.typed(s.name("use")), "the command is for administrators")
		}),
		staged("EVT-11", secOption, 66, "A required option has to be given.", func(s *stage) {
			s.make(with(option(3, "a", obj{"required": true})))
			s.unavailable(s.owner, s.typed(s.name("use")), "a required option is missing")
		}),
		staged("EVT-12", secOption, 71, "max_value bounds what can be given.", func(s *stage) {
			s.make(with(option(4, "a", obj{"max_value": 5})))
			s.answered(s.owner, s.typed(s.name("use"), given("a", 5)))
			s.unavailable(s.owner, s.typed(s.name("use"), given("a", 6)), "6 is more than 5")
		}),
	}
}

// suggested types into an option and looks at what the app is asked.
func (s *stage) suggested() {
	s.make(with(option(4, "b"), option(3, "a", obj{"autocomplete": true})))
	s.app.heard()
	r := s.ask(http.MethodPost, s.bot.Root()+"/_dev/invoke", obj{
		"as": s.owner, "in": s.channel, "command": s.typed(s.name("use"), given("b", 5), given("a", "par")), "autocomplete": "a",
	})
	s.want(r, "suggestions can be asked for", http.StatusOK)
	heard := s.app.heard()
	if heard == nil {
		s.fail("%s: the app heard nothing", r.asked)
	}
	s.shows("the interaction", heard, obj{"type": 4, "data": obj{"options": []any{
		obj{"name": "b", "value": 5, "focused": false}, obj{"name": "a", "value": "par", "focused": true},
	}}})
}
