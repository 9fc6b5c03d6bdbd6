package server

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/admin"
	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/channelhook"
	"github.com/bellhop/bellhop/internal/channels"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/eventhook"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/invites"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/polls"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/retention"
	"github.com/bellhop/bellhop/internal/roleconnections"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/threads"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// AttachmentsFolder is the name of the folder for the files of messages in the data folder.
const AttachmentsFolder = "attachments"

// buildServices builds the services that need only the store. buildDispatch and buildGateway follow.
func (s *Server) buildServices(ctx context.Context, cfg Config) (err error) {
	s.commands = registry.New(s.cache, s.clock, s.lease.ids)
	s.commands.DailyCreates = cfg.Limits.Creates
	sealer := s.sealer
	s.audit = &audit.Log{
		Store: s.store, Clock: s.clock, Wall: s.wall, IDs: s.lease.ids, Logger: cfg.Log.With("part", "audit"), Sealer: sealer, Settings: cfg.Audit,
	}
	s.commands.Audit = s.audit
	s.directory = directory.New(directory.Config{
		Store: s.store, Cache: s.cache, Clock: s.clock, IDs: s.lease.ids, Audit: s.audit,
		Log: cfg.Log.With("part", "directory"), Threads: threads.Follow,
	})
	s.provision = &provision.Provisioner{
		Directory: s.directory, Clock: s.clock, Audit: s.audit, Sealer: sealer, StrongSecrets: !cfg.Dev, AllIntents: cfg.AllIntents,
		OnActivities: s.commands.AddEntryPoint, OnCommands: s.commands.Import,
	}
	var refused auth.Hashes
	if !cfg.Dev {
		refused = auth.HashAll(world.PublishedSecrets())
	}
	s.tokens = &auth.Authenticator{Records: s.directory.Credentials, Clock: s.clock, Refused: refused}
	if cfg.Dev && cfg.AnyBotToken && cfg.World != nil && len(cfg.World.Applications) > 0 {
		s.tokens.AnyBot = cfg.World.Applications[0].ID
	}
	s.figures = metrics.New(cfg.Version)
	s.outbox = outbox.New(outbox.Config{Store: s.store, Clock: s.clock, IDs: s.lease.ids, Log: cfg.Log.With("part", "outbox"), Metrics: s.figures})
	if err := s.openHooks(cfg); err != nil {
		return err
	}
	s.appEvents = eventhook.New(eventhook.Config{
		Directory: s.directory, Sealer: sealer, Outbox: s.outbox, Clock: s.clock, Wall: s.wall, Log: cfg.Log.With("part", "eventhook"), Send: s.sendEvent,
	})
	s.lobbies = lobbies.New(lobbies.Config{
		Hooks: s.callbacks, EventRecords: s.appEvents.Records,
		Cache: s.cache, Clock: s.clock, Wall: s.wall, IDs: s.lease.ids, Log: cfg.Log.With("part", "lobbies"), Settings: cfg.Lobbies,
		Directory: s.directory, Events: &s.events, Connected: s.connected, Listening: s.listening,
		Post: func(ctx context.Context, c *store.Change, m *store.Message) error {
			return s.messages.PutLobbyMessage(ctx, c, m)
		},
	})
	s.oauth = &oauth.Server{
		Audit: s.audit,
		Store: s.store, Clock: s.clock, Wall: s.wall, Directory: s.directory, Log: cfg.Log.With("part", "oauth"), Issuer: cfg.PublicURL,
		EventRecords: s.appEvents.Records,
		RefreshIdle:  cfg.RefreshIdle, SessionIdle: cfg.SessionIdle, Sealer: sealer, Refused: refused, Hooks: s.callbacks,
	}
	s.tokens.SessionIdle, s.tokens.UseSession = cfg.SessionIdle, s.oauth.UseOperatorSession
	s.players = provisional.New(provisional.Config{
		Store: s.store, Directory: s.directory, OAuth: s.oauth, Clock: s.clock, Wall: s.wall, IDs: s.lease.ids, Log: cfg.Log.With("part", "players"),
		Hooks: s.callbacks, Audit: s.audit, Verify: playerTokens(s.clock, cfg.Dev).Verify, Transfer: s.lobbies.Members.Transfer,
	})
	s.picker = &permissions.Picker{Directory: s.directory, Commands: s.commands, Clock: s.clock, Budget: splitMemory(cfg.Memory).derived}
	sharedFolder := s.shared != nil && cfg.Attachments != ""
	s.attachments, err = attachments.OpenFiles(cmp.Or(cfg.Attachments, filepath.Join(cfg.Data, AttachmentsFolder)), attachments.FilesConfig{
		Shared: sharedFolder, Sealer: sealer,
		Clock: s.clock, Wall: s.wall, Log: cfg.Log.With("part", "attachments"), Base: strings.TrimSuffix(cfg.PublicURL, "/"),
		Referenced: func(ctx context.Context, ids []snowflake.Attachment) ([]snowflake.Attachment, error) {
			used, err := s.messages.FilesInUse(ctx, ids)
			if err != nil {
				return nil, err
			}
			shown, err := s.images.InUse(ctx, ids)
			return append(used, shown...), err
		},
		Forget: func(ctx context.Context, ids []snowflake.Attachment) error {
			return errors.Join(s.messages.ForgetFiles(ctx, ids), s.images.Forget(ctx, ids))
		},
		Measure: func(ctx context.Context) error { return s.messages.MeasureFiles(ctx) },
		Exclusively: func(ctx context.Context, sweep func(context.Context) error) error {
			if !sharedFolder {
				return sweep(ctx)
			}
			return store.Exclusively(ctx, s.store, store.FileCleanWork, 0, sweep)
		},
	})
	s.images = &images.Images{
		Store: s.store, Directory: s.directory, Files: s.attachments, IDs: s.lease.ids, Log: cfg.Log.With("part", "images"),
	}
	if err == nil && s.shared != nil && cfg.Attachments == "" {
		cfg.Log.WarnContext(ctx, "other nodes cannot read the files in the data folder, and do not know the tokens of webhooks: use --attachments")
	}
	return err
}

