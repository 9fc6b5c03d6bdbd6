package channel

import (
	"cmp"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// NewThread is a request to create a thread, with the defaults of its parent filled in.
type NewThread struct {
	Type            Type
	Name            string
	ArchiveDuration int  // minutes
	Slowmode        int  // seconds
	Invitable       bool // of a private thread: every member can add others
	Tags            []snowflake.Tag
	Message         message.Content // the first message of a post
}

// ReadThreadFromMessage reads a request to create a thread from a message of a channel with settings parent. The error
// is a *jsonbody.Tree or an *apierror.Error.
func ReadThreadFromMessage(body jsonbody.Value, parent Settings) (NewThread, error) {
	var t jsonbody.Tree
	n, ok := readThread(&t, body, parent)
	switch {
	case !ok:
		return NewThread{}, t.Err()
	case parent.Type == Text:
		n.Type = PublicThread
	case parent.Type == Announcement:
		n.Type = AnnouncementThread
	default:
		return NewThread{}, apierror.WrongChannelType
	}
	return n, t.Err()
}

// ReadThread reads a request to create a thread without a message. Without a type, the thread is private, or an
// announcement thread in an announcement channel. The error is a *jsonbody.Tree or an *apierror.Error.
func ReadThread(body jsonbody.Value, parent Settings) (NewThread, error) {
	var t jsonbody.Tree
	n, ok := readThread(&t, body, parent)
	if !ok {
		return NewThread{}, t.Err()
	}
	possible := map[Type][]Type{Text: {PrivateThread, PublicThread}, Announcement: {AnnouncementThread}}[parent.Type]
	if len(possible) == 0 {
		return NewThread{}, apierror.WrongChannelType
	}
	kind := jsonbody.OneOf(int(AnnouncementThread), int(PublicThread), int(PrivateThread))
	n.Type = Type(jsonbody.ReadGiven(&t, body, "type", kind).Or(int(possible[0])))
	n.Invitable = n.Type == PrivateThread && jsonbody.ReadGiven(&t, body, "invitable", jsonbody.Boolean).Or(true)
	if err := t.Err(); err != nil {
		return NewThread{}, err
	}
	if !slices.Contains(possible, n.Type) {
		return NewThread{}, apierror.WrongChannelType
	}
	return n, nil
}

// Operation returns the operation that creates the thread.
func (n NewThread) Operation(parent Type) permission.Operation {
	switch {
	case parent.Posts():
		return permission.OpCreatePost
	case n.Type == PrivateThread:
		return permission.OpCreatePrivateThread
	default:
		return permission.OpCreateThread
	}
}

// ReadPost reads a request to create a post in a forum. manages says that the user can manage threads. The error is a
// *jsonbody.Tree, message.ErrEmpty or an *apierror.Error.
func ReadPost(body jsonbody.Value, files []message.File, forum Settings, manages bool) (NewThread, error) {
	var t jsonbody.Tree
	n, ok := readThread(&t, body, forum)
	if !ok {
		return NewThread{}, t.Err()
	}
	n.Type = PublicThread
	n.Tags = message.ReadTags(t.At("applied_tags"), body.Get("applied_tags"))
	if !body.Get("message").IsSet() {
		t.At("message").Required()
		return NewThread{}, t.Err()
	}
	var err error
	if n.Message, err = message.ReadPostAt(&t, t.At("message"), body.Get("message"), files); err != nil {
		return NewThread{}, err
	}
	return n, forum.CheckAppliedTags(n.Tags, nil, manages)
}

// NewPost returns a post in a forum with settings s, without its message. manages says that the creator can manage threads. The
// error is an *apierror.Error.
func (s Settings) NewPost(name string, tags []snowflake.Tag, manages bool) (NewThread, error) {
	n := NewThread{
		Type: PublicThread, Name: name, Tags: tags, Slowmode: s.ThreadSlowmode,
		ArchiveDuration: cmp.Or(s.ArchiveDuration, DefaultArchiveDuration),
	}
	return n, s.CheckAppliedTags(tags, nil, manages)
}

// readThread reads the members that all requests for new threads have.
func readThread(t *jsonbody.Tree, body jsonbody.Value, parent Settings) (NewThread, bool) {
	if _, ok := jsonbody.AsObject(t, body); !ok {
		return NewThread{}, false
	}
	duration := cmp.Or(parent.ArchiveDuration, DefaultArchiveDuration)
	return NewThread{
		Name:            readThreadName(t, body),
		ArchiveDuration: jsonbody.ReadGiven(t, body, "auto_archive_duration", jsonbody.OneOf(ArchiveDurations...)).Or(duration),
		Slowmode:        jsonbody.ReadGiven(t, body, "rate_limit_per_user", jsonbody.Int(0, maxSlowmode)).Or(parent.ThreadSlowmode),
	}, true
}

func readThreadName(t *jsonbody.Tree, body jsonbody.Value) string {
	if !body.Get("name").IsSet() {
		t.At("name").Required()
		return ""
	}
	return readName(PublicThread)(t.At("name"), body.Get("name"))
}

// ThreadPatch holds the members of a thread that a request contains; the others keep their values.
type ThreadPatch struct {
	Name            optional.Value[string]
	Archived        optional.Value[bool]
	Locked          optional.Value[bool]
	Invitable       optional.Value[bool]
	ArchiveDuration optional.Value[int]
	Slowmode        optional.Value[int] // null: 0
	Flags           optional.Value[Flags]
	Tags            optional.Value[[]snowflake.Tag] // null: none
}

// ReadThreadPatch reads a request to edit a thread. forum is the parent of a post, nil for other threads.
func ReadThreadPatch(body jsonbody.Value, private bool, forum *Settings) (ThreadPatch, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return ThreadPatch{}, t.Err()
	}
	p := ThreadPatch{
		Archived:        jsonbody.ReadGiven(&t, body, "archived", jsonbody.Boolean),
		Locked:          jsonbody.ReadGiven(&t, body, "locked", jsonbody.Boolean),
		ArchiveDuration: jsonbody.ReadGiven(&t, body, "auto_archive_duration", jsonbody.OneOf(ArchiveDurations...)),
		Slowmode:        jsonbody.ReadOptional(&t, body, "rate_limit_per_user", jsonbody.Int(0, maxSlowmode)),
	}
	if body.Get("name").Kind() != jsonbody.Absent {
		p.Name = optional.Of(readThreadName(&t, body))
	}
	if private {
		p.Invitable = jsonbody.ReadGiven(&t, body, "invitable", jsonbody.Boolean)
	}
	if forum != nil {
		p.Flags = jsonbody.ReadGiven(&t, body, "flags", func(t *jsonbody.Tree, v jsonbody.Value) Flags {
			n, _ := jsonbody.AsInt(t, v, 0, jsonbody.MaxInteger)
			return Flags(n) & Pinned
		})
		p.Tags = jsonbody.ReadOptional(&t, body, "applied_tags", message.ReadTags)
	}
	return p, t.Err()
}

