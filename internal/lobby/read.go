package lobby

import (
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// Findings of this package.
const (
	InvalidURL jsonbody.Code = "URL_TYPE_INVALID_URL"
	BotMember  jsonbody.Code = "LOBBY_MEMBER_BOT"
)

// Lengths, in code points.
const (
	MaxSecret         = 250
	MaxAdditionalName = 80
	maxWebhooksURL    = 512
)

// maxExact is the largest id that can come as a number: beyond it programs that keep numbers as floats lose digits.
const maxExact = 1 << 53

// ReadPatch reads the body of a request that makes or changes a lobby, with everything that is wrong with it.
func ReadPatch(body jsonbody.Value) (Patch, error) {
	var t jsonbody.Tree
	var p Patch
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return p, t.Err()
	}
	p.Metadata = readAny(body, "metadata", func(v jsonbody.Value) Metadata {
		return readMetadata(t.At("metadata"), v, metadataBounds)
	})
	p.Flags = readAny(body, "flags", func(v jsonbody.Value) Flags { return readFlags[Flags](t.At("flags"), v) })
	p.IdleTimeout = readTimeout(&t, body)
	p.WebhooksURL = readAny(body, "override_event_webhooks_url", func(v jsonbody.Value) string {
		return readURL(t.At("override_event_webhooks_url"), v)
	})
	if v := body.Get("members"); v.IsSet() {
		p.Members = optional.Of(readMembers(t.At("members"), v))
	}
	return p, t.Err()
}

// ReadMember reads the body of a request that puts a member.
func ReadMember(id snowflake.User, body jsonbody.Value) (Entry, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return Entry{}, t.Err()
	}
	e := Entry{ID: id}
	e.read(&t, body)
	e.readName(&t, body)
	return e, t.Err()
}

// ReadBulk reads the body of a request that puts and removes many members.
func ReadBulk(body jsonbody.Value) ([]Entry, error) {
	var t jsonbody.Tree
	items, ok := jsonbody.AsList(&t, body)
	if !ok {
		return nil, t.Err()
	}
	if len(items) < 1 || len(items) > MaxPerRequest {
		t.Length(1, MaxPerRequest)
		items = items[:min(len(items), MaxPerRequest)]
	}
	entries := make([]Entry, 0, len(items))
	for i, item := range items {
		at := t.Index(i)
		e, ok := readEntry(at, item)
		if !ok {
			continue
		}
		e.Index = i
		e.readName(at, item)
		if v := item.Get("remove_member"); v.IsSet() {
			e.Remove, _ = jsonbody.AsBool(at.At("remove_member"), v)
		}
		entries = append(entries, e)
	}
	return entries, t.Err()
}

// Join is a request to enter the lobby of a secret, which is made when there is none.
type Join struct {
	Secret string
	Lobby  Patch // without members
	// Metadata is the caller's as a member.
	Metadata optional.Value[Metadata]
}

// ReadJoin reads the body of such a request.
func ReadJoin(body jsonbody.Value) (Join, error) {
	var t jsonbody.Tree
	var j Join
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return j, t.Err()
	}
	if v := body.Get("secret"); v.IsSet() {
		j.Secret = readText(t.At("secret"), v, 1, MaxSecret)
	} else {
		t.At("secret").Required()
	}
	j.Lobby.Metadata = readAny(body, "lobby_metadata", func(v jsonbody.Value) Metadata {
		return readMetadata(t.At("lobby_metadata"), v, metadataBounds)
	})
	j.Metadata = readAny(body, "member_metadata", func(v jsonbody.Value) Metadata {
		return readMetadata(t.At("member_metadata"), v, metadataBounds)
	})
	j.Lobby.Flags = readAny(body, "flags", func(v jsonbody.Value) Flags { return readFlags[Flags](t.At("flags"), v) })
	j.Lobby.IdleTimeout = readTimeout(&t, body)
	return j, t.Err()
}

// ReadLink reads the body of a request that links a lobby with a channel; 0 unlinks it.
func ReadLink(body jsonbody.Value) (snowflake.Channel, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return 0, t.Err()
	}
	v := body.Get("channel_id")
	if !v.IsSet() {
		return 0, nil
	}
	id, _ := jsonbody.AsID[snowflake.Channel](t.At("channel_id"), v)
	return id, t.Err()
}

