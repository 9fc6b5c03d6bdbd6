// Package v10 serves version 10 of Discord's API: commands, interactions, lobbies, and the users, guilds and
// channels that they refer to. Its handlers read requests, call the services and write the results. They contain no
// rules.
package v10

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/channelhook"
	"github.com/bellhop/bellhop/internal/channels"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/invites"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/polls"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/roleconnections"
	"github.com/bellhop/bellhop/internal/threads"
	"github.com/bellhop/bellhop/internal/webhook"
)

// Services are the services behind the API. All fields are required.
type Services struct {
	Directory    *directory.Directory
	Commands     *registry.Registry
	Picker       *permissions.Picker
	Permissions  *permissions.Editor
	Lobbies      *lobbies.Lobbies
	Interactions *dispatch.Dispatch
	Channels     *channels.Channels
	Hooks        *channelhook.Webhooks // of channels
	Invites      *invites.Invites
	Messages     *messages.Messages
	Threads      *threads.Threads
	Polls        *polls.Polls
	Guilds       *guilds.Guilds
	Premium      *premium.Premium
	Connections  *roleconnections.Connections // of roles
	Attachments  *attachments.Files
	Images       *images.Images
	Webhooks     *webhook.Deliverer
	Gateway      *gateway.Gateway
	Sealer       *auth.Sealer     // decrypts the keys that sign deliveries; nil: they are not encrypted
	Now          func() time.Time // time of the service
	IDs          interface{ Next() uint64 }
}

// Routes returns the endpoints of the API.
func Routes(s Services) []api.Route {
	commands := &commandHandlers{commands: s.Commands, directory: s.Directory}
	sets := &permissionHandlers{permissions: s.Permissions}
	index := &indexHandlers{picker: s.Picker, directory: s.Directory}
	users := &userHandlers{directory: s.Directory, guilds: s.Guilds}
	guilds := &guildHandlers{directory: s.Directory, guilds: s.Guilds}
	channels := &channelHandlers{directory: s.Directory, channels: s.Channels, threads: s.Threads}
	applications := &applicationHandlers{directory: s.Directory, commands: s.Commands, webhooks: s.Webhooks, images: s.Images, sealer: s.Sealer, ids: s.IDs}
	invites := &inviteHandlers{invites: s.Invites, lobbies: s.Lobbies, directory: s.Directory, guilds: s.Guilds}
	lobby := &lobbyHandlers{lobbies: s.Lobbies, directory: s.Directory}
	interactions := &interactionHandlers{interactions: s.Interactions, directory: s.Directory, now: s.Now}
	messages := &messageHandlers{messages: s.Messages}
	reactions := &reactionHandlers{messages: s.Messages}
	polls := &pollHandlers{polls: s.Polls}
	pins := &pinHandlers{messages: s.Messages}
	typing := &typingHandlers{messages: s.Messages}
	hooks := &webhookHandlers{hooks: s.Hooks, messages: s.Messages, interactions: interactions}
	followers := &followerHandlers{hooks: s.Hooks, messages: s.Messages}
	threads := &threadHandlers{threads: s.Threads}
	moderation := &moderationHandlers{guilds: s.Guilds}
	emojis := &emojiHandlers{guilds: s.Guilds, images: s.Images}
	sold := &premiumHandlers{premium: s.Premium}
	connections := &roleConnectionHandlers{connections: s.Connections}
	sockets := &gatewayHandlers{gateway: s.Gateway, directory: s.Directory}
	return slices.Concat(
		commands.routes(), sets.routes(), index.routes(), users.routes(), guilds.routes(), channels.routes(), applications.routes(),
		lobby.routes(), lobby.messageRoutes(), lobby.inviteRoutes(), invites.routes(), interactions.routes(),
		moderation.settingRoutes(), moderation.auditRoutes(), moderation.memberRoutes(), moderation.banRoutes(), moderation.pruneRoutes(), moderation.voiceRoutes(), guilds.regionRoutes(), moderation.roleRoutes(), moderation.eventRoutes(), moderation.integrationRoutes(), moderation.screenRoutes(),
		threads.routes(), threads.memberRoutes(), threads.listRoutes(),
		messages.routes(), reactions.routes(), polls.routes(), pins.routes(), typing.routes(), hooks.routes(), hooks.messageRoutes(), followers.routes(), emojis.routes(), soundboardRoutes(), sockets.routes(), sold.routes(), connections.routes(),
	)
}