// Operations returns the operations that the user must be allowed to perform. locked says that the thread is locked.
func (p ThreadPatch) Operations(locked bool) []permission.Operation {
	var list []permission.Operation
	archived, sets := p.Archived.Get()
	if unlocks, set := p.Locked.Get(); set && !unlocks || !p.Slowmode.IsZero() || !p.Flags.IsZero() {
		list = append(list, permission.OpManageThread)
	}
	opens := sets && !archived
	if opens && !locked {
		list = append(list, permission.OpUnarchiveThread)
	}
	locks, set := p.Locked.Get()
	if sets && archived || opens && locked || set && locks || !p.Name.IsZero() || !p.ArchiveDuration.IsZero() || !p.Tags.IsZero() || !p.Invitable.IsZero() {
		list = append(list, permission.OpEditThread)
	}
	return list
}

// ThreadAct is something that a user does in a thread.
type ThreadAct uint8

// The acts that the state of a thread can forbid.
const (
	ThreadSend ThreadAct = iota
	ThreadEditMessage
	ThreadReact
	ThreadDeleteMessage
	ThreadJoin // also leaving, and adding and removing others
	ThreadEdit
	ThreadUnarchive // an edit that sets archived to false
)

// ThreadState is the state of a thread.
type ThreadState struct{ Archived, Locked bool }

// threadErrors lists what each state forbids.
var threadErrors = map[ThreadState]map[ThreadAct]error{
	{}: {},
	{Locked: true}: {
		ThreadSend: apierror.ThreadLocked, ThreadEditMessage: apierror.ThreadLocked,
		ThreadEdit: apierror.ThreadLocked, ThreadUnarchive: apierror.ThreadLocked,
	},
	{Archived: true}: {
		ThreadEditMessage: apierror.ThreadArchived, ThreadReact: apierror.ThreadArchived,
		ThreadJoin: apierror.ThreadArchived, ThreadEdit: apierror.ThreadArchived,
	},
	{Archived: true, Locked: true}: {
		ThreadSend: apierror.ThreadArchived, ThreadEditMessage: apierror.ThreadArchived, ThreadReact: apierror.ThreadArchived,
		ThreadDeleteMessage: apierror.ThreadArchived, ThreadJoin: apierror.ThreadArchived, ThreadEdit: apierror.ThreadArchived,
		ThreadUnarchive: apierror.ThreadArchived,
	},
}

// Check reports whether the state allows an act. A user who can manage threads can ignore the lock. A message in an
// archived thread unarchives it. The error is an *apierror.Error.
func (s ThreadState) Check(act ThreadAct, manages bool) error {
	s.Locked = s.Locked && !manages
	return threadErrors[s][act]
}

// ArchiveTime returns when a thread is archived. active is the time of its last message, of its last unarchiving or of
// the last change of the duration. A pinned post is never archived: ArchiveTime returns the zero time.
func ArchiveTime(active time.Time, minutes int, f Flags) time.Time {
	if f.Has(Pinned) {
		return time.Time{}
	}
	return active.Add(time.Duration(minutes) * time.Minute)
}
