package command_test

import (
	"fmt"

	"github.com/bellhop/bellhop/command"
)

func ExampleLint() {
	file := `
- name: roll
  description: Roll dice
  options:
    - {type: 4, name: sides, description: How many sides}
    - {type: 4, name: count, description: How many dice, required: true}
- name: Ban
  description: Ban a member
`
	for _, finding := range command.Lint([]byte(file)) {
		fmt.Printf("%d:%d %s: %s\n", finding.Line, finding.Column, finding.Path, finding.Message)
	}
	// Output:
	// 6:7 options.1: Required options must be placed before non-required options
	// 7:9 name: Command name is invalid
}

func ExampleDiff() {
	old := command.Definition{Type: command.ChatInput, Name: "roll", Description: "Roll dice"}
	registered := []command.Command{
		{ID: 1, Type: old.Type, Name: old.Name, Doc: old.Doc()},
		{ID: 2, Type: command.User, Name: "Show Card"},
	}
	roll := old
	roll.Description = "Roll some dice"
	wanted := []command.Item{
		{Definition: roll},
		{Definition: command.Definition{Type: command.ChatInput, Name: "flip", Description: "Flip a coin"}},
	}
	changes, err := command.Diff(registered, wanted)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range changes {
		switch {
		case c.Registered == nil:
			fmt.Println("create", c.Wanted.Name)
		case c.Wanted == nil:
			fmt.Println("delete", c.Registered.Name)
		case c.Kept():
			fmt.Println("keep", c.Wanted.Name)
		default:
			fmt.Println("change", c.Wanted.Name, c.Differences())
		}
	}
	// Output:
	// change roll [{description "Roll dice" "Roll some dice"}]
	// create flip
	// delete Show Card
}

func ExampleValidate() {
	err := command.Validate(command.Definition{
		Type: command.ChatInput, Name: "roll", Description: "Roll dice",
		Options: []command.Option{
			{Type: command.Integer, Name: "sides", Description: "How many sides", MinLength: new(2)},
		},
	})
	fmt.Println(err)
	// Output: invalid form body: options.0.min_length: Min length cannot be configured for this type of option
}

func ExampleDefinition_Size() {
	d := command.Definition{
		Type: command.ChatInput, Name: "roll", Description: "Roll dice",
		DescriptionLocalizations: map[string]string{"de": "Wirf ein paar Würfel"},
	}
	fmt.Println(d.Size(), "of", command.MaxSize)
	// Output: 24 of 8000
}

func ExampleParse() {
	d, err := command.Parse([]byte(`{"type":3,"name":"Translate","contexts":[2,0]}`), command.Env{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Name, d.AvailableIn(command.InGuild), d.AvailableIn(command.InBotDM))
	// Output: Translate true false
}

func ExampleParseFile() {
	file, syntax := command.ParseFile("commands.yaml", []byte("{type: 4, name: Launch, handler: 2}"))
	if syntax != nil {
		fmt.Println(syntax)
		return
	}
	guild := command.Env{Guild: true}
	for _, finding := range file.Lint(guild) {
		fmt.Println(finding)
	}
	// Output: 1:8: type: Value must be one of (1, 2, 3). (BASE_TYPE_CHOICES) in command "Launch"
}
