package message

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Create is a request to create a message in a channel.
type Create struct {
	Content      Content
	Nonce        Nonce
	EnforceNonce bool
	Reference    Reference // zero: the message is neither a reply nor a forward
}

// NonceLife is the time for which EnforceNonce finds an earlier message with the same nonce.
const NonceLife = 5 * time.Minute

// ReadCreate reads a request to create a message in a channel. If byUser is set, embeds and components are dropped.
// The error is a *jsonbody.Tree, ErrEmpty or an *apierror.Error.
func ReadCreate(body jsonbody.Value, files []File, byUser bool) (Create, error) {
	var t jsonbody.Tree
	if byUser {
		body = without(body, "embeds", "components")
	}
	m := Create{Content: Content{}.amended(&t, body, files, &channelForm)}
	m.Nonce = readNonce(t.At("nonce"), body.Get("nonce"))
	if v := body.Get("enforce_nonce"); v.IsSet() {
		m.EnforceNonce, _ = jsonbody.AsBool(t.At("enforce_nonce"), v)
	}
	m.EnforceNonce = m.EnforceNonce || byUser
	if v := body.Get("message_reference"); v.IsSet() {
		m.Reference = readReference(t.At("message_reference"), v)
	}
	if err := t.Err(); err != nil {
		return Create{}, err
	}
	if m.Content.empty() && !m.Reference.Forward {
		return Create{}, ErrEmpty
	}
	if err := m.Content.checkVoice(); err != nil {
		return Create{}, err
	}
	return m, nil
}

// ReadPostAt reads the first message of a post in a forum. It adds errors to at, which is a node of tree.
func ReadPostAt(tree, at *jsonbody.Tree, body jsonbody.Value, files []File) (Content, error) {
	return Content{}.amended(at, body, files, &postForm).checked(tree)
}

// without returns an object without some members.
func without(body jsonbody.Value, names ...string) jsonbody.Value {
	if body.Kind() != jsonbody.Object {
		return body
	}
	var kept []jsonbody.Member
	for _, m := range body.Members() {
		if !slices.Contains(names, m.Name) {
			kept = append(kept, m)
		}
	}
	return jsonbody.ObjectOf(kept...)
}

// checkVoice checks the rules of voice messages: one audio file with its length and waveform, and nothing else.
func (c *Content) checkVoice() error {
	if !c.Flags.Has(IsVoiceMessage) {
		return nil
	}
	extra := *c
	extra.Attachments = nil
	switch {
	case !extra.empty():
		return apierror.VoiceMessageContent
	case len(c.Attachments) != 1 || !strings.HasPrefix(c.Attachments[0].ContentType, "audio/"):
		return apierror.VoiceMessageFile
	case c.Attachments[0].Duration == 0 || c.Attachments[0].Waveform == "":
		return apierror.VoiceMessageMetadata
	}
	return nil
}

// Nonce is the JSON form of the nonce of a request: a string or a number. It is empty if the request has none.
type Nonce string

const maxNonce = 25

// TextNonce returns a nonce that is a string. An empty string is no nonce.
func TextNonce(s string) Nonce {
	if s == "" {
		return ""
	}
	return Nonce(jsonbody.AppendString(nil, s))
}

// readNonce reads a nonce. Its JSON type is kept.
func readNonce(t *jsonbody.Tree, v jsonbody.Value) Nonce {
	switch v.Kind() {
	case jsonbody.Absent, jsonbody.Null:
		return ""
	case jsonbody.Number:
		n, err := strconv.ParseInt(v.Text(), 10, 64)
		if err != nil {
			t.NotA("int", v.String())
			return ""
		}
		return Nonce(strconv.FormatInt(n, 10))
	default:
		s, ok := jsonbody.AsString(t, v)
		if ok {
			jsonbody.CheckLength(t, jsonbody.Len(s), 0, maxNonce)
		}
		return TextNonce(s)
	}
}

// Reference names the message that a message replies to or forwards.
type Reference struct {
	Forward bool
	Message snowflake.Message
	Channel snowflake.Channel // 0: the channel of the new message
	Guild   snowflake.Guild   // 0: not checked
	// Optional means that a reply to a message that does not exist is sent as an ordinary message.
	Optional bool
}