// buildDispatch builds the service of messages, and the service that delivers interactions to apps and takes their
// responses.
func (s *Server) buildDispatch(cfg Config, m *metrics.Metrics) {
	policy := webhook.Production()
	if cfg.Dev {
		policy = webhook.Development()
	}
	s.webhooks = webhook.New(webhook.Config{Clock: s.wall, Metrics: m, Log: cfg.Log.With("part", "webhook"), Policy: policy})
	var deliverer dispatch.Deliverer = s.webhooks
	if s.dev != nil {
		s.dev.Deliveries = &dev.DeliveryRecorder{Deliverer: s.webhooks, Traffic: &s.dev.Traffic, Clock: s.clock, Wall: s.wall}
		deliverer = s.dev.Deliveries
	}
	s.health = &admin.Health{Clock: s.clock, Failures: s.appEvents.Failures, Sessions: func(app snowflake.Application) int { return s.gateway.BotSessions(app) }}
	s.messages = messages.New(messages.Config{
		Hooks: s.callbacks,
		Cache: s.cache, Clock: s.clock, IDs: s.lease.ids, Directory: s.directory, Files: s.attachments, Quota: cfg.Quota, Audit: s.audit, Metrics: m,
		Log: cfg.Log.With("part", "messages"), Events: &s.events, Linked: s.lobbies.Messages.ChannelEvent,
	})
	s.threads = threads.New(threads.Config{
		Cache: s.cache, Clock: s.clock, IDs: s.lease.ids, Directory: s.directory, Messages: s.messages, Audit: s.audit, Log: cfg.Log.With("part", "threads"),
	})
	s.messages.Threads = s.threads
	s.retention = retention.New(s.store, cfg.MaxMessages, cfg.Log.With("part", "retention"))
	s.polls = polls.New(polls.Config{Cache: s.cache, Clock: s.clock, Messages: s.messages, Log: cfg.Log.With("part", "polls")})
	s.invites = invites.New(invites.Config{Store: s.store, Clock: s.clock, Directory: s.directory, Log: cfg.Log.With("part", "invites")})
	s.channels = channels.New(channels.Config{Clock: s.clock, IDs: s.lease.ids, Directory: s.directory})
	s.hooks = channelhook.New(channelhook.Config{
		Cache: s.cache, Clock: s.clock, IDs: s.lease.ids, Directory: s.directory, Messages: s.messages, Images: s.images, Secrets: s.attachments, Audit: s.audit, Log: cfg.Log.With("part", "channelhook"),
	})
	s.activity = &guilds.Activity{Store: s.store, Clock: s.clock, Wall: s.wall, Log: cfg.Log.With("part", "activity")}
	s.tokens.Active = s.activity.Note
	s.guilds = &guilds.Guilds{
		Directory: s.directory, Images: s.images, Audit: s.audit, Clock: s.clock, IDs: s.lease.ids, Tokens: s.tokens, Messages: s.messages,
		Activity: s.activity,
	}
	s.schedule = guilds.NewSchedule(s.guilds, s.store, cfg.Log.With("part", "schedule"))
	s.premium = premium.New(premium.Config{
		Store: s.store, Cache: s.cache, Directory: s.directory, Clock: s.clock, IDs: s.lease.ids, Log: cfg.Log.With("part", "premium"),
		EventRecords: s.appEvents.Records,
	})
	s.connections = &roleconnections.Connections{Store: s.store, Directory: s.directory}
	s.dispatch = dispatch.New(dispatch.Config{
		Hooks: s.callbacks,
		Cache: s.cache, Clock: s.clock, Wall: s.wall, IDs: s.lease.ids, Directory: s.directory, Picker: s.picker,
		Sealer: s.sealer, Webhooks: deliverer, Messages: s.messages, Metrics: m, Log: cfg.Log.With("part", "dispatch"),
		Ended: s.ended(cfg.Ended), Online: s.online, HasSession: s.hasSession, Endpoint: s.webhooks.Endpoint, Entitlements: s.premium.Valid, Explain: s.dev != nil, Definitions: splitMemory(cfg.Memory).definitions,
		ActivityURL: func(app snowflake.Application, instance string) string {
			return s.oauth.Issuer + "/api/v10/applications/" + app.String() + "/activity-instances/" + instance
		},
	})
	s.directory.Removals.Dependents = []directory.Dependent{s.commands, s.lobbies, s.players, s.oauth, s.messages, s.hooks, s.threads, s.invites, s.guilds, s.premium, s.connections, s.appEvents}
}

