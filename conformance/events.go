package conformance

import (
	"maps"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/snowflake"
)

const (
	secEvents       = "Interactions received by the app"
	secAutocomplete = "Autocomplete"
	eventNeeds      = Writes | Guild | Users | Dev
	answeredWith    = "answered"
)

// invoker invokes commands of the run as members of the guild, through Bellhop's dev controls.
type invoker struct {
	*probe
	app     *app
	owner   string // the owner of the guild
	other   string // a member who is not an administrator
	channel string
}

// invoking returns a check that invokes commands.
func invoking(id, section string, line int, rule string, run func(*invoker)) Check {
	return on(id, section, line, rule, eventNeeds, func(p *probe) {
		a, err := p.listen(p.ctx)
		if err != nil {
			p.fail("the application's endpoint cannot be set: %v", err)
		}
		s := &invoker{probe: p, app: a, channel: p.openChannel()}
		guild := p.object(p.wantStatus(p.send(http.MethodGet, "/guilds/"+p.Guild.String(), nil), "the bot is a member", http.StatusOK))
		s.owner = text(guild["owner_id"])
		for _, u := range p.Users {
			if u.String() != s.owner {
				s.other = u.String()
			}
		}
		run(s)
	})
}

// needing returns a check with more requirements.
func needing(n Needs, c Check) Check {
	c.Needs |= n
	return c
}

// openChannel returns a text channel of the guild without permission overwrites.
func (p *probe) openChannel() string {
	r := p.wantStatus(p.send(http.MethodGet, "/guilds/"+p.Guild.String()+"/channels", nil), "the bot is a member", http.StatusOK)
	for _, c := range p.objects(r) {
		overwrites, _ := c["permission_overwrites"].([]any)
		if same(c["type"], 0) && c["nsfw"] != true && len(overwrites) == 0 {
			return text(c["id"])
		}
	}
	p.fail("the guild has no text channel without permission overwrites")
	return ""
}

// register creates a guild command. Its name is not used in other scopes, so that the invocation is unambiguous.
func (s *invoker) register(d obj) obj {
	full := obj{"name": s.name("use")}
	if d["type"] == 2 {
		full["name"] = s.name("Use")
	}
	maps.Copy(full, d)
	return s.create(s.guild, full)
}

// invoke invokes a command as a user.
func (s *invoker) invoke(as string, command any) reply {
	return s.send(http.MethodPost, s.bot.Root()+"/_dev/invoke", obj{"as": as, "in": s.channel, "command": command})
}

// wantAnswered invokes a command and returns the interaction that the app received. It ends the check unless the app
// answered.
func (s *invoker) wantAnswered(as string, command any) obj {
	s.app.takeInteraction()
	r := s.wantStatus(s.invoke(as, command), "the user can invoke the command", http.StatusOK)
	if o := s.object(r); o["outcome"] != answeredWith {
		s.fail("%s returned %s, want the outcome answered", r.request, short(r.Body))
	}
	interaction := s.app.takeInteraction()
	if interaction == nil {
		s.fail("%s was answered, but the app received no interaction", r.request)
	}
	return interaction
}

// wantUnavailable ends the check unless the service rejects the invocation without an interaction to the app.
func (s *invoker) wantUnavailable(as string, command any, why string) {
	s.app.takeInteraction()
	r := s.invoke(as, command)
	if r.Status < 400 || r.Status >= 500 || s.app.takeInteraction() != nil {
		s.fail("%s returned %d %s, want a 4xx status and no interaction: %s", r.request, r.Status, short(r.Body), why)
	}
}

// input returns an invocation of the application's command with options.
func (s *invoker) input(name string, options ...any) obj {
	return obj{"name": name, "application": s.Application.String(), "options": options}
}

func optionValue(name string, value any) obj { return obj{"name": name, "value": value} }

