package gateway

import (
	"context"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// identity is how a client says who it is and what it wants to hear.
type identity struct {
	Token          string         `json:"token"`
	Intents        *uint64        `json:"intents"`
	Properties     jsontext.Value `json:"properties"`
	LargeThreshold *int           `json:"large_threshold"`
	Shard          []int64        `json:"shard"`
	Capabilities   uint64         `json:"capabilities"`
}

// lobbiesInReady is the capability of clients that take their lobbies in READY.
const lobbiesInReady = 1 << 16

// identify begins a session.
func (k *conn) identify(ctx context.Context, p *payload) error {
	var id identity
	if err := p.read(&id); err != nil {
		return err
	}
	if id.Properties.Kind() != '{' {
		return socket.ErrDecode
	}
	principal, token, err := k.gateway.authenticate(ctx, id.Token)
	if err != nil {
		return err
	}
	s, err := k.gateway.newSession(ctx, principal, &id)
	if err != nil {
		return err
	}
	s.Token = token
	if !k.gateway.mayStart(ctx, s) {
		k.Say(invalidSession)
		return nil
	}
	return k.start(ctx, s, &id)
}

// authenticate returns who stands behind a token: a bot's, with or without "Bot" before it, "Bearer" and that of a client,
// or a person's own.
func (g *Gateway) authenticate(ctx context.Context, text string) (auth.Principal, store.TokenHash, error) {
	scheme, token, schemed := strings.Cut(text, " ")
	if !schemed {
		token = text
	}
	tries := []string{text}
	if !schemed {
		tries = []string{"Bot " + token, token}
	} else if !strings.EqualFold(scheme, "Bot") && !strings.EqualFold(scheme, "Bearer") {
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

// newSession returns a session as a client asks for it.
func (g *Gateway) newSession(ctx context.Context, p auth.Principal, id *identity) (*session.Session, error) {
	s := session.New()
	s.Application, s.User, s.Shard = p.Application, p.User, session.Shard{ID: 0, Count: 1}
	switch p.Kind {
	case store.BotToken:
		s.Kind, s.User = session.Bot, snowflake.User(p.Application)
		return s, g.readBot(ctx, s, id)
	case store.UserToken:
		s.Kind = session.Person
	case store.BearerToken:
		s.Kind, s.Scopes = session.Client, p.Scopes
		if p.Own || !p.HasScope(auth.ScopeIdentify) || !p.HasScope("gateway.connect") && !p.HasScope("voice") {
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

// What bots may ask for, by the bits of their intents.
const (
	knownIntents  = 1<<29 - 1
	peopleIntents = 1<<17 | 1<<18 | 1<<19 | 1<<22 | 1<<23 | 1<<26 | 1<<27 | 1<<28 // for others than bots; left out
)

// privileged says which flags, one of them, an application needs for an intent.
var privileged = []struct{ intent, flags uint64 }{
	{1 << 1, 1<<14 | 1<<15},
	{1 << 8, 1<<12 | 1<<13},
	{1 << 15, 1<<18 | 1<<19},
}

// readBot reads what a bot wants to hear, and of which of its guilds.
func (g *Gateway) readBot(ctx context.Context, s *session.Session, id *identity) error {
	if len(id.Shard) > 0 {
		if len(id.Shard) != 2 || id.Shard[0] < 0 || id.Shard[0] >= id.Shard[1] || id.Shard[1] > 1<<20 {
			return socket.ErrShard
		}
		s.Shard = session.Shard{ID: uint32(id.Shard[0]), Count: uint32(id.Shard[1])}
	}
	if id.Intents == nil || *id.Intents > knownIntents {
		return socket.ErrIntents
	}
	app, err := g.Directory.Application(ctx, s.Application)
	if errors.Is(err, directory.ErrUnknownApplication) {
		return socket.ErrToken
	}
	if err != nil {
		return err
	}
	for _, p := range privileged {
		if *id.Intents&p.intent != 0 && app.Intents&p.flags == 0 {
			return socket.ErrNotAllowed
		}
	}
	s.Intents = uint32(*id.Intents &^ peopleIntents)
	return nil
}

// start makes a session known and tells its client how everything stands.
func (k *conn) start(ctx context.Context, s *session.Session, id *identity) error {
	g := k.gateway
	g.index.Enter(s, &k.Link) // from here on nothing that happens is missed
	k.heard(g.patience())
	guilds, err := g.guildsOf(ctx, s)
	if err != nil {
		return err
	}
	if len(guilds) > g.Settings.MaxGuilds && s.Kind == session.Bot {
		return socket.ErrNeedsShards
	}
	guilds = g.index.Settle(s, guilds)
	if err := k.greet(ctx, s, id, guilds); err != nil {
		return err
	}
	s.Started(g.bounds)
	g.presence.changed(s)
	g.node.Soon(s)
	return nil
}

// guildsOf returns the guilds that a session hears of, in the order of their ids.
func (g *Gateway) guildsOf(ctx context.Context, s *session.Session) ([]snowflake.Guild, error) {
	var ids []snowflake.Guild
	if s.Kind == session.Client {
		return nil, nil
	}
	for after := snowflake.Guild(0); ; {
		page, err := g.Directory.Memberships(ctx, s.User, after, directory.MaxPage)
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