// print writes the reference. channel and guild are those of the message.
func (r Reference) print(p *wire.Printer, channel snowflake.Channel, guild snowflake.Guild) {
	kind := int64(0)
	if r.Forward {
		kind = 1
	}
	p.Integer(`,"message_reference":{"type":`, kind)
	p.ID(`,"channel_id":`, uint64(cmp.Or(r.Channel, channel)))
	if r.Message != 0 {
		p.ID(`,"message_id":`, uint64(r.Message))
	}
	if id := cmp.Or(r.Guild, guild); id != 0 {
		p.ID(`,"guild_id":`, uint64(id))
	}
	p.Raw(`}`)
}

// readReference reads the member message_reference.
func readReference(t *jsonbody.Tree, v jsonbody.Value) Reference {
	v, ok := jsonbody.AsObject(t, v)
	if !ok {
		return Reference{}
	}
	var r Reference
	if kind := v.Get("type"); kind.IsSet() {
		n, ok := jsonbody.AsWhole(t.At("type"), kind)
		if ok && n != 0 && n != 1 {
			jsonbody.NotOneOfInts(t.At("type"), 0, 1)
		}
		r.Forward = n == 1
	}
	r.Message = jsonbody.ReadID[snowflake.Message](t, v, "message_id", true)
	r.Channel = jsonbody.ReadID[snowflake.Channel](t, v, "channel_id", r.Forward)
	r.Guild = jsonbody.ReadID[snowflake.Guild](t, v, "guild_id", false)
	if fail := v.Get("fail_if_not_exists"); fail.IsSet() {
		must, ok := jsonbody.AsBool(t.At("fail_if_not_exists"), fail)
		r.Optional = ok && !must
	}
	return r
}

// Target is the message that a reference names.
type Target struct {
	Channel snowflake.Channel
	Guild   snowflake.Guild
	Type    Type
	Poll    bool
}

// Reply checks the reply to a message. in is the channel of the reply. target is nil if the message does not exist. Reply
// returns false if the message is sent without a reference. The error is a *jsonbody.Tree.
func (r Reference) Reply(in snowflake.Channel, target *Target) (bool, error) {
	var t jsonbody.Tree
	at := t.At("message_reference")
	switch {
	case r.Channel != 0 && r.Channel != in, target != nil && target.Channel != in:
		at.Add(ReplyElsewhere, "Cannot reply to a message in a different channel")
	case target == nil && r.Optional:
		return false, nil
	case target == nil, r.Guild != 0 && r.Guild != target.Guild:
		at.Add(ReplyUnknown, "Unknown message")
	case !target.Type.Written():
		at.Add(ReplyToSystem, "Cannot reply to a system message")
	}
	return t.Err() == nil, t.Err()
}

// CheckForward checks the message to be forwarded. target is nil if it does not exist. readable says that the sender can
// read its content. The error is an *apierror.Error.
func (r Reference) CheckForward(target *Target, readable bool) error {
	switch {
	case target == nil || target.Channel != r.Channel:
		return apierror.UnknownMessage
	case !target.Type.Written() || target.Poll:
		return apierror.WrongMessageType
	case !readable:
		return apierror.CannotForward
	}
	return nil
}

// Forwarded returns the content of a message that forwards another one, and the JSON of its snapshot. The author of the
// snapshot is not shown.
func (m *Post) Forwarded() (Content, []byte) {
	p := wire.Printer{Files: m.Content.Attachments}
	c := &m.Content
	p.Integer(`{"message":{"type":`, int64(m.Type))
	p.Text(`,"content":`, c.Text)
	p.Raw(`,"embeds":`)
	printList(&p, c.Embeds)
	printAttachments(&p, c.Attachments)
	p.Time(`,"timestamp":`, m.Created)
	p.Time(`,"edited_timestamp":`, m.Edited)
	p.Integer(`,"flags":`, int64(c.Flags))
	m.printMentions(&p)
	printStickers(&p, m.StickerItems)
	p.Raw(`,"components":`)
	c.Components.printShown(&p, uint64(m.ID))
	p.Raw(`}}`)
	return Content{Flags: HasSnapshot}, p.Out
}
