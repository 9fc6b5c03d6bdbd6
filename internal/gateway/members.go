package gateway

import (
	"context"
	"errors"
	"strconv"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/presence"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a request for members.
const (
	maxChunk = 1000 // members in one event
	maxNamed = 100  // user ids in a request, and results of a search
	maxNonce = 32   // bytes
)

// memberRequest is the data of Request Guild Members (op 8): by user ids, by the beginning of names, or all members.
type memberRequest struct {
	Guild     oneOrMany[snowflake.Guild] `json:"guild_id"`
	Query     *string                    `json:"query"`
	Users     oneOrMany[snowflake.User]  `json:"user_ids"`
	Limit     int                        `json:"limit"`
	Presences bool                       `json:"presences"`
	Nonce     string                     `json:"nonce"`
}

// oneOrMany is a list that clients may also send as a single value.
type oneOrMany[T any] []T

// UnmarshalJSONFrom reads a list or a single value.
func (l *oneOrMany[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '[' || d.PeekKind() == 'n' {
		return json.UnmarshalDecode(d, (*[]T)(l))
	}
	*l = make([]T, 1)
	return json.UnmarshalDecode(d, &(*l)[0])
}

// chunk is the data of GUILD_MEMBERS_CHUNK.
type chunk struct {
	Guild     snowflake.Guild  `json:"guild_id"`
	Members   []wire.Member    `json:"members"`
	Index     int              `json:"chunk_index"`
	Count     int              `json:"chunk_count"`
	NotFound  []string         `json:"not_found,omitzero"`
	Presences *[]presence.Wire `json:"presences,omitzero"`
	Nonce     string           `json:"nonce,omitzero"`
}

// requestMembers handles Request Guild Members (op 8). It ignores a guild that the session is not in.
func (k *conn) requestMembers(ctx context.Context, s *session.Session, p *payload) error {
	var want memberRequest
	if err := p.read(&want); err != nil {
		return err
	}
	if len(want.Guild) != 1 || want.Query == nil && len(want.Users) == 0 || want.Limit < 0 || len(want.Users) > maxNamed {
		return socket.ErrDecode
	}
	if len(want.Nonce) > maxNonce {
		want.Nonce = ""
	}
	guild := want.Guild[0]
	if !k.gateway.index.IsIn(s, guild) {
		return nil
	}
	return k.gateway.node.SendPrivate(ctx, s, func() error {
		switch {
		case len(want.Users) > 0:
			return k.sendNamed(ctx, s, guild, &want)
		case *want.Query != "" || want.Limit > 0:
			return k.sendSearched(ctx, s, guild, &want)
		default:
			return k.sendAll(ctx, s, guild, &want)
		}
	})
}

// sendNamed sends the members with the requested ids.
func (k *conn) sendNamed(ctx context.Context, s *session.Session, guild snowflake.Guild, want *memberRequest) error {
	c := chunk{Guild: guild, Count: 1, Nonce: want.Nonce, NotFound: []string{}}
	for _, id := range want.Users {
		m, err := k.gateway.Directory.Guilds.MemberWithUser(ctx, guild, id)
		if errors.Is(err, directory.ErrUnknownMember) {
			c.NotFound = append(c.NotFound, id.String())
			continue
		}
		if err != nil {
			return err
		}
		c.Members = append(c.Members, m)
	}
	return k.sendChunk(s, &c, want)
}

// sendSearched sends the members whose names begin with a text.
func (k *conn) sendSearched(ctx context.Context, s *session.Session, guild snowflake.Guild, want *memberRequest) error {
	limit := min(want.Limit, maxNamed)
	if limit == 0 {
		limit = maxNamed
	}
	found, err := k.gateway.Directory.Guilds.SearchMembers(ctx, guild, *want.Query, limit)
	if err != nil {
		return err
	}
	c := chunk{Guild: guild, Count: 1, Nonce: want.Nonce, Members: found}
	return k.sendChunk(s, &c, want)
}

// sendAll sends all members and waits for the client to read them. A bot without the intent GUILD_MEMBERS gets only
// itself.
func (k *conn) sendAll(ctx context.Context, s *session.Session, guild snowflake.Guild, want *memberRequest) error {
	if s.Kind == session.Bot && s.Intents&events.GuildMembers == 0 {
		want.Users = []snowflake.User{s.User}
		return k.sendNamed(ctx, s, guild, want)
	}
	caller := ratelimit.Caller{Application: s.Application, User: s.User, Guild: guild}
	_, claim := k.gateway.Limits.Policy.Claims(ratelimit.GatewayMembers, &caller)
	if !claim.IsZero() {
		if _, r := k.gateway.Limits.Limiter.Take(ctx, k.gateway.Clock.Now(), ratelimit.Claim{}, claim); !r.Allowed {
			return k.sendLimited(s, guild, r, want.Nonce)
		}
	}
	count, err := k.gateway.Directory.Guilds.MemberCount(ctx, guild)
	if err != nil {
		return err
	}
	chunks := max((count+maxChunk-1)/maxChunk, 1)
	after := snowflake.User(0)
	for i := range chunks {
		page, err := k.gateway.Directory.Guilds.MembersWithUsers(ctx, guild, after, maxChunk)
		if err != nil {
			return err
		}
		c := chunk{Guild: guild, Index: i, Count: chunks, Nonce: want.Nonce, Members: page}
		if len(page) > 0 {
			after = page[len(page)-1].User.ID
		}
		if err := k.sendChunk(s, &c, want); err != nil {
			return err
		}
		if err := k.WaitDrained(); err != nil {
			return err
		}
		k.extendDeadline(k.gateway.silenceTimeout()) // heartbeats are not read meanwhile
	}
	return nil
}

// sendChunk sends one GUILD_MEMBERS_CHUNK.
func (k *conn) sendChunk(s *session.Session, c *chunk, want *memberRequest) error {
	if want.Presences {
		c.Presences = &[]presence.Wire{}
		if s.Kind != session.Bot || s.Intents&events.GuildPresences != 0 {
			*c.Presences = k.gateway.statuses.listed(c.Members)
		}
	}
	f, err := socket.NewEvent("GUILD_MEMBERS_CHUNK", c)
	if err != nil {
		return err
	}
	s.Dispatch(f, k.gateway.bounds)
	return nil
}

// sendLimited sends RATE_LIMITED to a client that requested all members of a guild too often.
func (k *conn) sendLimited(s *session.Session, guild snowflake.Guild, r ratelimit.Result, nonce string) error {
	type meta struct {
		Guild snowflake.Guild `json:"guild_id"`
		Nonce string          `json:"nonce,omitzero"`
	}
	seconds := strconv.FormatFloat(r.ResetAfter.Seconds(), 'f', 3, 64)
	f, err := socket.NewEvent("RATE_LIMITED", struct {
		Opcode     opcode         `json:"opcode"`
		RetryAfter jsontext.Value `json:"retry_after"`
		Meta       meta           `json:"meta"`
	}{opRequestMembers, jsontext.Value(seconds), meta{guild, nonce}})
	if err != nil {
		return err
	}
	s.Dispatch(f, k.gateway.bounds)
	return nil
}
