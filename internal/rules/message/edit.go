package message

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// ReadChannelEdit reads an edit of a message in a channel by its author: old with the members of body in place of its
// own. If byUser is set, embeds and components are ignored. The error is a *jsonbody.Tree or ErrEmpty.
func ReadChannelEdit(body jsonbody.Value, old Content, files []File, byUser bool) (Content, error) {
	var t jsonbody.Tree
	if byUser {
		body = without(body, "embeds", "components")
	}
	c := old.amended(&t, body, files, &channelEdit)
	if err := t.Err(); err != nil {
		return Content{}, err
	}
	if c.empty() && !c.Flags.Has(HasSnapshot) {
		return Content{}, ErrEmpty
	}
	return c, nil
}

// CheckEditable checks that a message of a type can be edited. The error is an *apierror.Error.
func (c Content) CheckEditable(t Type) error {
	switch {
	case !t.Written():
		return apierror.SystemMessage
	case c.Poll.IsSet():
		return apierror.PollEdit
	case c.Flags.Has(IsVoiceMessage):
		return apierror.VoiceMessageEdit
	}
	return nil
}

// OnlyFlags reports whether an edit has no member but flags. Users who can manage messages can send such an edit for a
// message of another user.
func OnlyFlags(body jsonbody.Value, files []File) bool {
	return len(files) == 0 && !slices.ContainsFunc(body.Members(), func(m jsonbody.Member) bool { return m.Name != "flags" })
}

// MarksEdited reports whether an edit changes the time of the last edit. Changes of flags do not.
func MarksEdited(body jsonbody.Value, files []File) bool {
	return len(files) > 0 || slices.ContainsFunc(body.Members(), func(m jsonbody.Member) bool {
		return slices.Contains([]string{"content", "embeds", "components", "attachments"}, m.Name)
	})
}

// Limits of the deletion of many messages.
const (
	minBulkDelete = 2
	maxBulkDelete = 100
	maxBulkAge    = 14 * 24 * time.Hour
)

// ReadBulkDelete reads a request to delete many messages. The error is a *jsonbody.Tree or an *apierror.Error.
func ReadBulkDelete(body jsonbody.Value, now time.Time) ([]snowflake.Message, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return nil, t.Err()
	}
	at, v := t.At("messages"), body.Get("messages")
	if !v.IsSet() {
		at.Required()
		return nil, t.Err()
	}
	items, ok := jsonbody.AsList(at, v)
	if ok && (len(items) < minBulkDelete || len(items) > maxBulkDelete) {
		return nil, apierror.BulkDeleteCount
	}
	list, seen := make([]snowflake.Message, 0, len(items)), map[snowflake.Message]bool{}
	old := false
	for i, item := range items {
		id, _ := jsonbody.AsID[snowflake.Message](at.Index(i), item)
		if seen[id] && !at.Index(i).Failed() {
			at.Index(i).Add(jsonbody.Repeated, "The set already contains this value")
		}
		seen[id] = true
		old = old || now.Sub(id.Time()) >= maxBulkAge
		list = append(list, id)
	}
	if err := t.Err(); err != nil {
		return nil, err
	}
	if old {
		return nil, apierror.BulkDeleteAge
	}
	return list, nil
}
