package bellhoptest

import (
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// World is the people and places that a server starts with. Nothing in it is required; what is left out gets a sensible
// default.
type World = world.World

// The parts of a World. Ids are numbers; constants will do.
type (
	// User is a person.
	User = world.User
	// Application is an app with its bot.
	Application = world.Application
	// Guild is a place with roles, channels, members and installed apps.
	Guild = world.Guild
	// Role is what members of a guild carry.
	Role = world.Role
	// Channel is one of a guild.
	Channel = world.Channel
	// Overwrite changes the permissions of a role or a member in a channel.
	Overwrite = world.Overwrite
	// Member is a user in a guild.
	Member = world.Member
	// GuildInstall is an app in a guild.
	GuildInstall = world.GuildInstall
	// UserInstall is an app that a user has installed.
	UserInstall = world.UserInstall
)

// DemoWorld returns the world of "bellhop dev": the people ada, bob and cleo, the app Echo, and the guild Lab.
func DemoWorld() World { return world.Demo() }

// ReadWorld reads a world file, YAML or JSON. A fault in it ends the test.
func ReadWorld(t testing.TB, file string) World {
	t.Helper()
	w, err := world.Parse("world", []byte(file))
	if err != nil {
		t.Fatalf("bellhoptest: %v", err)
	}
	return w
}

// botTokens returns the bot token of each application: its own, or the one that was just made.
func botTokens(w World, made directory.Applied) map[snowflake.Application]string {
	tokens := map[snowflake.Application]string{}
	for _, a := range w.Applications {
		tokens[a.ID] = a.BotToken
	}
	for id, secret := range made.BotTokens {
		tokens[id] = secret.Reveal()
	}
	return tokens
}

func userTokens(w World, made directory.Applied) map[snowflake.User]string {
	tokens := map[snowflake.User]string{}
	for _, u := range w.Users {
		tokens[u.ID] = u.Token
	}
	for id, secret := range made.UserTokens {
		tokens[id] = secret.Reveal()
	}
	return tokens
}
