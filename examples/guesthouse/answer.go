package guesthouse

import (
	"context"
	"fmt"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object.
type object = map[string]any

// ephemeral is the flag of messages that only one user sees.
const ephemeral = 1 << 6

// answer returns the answer to an interaction.
func (a *App) answer(in *interaction) client.Callback {
	switch in.Type {
	case client.Ping:
		return client.Callback{Type: client.Pong}
	case client.Autocomplete:
		return dishes(in)
	case client.MessageComponent:
		return component(in)
	case client.ModalSubmit:
		return feedbackGiven(in)
	default:
		return a.command(in)
	}
}

// command answers a command.
func (a *App) command(in *interaction) client.Callback {
	switch in.Data.Name {
	case "welcome":
		return say(welcome(in.Locale, in.guest().name()))
	case "book":
		return say(booking(in))
	case "room":
		return client.Callback{Type: client.ChannelMessage, Data: object{"embeds": []object{room(in.text("kind"))}}}
	case "breakfast":
		return say("One order of " + in.text("dish") + " for " + in.guest().name() + ", coming up.")
	case "house":
		return say(house(in.Data.Options))
	case "bell":
		return client.Callback{Type: client.ChannelMessage, Data: bell("", 0)}
	case "keys":
		return client.Callback{Type: client.ChannelMessage, Data: keys()}
	case "feedback":
		return client.Callback{Type: client.OpenModal, Data: feedbackForm()}
	case "safe":
		return client.Callback{Type: client.ChannelMessage, Data: object{"content": "The code of your safe is 4711. Only you see this.", "flags": ephemeral}}
	case "laundry":
		return a.laundry(in)
	case "games", "games room":
		return client.Callback{Type: client.LaunchActivity}
	case "Greet guest":
		return say(in.guest().name() + " greets " + in.Data.Resolved.Users[in.Data.Target].name() + ".")
	case "Pin to the board":
		return say("On the board: \u201c" + in.Data.Resolved.Messages[in.Data.Target].Content + "\u201d")
	}
	return say("The guest house does not know " + in.Data.Name + ".")
}

// say answers with a message.
func say(text string) client.Callback {
	return client.Callback{Type: client.ChannelMessage, Data: object{"content": text, "allowed_mentions": object{"parse": []string{}}}}
}

// option returns the JSON value of an option, or nil.
func (in *interaction) option(name string) jsontext.Value {
	return client.InteractionData{Options: in.Data.Options}.Option(name)
}

// text returns the value of an option as text, or an empty text.
func (in *interaction) text(name string) string {
	v := in.option(name)
	if v.Kind() != '"' {
		return string(v)
	}
	var s string
	_ = json.Unmarshal(v, &s) // the service sends valid JSON
	return s
}

// welcome greets a guest in the language of the client.
func welcome(locale, name string) string {
	switch locale {
	case "de":
		return "Willkommen, " + name + "! Dein Zimmer ist bereit."
	case "fr":
		return "Bienvenue, " + name + " ! Tout est prêt."
	}
	return "Welcome, " + name + "! Your room is ready."
}

// booking repeats the options of a booking.
func booking(in *interaction) string {
	lines := []string{"Booked:"}
	add := func(label, format, name string) {
		if value := in.text(name); value != "" {
			lines = append(lines, fmt.Sprintf("- %s: "+format, label, value))
		}
	}
	add("Name", "%s", "name")
	add("Nights", "%s", "nights")
	add("At most", "%s a night", "budget")
	add("Breakfast", "%s", "breakfast")
	add("Together with", "<@%s>", "with")
	add("Announced in", "<#%s>", "news")
	add("Group", "<@&%s>", "group")
	if who := in.text("notify"); who != "" {
		mention := "<@&" + who + ">"
		if _, isUser := in.Data.Resolved.Users[who]; isUser {
			mention = "<@" + who + ">"
		}
		lines = append(lines, "- We tell: "+mention)
	}
	if file, ok := in.Data.Resolved.Attachments[in.text("picture")]; ok {
		lines = append(lines, fmt.Sprintf("- Picture: %s, %d bytes", file.Filename, file.Size))
	}
	return strings.Join(lines, "\n")
}

// room describes a room as an embed.
func room(kind string) object {
	about := map[string][3]string{
		"single": {"Single room", "One bed, a desk and a view of the garden.", "60"},
		"double": {"Double room", "Two beds and a balcony.", "90"},
		"attic":  {"Attic", "Four beds under the roof.", "140"},
	}[kind]
	return object{
		"title": about[0], "description": about[1], "color": 0x2E7D5B,
		"fields": []object{{"name": "Price", "value": about[2] + " a night", "inline": true}, {"name": "Free", "value": "today", "inline": true}},
		"footer": object{"text": "Guesthouse"},
	}
}

// house answers the subcommands of /house.
func house(options []client.OptionValue) string {
	for len(options) == 1 && len(options[0].Options) > 0 {
		options = options[0].Options
	}
	if len(options) == 1 && options[0].Name != "status" {
		return "The lights are " + options[0].Name + "."
	}
	return "All rooms are clean and the kettle is on."
}

// dishes suggests what the user may be typing.
func dishes(in *interaction) client.Callback {
	typed := strings.ToLower(in.text("dish"))
	list := []object{}
	for _, dish := range []string{"Boiled eggs", "Fruit salad", "Muesli", "Pancakes", "Porridge", "Toast with jam"} {
		if strings.Contains(strings.ToLower(dish), typed) {
			list = append(list, object{"name": dish, "value": dish})
		}
	}
	return client.Callback{Type: client.AutocompleteResult, Data: object{"choices": list}}
}

// laundry defers the answer, and later fills it in and sends a second message.
func (a *App) laundry(in *interaction) client.Callback {
	app, token := in.Application, in.Token
	send := func(ctx context.Context) {
		// If a request fails, the user sees that the answer is missing.
		if _, err := a.api.EditOriginalResponse(ctx, app, token, object{"content": "Your clothes are clean."}); err == nil {
			_, _ = a.api.Follow(ctx, app, token, object{"content": "They hang in your wardrobe.", "flags": ephemeral})
		}
	}
	select {
	case a.later <- send:
		return client.Callback{Type: client.DeferredChannelMessage}
	default:
		return say("The laundry is full.")
	}
}