// checkLaunch compares, for two users, the decision about the entry point command with what an invocation does.
func checkLaunch(s *invoker) {
	var name any
	for _, c := range s.commands(s.global) {
		if same(c["type"], 4) {
			name = c["name"]
		}
	}
	for _, user := range []string{s.owner, s.other} {
		query := url.Values{"as": {user}, "in": {s.channel}, "command": {text(name)}, "application": {s.Application.String()}}
		r := s.wantStatus(s.send(http.MethodGet, s.bot.Root()+"/_dev/explain?"+query.Encode(), nil), "the entry point exists", http.StatusOK)
		allowed := s.object(r)["allowed"] == true
		used := s.invoke(user, obj{"name": name, "type": 4, "application": s.Application.String()})
		if works := used.Status == http.StatusOK && s.object(used)["outcome"] != "failed"; works != allowed {
			s.fail("the decision about %s for user %s is %v, but %s returned %d %s", encode(name), user, allowed, used.request, used.Status, short(used.Body))
		}
	}
}

// eventChecks returns the checks of the interactions that apps receive.
func eventChecks() []Check {
	return []Check{
		needing(Activities, invoking("EVT-13", secAuth, 255, "A user who can use the entry point command, according to the picker, can launch the Activity.", checkLaunch)),
		invoking("EVT-01", secEvents, 263, "An interaction contains the user, the guild, the channel and the locales.", func(s *invoker) {
			s.register(nil)
			interaction := s.wantAnswered(s.owner, s.input(s.name("use")))
			s.wantMembers("the interaction", interaction, obj{
				"application_id": s.Application.String(), "type": 2, "version": 1, "guild_id": s.Guild.String(), "channel_id": s.channel,
				"member": obj{"user": obj{"id": s.owner}},
			})
			for _, member := range []string{"id", "token", "app_permissions", "locale", "guild_locale"} {
				if v, _ := interaction[member].(string); v == "" {
					s.fail("%s of the interaction is %s, want a string", member, encode(interaction[member]))
				}
			}
		}),
		invoking("EVT-02", secEvents, 263, "The member of an interaction has roles and permissions.", func(s *invoker) {
			s.register(nil)
			member, _ := s.wantAnswered(s.owner, s.input(s.name("use")))["member"].(map[string]any)
			if _, ok := member["roles"].([]any); !ok {
				s.fail("roles of the member are %s", encode(member["roles"]))
			}
			if _, err := snowflake.Parse[uint64](text(member["permissions"])); err != nil {
				s.fail("permissions of the member are %s, want a number as a string", encode(member["permissions"]))
			}
		}),
		invoking("EVT-03", secEvents, 265, "The data of an interaction contains the command's id, name and type and the given options.", func(s *invoker) {
			made := s.register(with(option(3, "a"), option(4, "b"), option(5, "c")))
			interaction := s.wantAnswered(s.owner, s.input(s.name("use"), optionValue("a", "x"), optionValue("b", 5)))
			s.wantMembers("the data", interaction, obj{"data": obj{"id": made["id"], "name": made["name"], "type": 1, "options": []any{
				obj{"type": 3, "name": "a", "value": "x"}, obj{"type": 4, "name": "b", "value": 5},
			}}})
		}),
		invoking("EVT-04", secLocalization, 143, "Interactions contain the default name of a command, also when the user entered a localized name.", func(s *invoker) {
			local := s.name("use-de")
			s.register(obj{"name_localizations": obj{"de": local, "en-US": local, "fr": local}})
			interaction := s.wantAnswered(s.owner, "/"+local)
			s.wantMembers("the data", interaction, obj{"data": obj{"name": s.name("use")}})
		}),
		invoking("EVT-05", secEvents, 265, "The interaction of a USER command contains the target, resolved as user and member.", func(s *invoker) {
			s.register(obj{"type": 2})
			interaction := s.wantAnswered(s.owner, obj{"name": s.name("Use"), "type": 2, "application": s.Application.String(), "target": s.other})
			s.wantMembers("the data", interaction, obj{"data": obj{"target_id": s.other, "type": 2, "resolved": obj{
				"users": obj{s.other: obj{"id": s.other}}, "members": obj{s.other: obj{}},
			}}})
		}),
		invoking("EVT-06", secAutocomplete, 269, "An autocomplete interaction contains the entered values and marks the focused option.", (*invoker).checkAutocomplete),
		invoking("EVT-14", secAutocomplete, 269, "An autocomplete interaction contains no invalid number: only the focused option can have any text.", (*invoker).checkNumbers),
		invoking("EVT-07", secOption, 76, "An option with autocomplete also accepts values that the app did not suggest.", func(s *invoker) {
			s.register(with(option(3, "a", obj{"autocomplete": true})))
			interaction := s.wantAnswered(s.owner, s.input(s.name("use"), optionValue("a", "never suggested")))
			s.wantMembers("the data", interaction, obj{"data": obj{"options": []any{obj{"value": "never suggested"}}}})
		}),
		invoking("EVT-08", secChoice, 98, "An option with choices accepts no other values.", func(s *invoker) {
			s.register(with(option(3, "a", obj{"choices": []any{obj{"name": "A", "value": "a"}}})))
			s.wantAnswered(s.owner, s.input(s.name("use"), optionValue("a", "a")))
			s.wantUnavailable(s.owner, s.input(s.name("use"), optionValue("a", "b")), "b is not a choice")
		}),
		invoking("EVT-09", secNesting, 194, "A command with subcommands cannot be invoked itself.", func(s *invoker) {
			s.register(with(option(1, "sub")))
			s.wantUnavailable(s.owner, s.input(s.name("use")), "only its subcommand can be invoked")
		}),
		invoking("EVT-10", secAuth, 255, `With default_member_permissions "0", administrators can invoke a command and other members cannot.`, func(s *invoker) {
			s.register(obj{"default_member_permissions": "0"})
			s.wantAnswered(s.owner, s.input(s.name("use")))
			s.wantUnavailable(s.other, s.input(s.name("use")), "the command is for administrators only")
		}),
		invoking("EVT-11", secOption, 66, "A command cannot be invoked without its required options.", func(s *invoker) {
			s.register(with(option(3, "a", obj{"required": true})))
			s.wantUnavailable(s.owner, s.input(s.name("use")), "a required option is missing")
		}),
		invoking("EVT-12", secOption, 71, "An option accepts no value above max_value.", func(s *invoker) {
			s.register(with(option(4, "a", obj{"max_value": 5})))
			s.wantAnswered(s.owner, s.input(s.name("use"), optionValue("a", 5)))
			s.wantUnavailable(s.owner, s.input(s.name("use"), optionValue("a", 6)), "6 is more than 5")
		}),
	}
}

