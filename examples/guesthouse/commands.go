package guesthouse

import "github.com/bellhop/bellhop/command"

// Commands are the commands of the guest house.
var Commands = []command.Definition{
	{
		Name: "welcome", Description: "Say hello, in the language of your client",
		NameLocalizations: map[string]string{"de": "willkommen", "fr": "bienvenue"},
		DescriptionLocalizations: map[string]string{
			"de": "Begrüßt dich in deiner Sprache", "fr": "Vous salue dans votre langue",
		},
	},
	{
		Name: "book", Description: "Book a room: an option of every type",
		Options: []command.Option{
			{Type: command.String, Name: "name", Description: "Name on the booking", Required: true, MinLength: new(2), MaxLength: new(40)},
			{Type: command.Integer, Name: "nights", Description: "How many nights", Required: true, MinValue: new(1.0), MaxValue: new(14.0)},
			{Type: command.Number, Name: "budget", Description: "Most that a night may cost", MinValue: new(0.0)},
			{Type: command.Boolean, Name: "breakfast", Description: "With breakfast"},
			{Type: command.OptionUser, Name: "with", Description: "Who comes along"},
			{Type: command.Channel, Name: "news", Description: "Where we announce you", ChannelTypes: []command.ChannelType{0}},
			{Type: command.Role, Name: "group", Description: "The group you belong to"},
			{Type: command.Mentionable, Name: "notify", Description: "Whom we tell"},
			{Type: command.Attachment, Name: "picture", Description: "A picture for your door"},
		},
	},
	{
		Name: "room", Description: "Look at a room: choices and an embed",
		Options: []command.Option{{
			Type: command.String, Name: "kind", Description: "Which kind of room", Required: true,
			Choices: []command.Choice{choice("Single", "single"), choice("Double", "double"), choice("Attic", "attic")},
		}},
	},
	{
		Name: "breakfast", Description: "Order breakfast: suggestions while you type",
		Options: []command.Option{{Type: command.String, Name: "dish", Description: "What you would like", Required: true, Autocomplete: true}},
	},
	{
		Name: "house", Description: "Look after the house: subcommands in a group",
		Options: []command.Option{
			{Type: command.SubCommand, Name: "status", Description: "How is the house"},
			{Type: command.SubCommandGroup, Name: "lights", Description: "The lights", Options: []command.Option{
				{Type: command.SubCommand, Name: "on", Description: "Turn the lights on"},
				{Type: command.SubCommand, Name: "off", Description: "Turn the lights off"},
			}},
		},
	},
	{Name: "bell", Description: "Ring the bell at the desk: buttons"},
	{Name: "keys", Description: "Collect your keys: selects"},
	{Name: "feedback", Description: "Tell us how it was: a form"},
	{Name: "safe", Description: "Open your safe: only you see the answer"},
	{Name: "laundry", Description: "Have your clothes washed: the answer comes later"},
	{Name: "games", Description: "Open the games room: an activity"},
	{Type: command.User, Name: "Greet guest"},
	{Type: command.Message, Name: "Pin to the board"},
	{Type: command.PrimaryEntryPoint, Name: "games room", Description: "Open the games room", Handler: command.AppHandler},
}

func choice(name, value string) command.Choice {
	return command.Choice{Name: name, Value: command.TextValue(value)}
}
