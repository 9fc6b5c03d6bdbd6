package gateway

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ready is the data of READY.
type ready struct {
	V               int              `json:"v"`
	User            wire.Me          `json:"user"`
	SessionID       string           `json:"session_id"`
	SessionType     string           `json:"session_type"`
	ResumeURL       string           `json:"resume_gateway_url"`
	Shard           *[2]uint32       `json:"shard,omitzero"`
	Application     *readyApp        `json:"application,omitzero"`
	Scopes          []string         `json:"scopes,omitzero"`
	Guilds          []jsontext.Value `json:"guilds"`
	PrivateChannels []wire.Direct    `json:"private_channels"`
	Lobbies         []jsontext.Value `json:"lobbies,omitzero"`
	Relationships   []string         `json:"relationships"`
	Presences       []string         `json:"presences"`
	JoinRequests    []string         `json:"guild_join_requests"`
	UserSettings    struct{}         `json:"user_settings"`
	RTCRegions      []string         `json:"geo_ordered_rtc_regions"`
	FeatureFlags    *featureFlags    `json:"feature_flags,omitzero"`
	Trace           []string         `json:"_trace"`
}

// readyApp is the application in a bot's READY.
type readyApp struct {
	ID       snowflake.Application `json:"id"`
	Flags    uint64                `json:"flags"`
	FlagsNew uint64                `json:"flags_new,string"`
}

type featureFlags struct {
	DisabledFunctions []string `json:"disabled_functions"`
	DisabledEvents    []string `json:"disabled_gateway_events"`
}

// unavailable is a guild in a bot's READY. GUILD_CREATE follows.
type unavailable struct {
	ID          snowflake.Guild `json:"id"`
	Unavailable bool            `json:"unavailable"`
}

// sendReady sends READY and the events that follow it: GUILD_CREATE to bots, LOBBY_CREATE to clients.
func (k *conn) sendReady(ctx context.Context, s *session.Session, id *identifyData, guilds []snowflake.Guild) error {
	g := k.gateway
	u, err := g.Directory.Users.User(ctx, s.User)
	if err != nil {
		return err
	}
	r := ready{
		V: k.version, User: convert.WireMe(u, s.Kind != session.Client || slices.Contains(s.Scopes, "email")), SessionID: s.Session,
		SessionType: "normal", ResumeURL: k.url, Trace: []string{"bellhop"},
	}
	var then []socket.Frame
	switch s.Kind {
	case session.Bot:
		err = g.fillBotReady(ctx, s, &r, guilds)
	case session.User:
		err = g.fillPersonReady(ctx, s, &r, guilds)
	case session.Client:
		then, err = g.fillClientReady(ctx, s, &r, id.Capabilities)
	}
	if err != nil {
		return err
	}
	f, err := socket.NewEvent("READY", r)
	if err != nil {
		return err
	}
	s.DispatchInitial(f)
	for _, f := range then {
		s.DispatchInitial(f)
	}
	if s.Kind == session.Bot && s.WantsGuilds() {
		return k.sendGuilds(ctx, s, id, guilds)
	}
	return nil
}

// sendGuilds sends GUILD_CREATE for each guild and waits for the bot to read them.
func (k *conn) sendGuilds(ctx context.Context, s *session.Session, id *identifyData, guilds []snowflake.Guild) error {
	for _, guild := range guilds {
		if s.HasLost() {
			return nil // the session is about to be invalidated
		}
		s.DispatchInitial(k.gateway.view.GuildCreate(ctx, s, guild, id.LargeThreshold))
		if err := k.WaitDrained(); err != nil {
			return err
		}
	}
	return nil
}

// fillBotReady adds what a bot gets.
func (g *Gateway) fillBotReady(ctx context.Context, s *session.Session, r *ready, guilds []snowflake.Guild) error {
	app, err := g.Directory.Applications.Application(ctx, s.Application)
	if err != nil {
		return err
	}
	commands := false
	if g.HasCommands != nil {
		if commands, err = g.HasCommands(ctx, s.Application); err != nil {
			return err
		}
	}
	flags := convert.ApplicationFlags(app, commands)
	r.Application = &readyApp{ID: app.ID, Flags: flags, FlagsNew: flags}
	r.Shard = &[2]uint32{s.Shard.ID, s.Shard.Count}
	for _, guild := range guilds {
		text, err := json.Marshal(unavailable{guild, true})
		if err != nil {
			return err
		}
		r.Guilds = append(r.Guilds, text)
	}
	return nil
}

// fillPersonReady adds what a user gets: all guilds and direct-message channels.
func (g *Gateway) fillPersonReady(ctx context.Context, s *session.Session, r *ready, guilds []snowflake.Guild) error {
	for _, guild := range guilds {
		text, err := g.view.Guild(ctx, s, guild)
		if err != nil {
			return err
		}
		r.Guilds = append(r.Guilds, text)
	}
	directs, err := g.Directory.Channels.Directs(ctx, s.User)
	if err != nil {
		return err
	}
	for _, d := range directs {
		shown, err := g.Directory.Channels.ShownDirect(ctx, d)
		if err != nil {
			return err
		}
		r.PrivateChannels = append(r.PrivateChannels, shown)
	}
	return nil
}

// fillClientReady adds the lobbies of the user, or returns them as LOBBY_CREATE events if the client does not take them
// in READY.
func (g *Gateway) fillClientReady(ctx context.Context, s *session.Session, r *ready, capabilities uint64) ([]socket.Frame, error) {
	r.SessionType, r.Scopes, r.FeatureFlags = "oauth", s.Scopes, &featureFlags{}
	if g.Lobbies == nil {
		return nil, nil
	}
	lobbies, err := g.Lobbies.LobbiesOf(ctx, s.Application, s.User)
	if err != nil {
		return nil, err
	}
	if capabilities&lobbiesInReady != 0 {
		r.Lobbies = []jsontext.Value{}
		for _, l := range lobbies {
			r.Lobbies = append(r.Lobbies, l)
		}
		return nil, nil
	}
	frames := make([]socket.Frame, len(lobbies))
	for i, l := range lobbies {
		frames[i] = socket.NewFrame("LOBBY_CREATE", l)
	}
	return frames, nil
}