// checkNumbers enters texts for INTEGER options and asks for suggestions.
func (s *invoker) checkNumbers() {
	s.register(with(option(4, "b"), option(4, "a", obj{"autocomplete": true})))
	complete := func(options ...any) reply {
		return s.send(http.MethodPost, s.bot.Root()+"/_dev/invoke", obj{
			"as": s.owner, "in": s.channel, "command": s.input(s.name("use"), options...), "autocomplete": "a",
		})
	}
	s.app.takeInteraction()
	r := complete(optionValue("b", "abc"), optionValue("a", "1"))
	if got := s.app.takeInteraction(); r.Status < 400 || r.Status >= 500 || got != nil {
		s.fail("%s returned %d %s, want a 4xx status and no interaction: abc is no number", r.request, r.Status, short(r.Body))
	}
	s.wantStatus(complete(optionValue("b", 5), optionValue("a", "abc")), "the focused option can have any text", http.StatusOK)
}

// checkAutocomplete enters a value for an option and checks the autocomplete interaction.
func (s *invoker) checkAutocomplete() {
	s.register(with(option(4, "b"), option(3, "a", obj{"autocomplete": true})))
	s.app.takeInteraction()
	r := s.send(http.MethodPost, s.bot.Root()+"/_dev/invoke", obj{
		"as": s.owner, "in": s.channel, "command": s.input(s.name("use"), optionValue("b", 5), optionValue("a", "par")), "autocomplete": "a",
	})
	s.wantStatus(r, "the option has autocomplete", http.StatusOK)
	interaction := s.app.takeInteraction()
	if interaction == nil {
		s.fail("%s: the app received no interaction", r.request)
	}
	s.wantMembers("the interaction", interaction, obj{"type": 4, "data": obj{"options": []any{
		obj{"name": "b", "value": 5, "focused": false}, obj{"name": "a", "value": "par", "focused": true},
	}}})
}
