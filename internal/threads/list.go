package threads

import (
	"context"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Page is a page of threads. Members are those of the viewer.
type Page struct {
	Threads []wire.Thread       `json:"threads"`
	Members []wire.ThreadMember `json:"members"`
	HasMore bool                `json:"has_more"`
}

// Active returns the active threads of a guild that the viewer sees, the newest first.
func (s *Threads) Active(ctx context.Context, viewer directory.Viewer, guild snowflake.Guild) (Page, error) {
	if _, err := s.Directory.Guilds.Visit(ctx, guild, viewer); err != nil {
		return Page{}, err
	}
	threads, err := s.Directory.Guilds.Threads(ctx, guild, viewer)
	if err != nil {
		return Page{}, err
	}
	slices.Reverse(threads)
	return pageOf(threads, false), nil
}

// pageOf returns a page of threads with the members in them.
func pageOf(threads []wire.Thread, more bool) Page {
	l := Page{Threads: threads, Members: []wire.ThreadMember{}, HasMore: more}
	for i := range threads {
		if m := threads[i].Member; m != nil {
			l.Members = append(l.Members, *m)
		}
	}
	return l
}

// ArchivedPage selects archived threads of a channel.
type ArchivedPage struct {
	Private bool
	Joined  bool              // only private threads that the viewer has joined, by id
	Before  time.Time         // of other lists; zero: from the newest
	Below   snowflake.Channel // of a list by id; 0: from the newest
	Limit   int
}

// readBatch is the number of archived threads that are read at once.
const readBatch = 128

// Archived returns archived threads of a channel, the newest first.
func (s *Threads) Archived(ctx context.Context, viewer directory.Viewer, id snowflake.Channel, p ArchivedPage) (Page, error) {
	place, err := s.enter(ctx, viewer, id)
	if err != nil {
		return Page{}, err
	}
	t := channel.Type(place.Channel.Type)
	if t != channel.Text && t != channel.Announcement && !t.Posts() {
		return Page{}, apierror.WrongChannelType
	}
	op := permission.OpListArchivedThreads
	if p.Private && !p.Joined {
		op = permission.OpListPrivateThreads
	}
	if err := place.Allow(op, true); err != nil {
		return Page{}, err
	}
	if !p.Before.IsZero() && p.Before.Before(id.Time()) {
		return Page{}, apierror.BeforeTooEarly
	}
	found, more, err := s.archived(ctx, viewer, id, p)
	if err != nil {
		return Page{}, err
	}
	threads := []wire.Thread{}
	for i := range found {
		shown, err := s.Directory.Channels.ThreadFor(ctx, &found[i], viewer.User)
		if err != nil {
			return Page{}, err
		}
		threads = append(threads, shown)
	}
	return pageOf(threads, more), nil
}

// archived returns the threads of a page, and whether there are more.
func (s *Threads) archived(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, p ArchivedPage,
) (found []store.Channel, more bool, err error) {
	if p.Below == 0 {
		p.Below = snowflake.Max
	}
	if p.Before.IsZero() {
		p.Before = s.now().Add(time.Hour) // the clock of another node may be ahead
	}
	for {
		var batch []store.Channel
		err := s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
			if p.Joined {
				batch, err = r.Threads.ArchivedBelow(id, p.Below, readBatch)
			} else {
				batch, err = r.Threads.Archived(id, p.Before, readBatch)
			}
			return err
		})
		if err != nil {
			return nil, false, err
		}
		for i := range batch {
			t := &batch[i]
			p.Below, p.Before = t.ID, t.Thread.Since
			wanted, err := s.wanted(ctx, viewer, t, p)
			if err != nil {
				return nil, false, err
			}
			if !wanted {
				continue
			}
			if len(found) == p.Limit {
				return found, true, nil
			}
			found = append(found, *t)
		}
		if len(batch) < readBatch {
			return found, false, nil
		}
	}
}

// wanted reports whether a thread belongs to a list.
func (s *Threads) wanted(ctx context.Context, viewer directory.Viewer, t *store.Channel, p ArchivedPage) (bool, error) {
	private := channel.Type(t.Type) == channel.PrivateThread
	if private != p.Private || !p.Joined {
		return private == p.Private, nil
	}
	members, err := s.Directory.Channels.ThreadMembers(ctx, t.ID)
	return members.Has(viewer.User), err
}