// readAny reads a member that may be absent or null; both stay what they are.
func readAny[T any](body jsonbody.Value, name string, read func(jsonbody.Value) T) optional.Value[T] {
	switch v := body.Get(name); v.Kind() {
	case jsonbody.Absent:
		return optional.Value[T]{}
	case jsonbody.Null:
		return optional.Null[T]()
	default:
		return optional.Of(read(v))
	}
}

// readMembers reads the list of members of a lobby. Of entries with the same id the last counts.
func readMembers(t *jsonbody.Tree, v jsonbody.Value) []Entry {
	items, _ := jsonbody.AsList(t, v)
	if len(items) > MaxPerRequest {
		t.Length(-1, MaxPerRequest)
		items = items[:MaxPerRequest]
	}
	entries := make([]Entry, 0, len(items))
	for i, item := range items {
		e, ok := readEntry(t.Index(i), item)
		if !ok {
			continue
		}
		e.Index = i
		entries = drop(entries, e.ID)
		entries = append(entries, e)
	}
	return entries
}

// readEntry reads a member of a list.
func readEntry(t *jsonbody.Tree, item jsonbody.Value) (Entry, bool) {
	var e Entry
	if _, ok := jsonbody.AsObject(t, item); !ok {
		return e, false
	}
	e.ID = readUser(t.At("id"), item.Get("id"))
	e.read(t, item)
	return e, e.ID != 0
}

func (e *Entry) read(t *jsonbody.Tree, body jsonbody.Value) {
	e.Metadata = readAny(body, "metadata", func(v jsonbody.Value) Metadata {
		return readMetadata(t.At("metadata"), v, metadataBounds)
	})
	e.Flags = readAny(body, "flags", func(v jsonbody.Value) MemberFlags { return readFlags[MemberFlags](t.At("flags"), v) })
}

func (e *Entry) readName(t *jsonbody.Tree, body jsonbody.Value) {
	e.AdditionalName = readAny(body, "additional_name", func(v jsonbody.Value) string {
		return readText(t.At("additional_name"), v, 1, MaxAdditionalName)
	})
}

// readUser reads the id of a user. No user has the id 0.
func readUser(t *jsonbody.Tree, v jsonbody.Value) snowflake.User {
	if !v.IsSet() {
		t.Required()
		return 0
	}
	id, ok := jsonbody.AsID[snowflake.User](t, v)
	if ok && (id == 0 || v.Kind() == jsonbody.Number && id > maxExact) {
		t.NotA("snowflake", v.String())
		return 0
	}
	return id
}

// readFlags reads a set of flags, of which there is one.
func readFlags[F ~uint32](t *jsonbody.Tree, v jsonbody.Value) F {
	n, ok := jsonbody.AsWhole(t, v)
	if ok && n != 0 && n != 1 {
		jsonbody.NotOneOfInts(t, 0, 1)
	}
	return F(n & 1)
}

// readTimeout reads how long a lobby stays idle. Null says nothing, as if it were absent.
func readTimeout(t *jsonbody.Tree, body jsonbody.Value) optional.Value[time.Duration] {
	v := body.Get("idle_timeout_seconds")
	if !v.IsSet() {
		return optional.Value[time.Duration]{}
	}
	n, _ := jsonbody.AsInt(t.At("idle_timeout_seconds"), v, int64(MinIdleTimeout/time.Second), int64(MaxIdleTimeout/time.Second))
	return optional.Of(time.Duration(n) * time.Second)
}

// readText reads a text that is kept: it does not hold on to the document it came in.
func readText(t *jsonbody.Tree, v jsonbody.Value, low, high int) string {
	s, ok := jsonbody.AsString(t, v)
	if n := jsonbody.Len(s); ok && (n < low || n > high) {
		t.Length(low, high)
	}
	return strings.Clone(s)
}

// readURL reads an address for events: https, with a host.
func readURL(t *jsonbody.Tree, v jsonbody.Value) string {
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return ""
	}
	if jsonbody.Len(s) > maxWebhooksURL {
		t.Length(-1, maxWebhooksURL)
		return ""
	}
	rest, https := strings.CutPrefix(s, "https://")
	odd := strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) })
	if !https || odd || rest == "" || strings.ContainsRune("/?#:@", rune(rest[0])) {
		t.Add(InvalidURL, "Not a well formed URL.")
		return ""
	}
	return strings.Clone(s)
}