// sendEvent posts an event webhook. With dev controls it is in the traffic log.
func (s *Server) sendEvent(ctx context.Context, event string, v webhook.Delivery) error {
	if s.dev != nil {
		return s.dev.Deliveries.Notify(ctx, event, v)
	}
	return s.webhooks.Notify(ctx, v)
}

// ended returns the function that observes interactions: it records them for the health of apps and calls also, which
// may be nil.
func (s *Server) ended(also func(Ended)) func(Ended) {
	return func(e Ended) {
		s.health.Ended(e.Application, admin.EndedInteraction{
			Kind: e.Kind, Result: string(e.Result), Detail: e.Detail, TookMS: float64(e.Took.Microseconds()) / 1000,
		}, e.Result != dispatch.Failed)
		if s.dev != nil {
			s.dev.RecordOutcome(e)
		}
		if also != nil {
			also(e)
		}
	}
}

// buildGateway builds the gateway.
func (s *Server) buildGateway(cfg Config, limits api.Limits, m *metrics.Metrics) {
	parts := splitMemory(cfg.Memory)
	g := gateway.Config{
		Directory: s.directory, Tokens: s.tokens, Bus: &s.events, Clock: s.clock, Wall: s.wall, Limits: limits.Guard, Edge: limits.Edge, Audit: s.audit, Metrics: m,
		Log: cfg.Log.With("part", "gateway"), URL: gatewayURL(cfg.PublicURL), Lobbies: s.gatewayLobbies(), HasCommands: s.hasCommands,
		Active:   s.activity.Note,
		Settings: gateway.Settings{ReplayBytes: parts.replay, Backlog: parts.backlog, MaxStarting: parts.starting},
	}
	if s.dev != nil {
		g.Record = s.dev.RecordFrame
	}
	if s.shared != nil {
		g.Shared, g.Bots, g.Interest = s.shared.sessions, sharedBots{s.shared.presence}, s.shared.log.Interest
	}
	s.gateway = gateway.New(g)
	s.guilds.Voice, s.guilds.Presence = s.gateway, s.gateway
}

// hasCommands reports whether an application has global commands.
func (s *Server) hasCommands(ctx context.Context, app snowflake.Application) (bool, error) {
	list, err := s.commands.Commands(ctx, command.Scope{Application: app})
	return len(list) > 0, err
}
