package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/presence"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// identifyData is the data of Identify (op 2).
type identifyData struct {
	Token          string          `json:"token"`
	Intents        *uint64         `json:"intents"`
	Properties     jsontext.Value  `json:"properties"`
	LargeThreshold *int            `json:"large_threshold"`
	Shard          []int64         `json:"shard"`
	Capabilities   uint64          `json:"capabilities"`
	Presence       presence.Update `json:"presence"`
}

// lobbiesInReady is the capability of clients that take their lobbies in READY instead of LOBBY_CREATE events.
const lobbiesInReady = 1 << 16

// identify handles Identify (op 2) and begins a session.
func (k *conn) identify(ctx context.Context, p *payload) error {
	var id identifyData
	if err := p.read(&id); err != nil {
		return err
	}
	if id.Properties.Kind() != '{' {
		return socket.ErrDecode
	}
	principal, token, err := k.authenticate(ctx, id.Token)
	if err != nil {
		return err
	}
	s, err := k.gateway.newSession(ctx, principal, &id)
	if err != nil {
		return err
	}
	s.Token = token
	if !k.gateway.countStart(ctx, s) {
		k.SendText(invalidSession)
		return nil
	}
	return k.start(ctx, s, &id)
}

// authenticate returns the principal of a token. It counts wrong tokens like the HTTP layer: against the limit of the address,
// and for its block. It returns socket.ErrTooMany beyond the limit and during a block.
func (k *conn) authenticate(ctx context.Context, text string) (auth.Principal, store.TokenHash, error) {
	g := k.gateway
	p, hash, err := g.authenticate(ctx, text)
	if !errors.Is(err, socket.ErrToken) {
		return p, hash, err
	}
	now, wrong := g.Clock.Now(), wrongToken(text)
	if g.Edge != nil {
		if _, blocked := g.Edge.Blocked(k.from, wrong, now); blocked {
			return p, hash, socket.ErrTooMany
		}
	}
	status := http.StatusUnauthorized
	verdict := g.Limits.Check(ctx, ratelimit.Other, &ratelimit.Caller{Address: k.from}, now)
	if verdict.Scope() != ratelimit.Allowed {
		status, err = http.StatusTooManyRequests, socket.ErrTooMany
	}
	if g.Edge != nil && g.Edge.Answered(k.from, wrong, status, verdict.Scope(), now) {
		g.Log.WarnContext(ctx, "address blocked: too many clients of the gateway had wrong tokens",
			"address", k.from.String(), "credential", wrong.String(), "for", g.Limits.Policy.Edge.Block.String())
	}
	if status == http.StatusUnauthorized {
		g.Audit.AddFailure(audit.WithActor(ctx, &audit.Actor{Address: k.from}), audit.Entry{Action: "gateway.signin_failed", Target: "/gateway"})
	}
	return p, hash, err
}

// wrongToken returns the kind of a token that is not valid. The gateway takes a token without a scheme for that of a bot.
func wrongToken(text string) ratelimit.Credential {
	if scheme, _, ok := strings.Cut(text, " "); ok && strings.EqualFold(scheme, "Bearer") {
		return ratelimit.WrongBearerToken
	}
	return ratelimit.WrongBotToken
}

// authenticate returns the principal of a token: a bot token with or without "Bot", a "Bearer" access token, or a user
// token.
func (g *Gateway) authenticate(ctx context.Context, text string) (auth.Principal, store.TokenHash, error) {
	scheme, token, schemed := strings.Cut(text, " ")
	if !schemed {
		token = text
	}
	tries := []string{text}
	if !schemed {
		tries = []string{"Bot " + token, token}
	} else if scheme != "Bot" && !strings.EqualFold(scheme, "Bearer") {
		return auth.Principal{}, store.TokenHash{}, socket.ErrToken
	}
	for _, header := range tries {
		p, err := g.Tokens.Authenticate(ctx, header)
		if errors.Is(err, auth.ErrUnauthorized) {
			continue
		}
		return p, auth.Hash(token), err
	}
	return auth.Principal{}, store.TokenHash{}, socket.ErrToken
}

// newSession returns the session that an Identify asks for.
func (g *Gateway) newSession(ctx context.Context, p auth.Principal, id *identifyData) (*session.Session, error) {
	s := session.New()
	s.Application, s.User, s.Shard = p.Application, p.User, session.Shard{ID: 0, Count: 1}
	switch p.Kind {
	case store.BotToken:
		s.Kind, s.User = session.Bot, snowflake.User(p.Application)
		return s, g.setBotOptions(ctx, s, id)
	case store.UserToken:
		s.Kind = session.User
	case store.BearerToken:
		s.Kind, s.Scopes = session.Client, p.Scopes
		if p.Own || !p.HasScope(auth.ScopeIdentify) || !p.HasScope("gateway.connect") {
			return nil, socket.ErrToken
		}
		if id.Intents != nil {
			s.Intents = uint32(*id.Intents & knownIntents)
		}
	default:
		return nil, socket.ErrToken
	}
	return s, nil
}

