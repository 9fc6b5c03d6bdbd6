package dispatch

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// newActivity returns an instance that an interaction launches.
func (d *Dispatch) newActivity(i *store.Interaction) *store.Activity {
	return &store.Activity{
		Launch: snowflake.Interaction(d.IDs.Next()), Application: i.Application, Channel: i.Origin.Channel,
		Guild: i.Origin.Guild, Users: []snowflake.User{i.User},
	}
}

// instanceID returns the name of an instance: its launch and where it is.
func instanceID(a *store.Activity) string {
	b := append(a.Launch.Append([]byte("i-")), '-')
	return string(append(b, location(a)...))
}

// location returns where an instance is, in one word.
func location(a *store.Activity) string {
	if a.Guild == 0 {
		return "pc-" + a.Channel.String()
	}
	return "gc-" + a.Guild.String() + "-" + a.Channel.String()
}

func (d *Dispatch) activityURL(a *store.Activity) string {
	if d.ActivityURL == nil {
		return ""
	}
	return d.ActivityURL(a.Application, instanceID(a))
}

// Instance returns an activity instance of an application as it goes on the wire.
func (d *Dispatch) Instance(ctx context.Context, app snowflake.Application, id string) ([]byte, error) {
	rest, ok := strings.CutPrefix(id, "i-")
	digits, _, _ := strings.Cut(rest, "-")
	launch, err := snowflake.Parse[snowflake.Interaction](digits)
	if !ok || err != nil {
		return nil, ErrUnknownInstance
	}
	var a store.Activity
	err = d.store.Read(ctx, func(r store.Reader) (err error) {
		a, err = r.Interactions.Activity(launch)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && (a.Application != app || instanceID(&a) != id) {
		return nil, ErrUnknownInstance
	}
	if err != nil {
		return nil, err
	}
	return append(activityJSON(nil, &a), '}'), nil
}

// activityJSON appends an instance: an object that is not closed yet.
func activityJSON(b []byte, a *store.Activity) []byte {
	b = append(b, `{"application_id":"`...)
	b = append(a.Application.Append(b), `","instance_id":`...)
	b = strconv.AppendQuote(b, instanceID(a)) // letters, digits and dashes
	b = append(b, `,"launch_id":"`...)
	b = append(a.Launch.Append(b), `","location":{"id":`...)
	b = strconv.AppendQuote(b, location(a))
	kind := "pc"
	if a.Guild != 0 {
		kind = "gc"
	}
	b = append(b, `,"kind":"`+kind+`","channel_id":"`...)
	b = append(a.Channel.Append(b), '"')
	if a.Guild != 0 {
		b = append(b, `,"guild_id":"`...)
		b = append(a.Guild.Append(b), '"')
	}
	b = append(b, `},"users":[`...)
	for i, id := range a.Users {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(id.Append(append(b, '"')), '"')
	}
	return append(b, ']')
}
