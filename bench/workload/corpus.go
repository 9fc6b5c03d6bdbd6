package workload

import (
	"fmt"
	"strings"
)

const (
	// ListLength is the number of commands of an application.
	ListLength = 50
	// firstApplication is the id of application 0.
	firstApplication = 1300000000000000000
	// Owner is the id of the user who owns every application.
	Owner = 1200000000000000000
)

// ApplicationID returns the id of application i.
func ApplicationID(i int) uint64 { return firstApplication + uint64(i) }

// BotToken returns the token of the bot of application i.
func BotToken(i int) string { return fmt.Sprintf("bot-V7mQ2xK9tR4zL8pW3n-%05d", i) }

var (
	subjects = []string{"ban", "event", "poll", "queue", "quote", "remind", "role", "score", "ticket", "weather"}
	verbs    = []string{"add", "export", "list", "show", "take"}
)

// commandOptions are the options of commands. With names and descriptions, a definition has 250 bytes on average.
var commandOptions = []string{
	``,
	`[{"type":3,"name":"title","description":"What it is about","required":true,"min_length":3,"max_length":80},` +
		`{"type":5,"name":"silent","description":"Tell nobody about it"}]`,
	`[{"type":6,"name":"member","description":"Who it is for","required":true},` +
		`{"type":3,"name":"reason","description":"Why, for the log","max_length":200}]`,
	`[{"type":4,"name":"amount","description":"How many","min_value":1,"max_value":100},` +
		`{"type":3,"name":"order","description":"Which come first","choices":` +
		`[{"name":"Newest","value":"new"},{"name":"Oldest","value":"old"}]}]`,
	`[{"type":1,"name":"here","description":"Only in this channel"},` +
		`{"type":1,"name":"channel","description":"In another channel","options":` +
		`[{"type":7,"name":"where","description":"Which channel","required":true,"channel_types":[0,5]}]}]`,
}

// Definition returns the JSON of command i of an application. Its description contains a mark.
func Definition(i int) string {
	name := subjects[i/len(verbs)%len(subjects)] + "-" + verbs[i%len(verbs)]
	var options string
	if o := commandOptions[(i+i/len(verbs))%len(commandOptions)]; o != "" {
		options = `,"options":` + o
	}
	return fmt.Sprintf(`{"name":%q,"type":1,"description":"Lets the team %s, edition %s"%s}`,
		name, strings.ReplaceAll(name, "-", "s "), Mark, options)
}

// Definitions returns the JSON of all commands of an application.
func Definitions() []byte {
	all := make([]string, ListLength)
	for i := range all {
		all[i] = Definition(i)
	}
	return []byte("[" + strings.Join(all, ",") + "]")
}

// World returns a world file with the given number of applications and one user.
func World(applications int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "users:\n  - {id: \"%d\", username: bench}\napplications:\n", uint64(Owner))
	for i := range applications {
		fmt.Fprintf(&b, "  - {id: \"%d\", name: App %d, owner: \"%d\", bot_token: %s}\n",
			ApplicationID(i), i, uint64(Owner), BotToken(i))
	}
	return []byte(b.String())
}