// The bits of gateway intents.
const (
	knownIntents = 1<<29 - 1
	userIntents  = 1<<17 | 1<<18 | 1<<19 | 1<<22 | 1<<23 | 1<<26 | 1<<27 | 1<<28 // only for users; ignored for bots
)

// checkPrivileged checks that the privileged intents that a bot asks for are switched on.
func checkPrivileged(intents uint64, app *store.Application) error {
	var off []string
	for _, p := range world.PrivilegedIntents() {
		if intents&p.Bit != 0 && !convert.IntentOn(app, p.Name) {
			off = append(off, p.Name)
		}
	}
	if len(off) == 0 {
		return nil
	}
	return socket.NotAllowed(off)
}

// setBotOptions sets the shard and the intents of a bot's session.
func (g *Gateway) setBotOptions(ctx context.Context, s *session.Session, id *identifyData) error {
	if len(id.Shard) > 0 {
		if len(id.Shard) != 2 || id.Shard[0] < 0 || id.Shard[0] >= id.Shard[1] || id.Shard[1] > 1<<20 {
			return socket.ErrShard
		}
		s.Shard = session.Shard{ID: uint32(id.Shard[0]), Count: uint32(id.Shard[1])}
	}
	if id.Intents == nil || *id.Intents > knownIntents {
		return socket.ErrIntents
	}
	app, err := g.Directory.Applications.Application(ctx, s.Application)
	if errors.Is(err, directory.ErrUnknownApplication) {
		return socket.ErrToken
	}
	if err != nil {
		return err
	}
	if err := checkPrivileged(*id.Intents, app); err != nil {
		return err
	}
	s.Intents = uint32(*id.Intents &^ userIntents)
	return nil
}

// start adds a session to the index and sends READY.
func (k *conn) start(ctx context.Context, s *session.Session, id *identifyData) error {
	g := k.gateway
	shown, err := id.Presence.Show(s.Kind == session.Bot, g.Clock.Now())
	if err != nil {
		return socket.ErrDecode
	}
	started, err := g.waitToStart(ctx)
	if err != nil {
		return err
	}
	defer g.workers.Go(func() {
		_ = k.WaitWritten() // or until the connection ends
		started()
	})
	k.Compress()
	g.index.Add(s, &k.Conn) // from here on the session gets every event
	k.identified()
	g.closeOldest(s)
	if err := g.followEvents(ctx); err != nil {
		return err
	}
	if s.Kind == session.Bot {
		g.connections.announceBot(ctx, s.Application) // before READY: then invocations on other nodes find the bot
	}
	k.extendDeadline(g.silenceTimeout())
	guilds, err := g.guildsOf(ctx, s)
	if err != nil {
		return err
	}
	if len(guilds) > g.Settings.MaxGuilds && s.Kind == session.Bot {
		return socket.ErrNeedsShards
	}
	guilds = g.index.AddGuilds(s, guilds)
	if err := g.followEvents(ctx); err != nil {
		return err
	}
	if err := k.sendReady(ctx, s, id, guilds); err != nil {
		return err
	}
	if !s.SetReady(g.bounds) {
		g.Log.WarnContext(ctx, "events lost while a session started", "user", s.User.String())
		g.invalidate(s)
		return nil
	}
	g.connections.changed(s)
	g.statuses.set(s, shown)
	g.node.PublishSoon(s)
	return nil
}

// followTimeout bounds the wait of a new session for the reader of the event log.
const followTimeout = 10 * time.Second

// followEvents waits until this node reads the events of all sessions in the index. What a session reads after that may be
// older than an event, but the session gets the event.
func (g *Gateway) followEvents(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	if err := g.Interest.Wait(ctx); err != nil {
		return fmt.Errorf("follow the events of a session: %w", err)
	}
	return nil
}

// guildsOf returns the guilds of a session, ordered by id.
func (g *Gateway) guildsOf(ctx context.Context, s *session.Session) ([]snowflake.Guild, error) {
	var ids []snowflake.Guild
	if s.Kind == session.Client {
		return nil, nil
	}
	for after := snowflake.Guild(0); ; {
		page, err := g.Directory.Users.Memberships(ctx, s.User, after, directory.MaxPage)
		if errors.Is(err, directory.ErrUnknownUser) {
			return nil, socket.ErrToken
		}
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if s.Shard.Owns(m.Guild) {
				ids = append(ids, m.Guild)
			}
		}
		if len(page) < directory.MaxPage {
			return ids, nil
		}
		after = page[len(page)-1].Guild
	}
}
