package lobby

import (
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
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

// maxExact is the largest id that may be a JSON number: programs that parse numbers as floats lose digits beyond it.
const maxExact = 1 << 53

// ReadPatch parses a request that creates or changes a lobby. The error contains every finding.
func ReadPatch(body jsonbody.Value) (Patch, error) {
	var t jsonbody.Tree
	var p Patch
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return p, t.Err()
	}
	p.Metadata = jsonbody.ReadOptional(&t, body, "metadata", func(t *jsonbody.Tree, v jsonbody.Value) Metadata {
		return readMetadata(t, v, metadataBounds)
	})
	p.Flags = jsonbody.ReadOptional(&t, body, "flags", readFlags[Flags])
	p.IdleTimeout = readTimeout(&t, body)
	p.WebhooksURL = jsonbody.ReadOptional(&t, body, "override_event_webhooks_url", readURL)
	if v := body.Get("members"); v.IsSet() {
		p.Members = optional.Of(readMembers(t.At("members"), v))
	}
	return p, t.Err()
}

// ReadMember parses a request that puts a member.
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

// ReadBulk parses a request that puts and removes many members.
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

// Join is a request to join the lobby of a secret, which is created if it does not exist.
type Join struct {
	Secret string
	Lobby  Patch // without members
	// Metadata is the metadata of the caller's member.
	Metadata optional.Value[Metadata]
}

// ReadJoin parses a request to join a lobby.
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
	j.Lobby.Metadata = jsonbody.ReadOptional(&t, body, "lobby_metadata", func(t *jsonbody.Tree, v jsonbody.Value) Metadata {
		return readMetadata(t, v, metadataBounds)
	})
	j.Metadata = jsonbody.ReadOptional(&t, body, "member_metadata", func(t *jsonbody.Tree, v jsonbody.Value) Metadata {
		return readMetadata(t, v, metadataBounds)
	})
	j.Lobby.Flags = jsonbody.ReadOptional(&t, body, "flags", readFlags[Flags])
	j.Lobby.IdleTimeout = readTimeout(&t, body)
	return j, t.Err()
}

// ReadLink parses a request that links a lobby with a channel; 0 unlinks it.
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

// readMembers parses the list of a lobby's members. The last of several entries with the same id counts.
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

// readEntry parses one member of a list.
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
	e.Metadata = jsonbody.ReadOptional(t, body, "metadata", func(t *jsonbody.Tree, v jsonbody.Value) Metadata {
		return readMetadata(t, v, metadataBounds)
	})
	e.Flags = jsonbody.ReadOptional(t, body, "flags", readFlags[MemberFlags])
}

func (e *Entry) readName(t *jsonbody.Tree, body jsonbody.Value) {
	e.AdditionalName = jsonbody.ReadOptional(t, body, "additional_name", func(t *jsonbody.Tree, v jsonbody.Value) string {
		return readText(t, v, 1, MaxAdditionalName)
	})
}

// readUser parses a user id. 0 is not a user id.
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

// readFlags parses a set of flags. There is only one flag.
func readFlags[F ~uint32](t *jsonbody.Tree, v jsonbody.Value) F {
	n, ok := jsonbody.AsWhole(t, v)
	if ok && n != 0 && n != 1 {
		jsonbody.NotOneOfInts(t, 0, 1)
	}
	return F(n & 1)
}

// readTimeout parses the idle timeout. Null counts as absent.
func readTimeout(t *jsonbody.Tree, body jsonbody.Value) optional.Value[time.Duration] {
	v := body.Get("idle_timeout_seconds")
	if !v.IsSet() {
		return optional.Value[time.Duration]{}
	}
	n, _ := jsonbody.AsInt(t.At("idle_timeout_seconds"), v, int64(MinIdleTimeout/time.Second), int64(MaxIdleTimeout/time.Second))
	return optional.Of(time.Duration(n) * time.Second)
}

// readText parses a text that is stored. It copies it, so that the request body can be freed.
func readText(t *jsonbody.Tree, v jsonbody.Value, low, high int) string {
	s, ok := jsonbody.AsString(t, v)
	if n := jsonbody.Len(s); ok && (n < low || n > high) {
		t.Length(low, high)
	}
	return strings.Clone(s)
}

// readURL parses an https URL for events.
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
	invalid := strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) })
	if !https || invalid || rest == "" || strings.ContainsRune("/?#:@", rune(rest[0])) {
		t.Add(InvalidURL, "Not a well formed URL.")
		return ""
	}
	return strings.Clone(s)
}
