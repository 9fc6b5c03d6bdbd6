package dispatch

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// newActivity returns a new activity instance that an interaction launches.
func newActivity(i *store.Interaction, id snowflake.Interaction) *store.Activity {
	return &store.Activity{
		Launch: id, Application: i.Application, Channel: i.Origin.Channel,
		Guild: i.Origin.Guild, Users: []snowflake.User{i.User},
	}
}

// instanceID returns the id of an instance, made of its launch id and its location.
func instanceID(a *store.Activity) string {
	b := append(a.Launch.Append([]byte("i-")), '-')
	return string(append(b, location(a)...))
}

// location returns the location id of an instance.
func location(a *store.Activity) string {
	if a.Guild == 0 {
		return "pc-" + a.Channel.String()
	}
	return "gc-" + a.Guild.String() + "-" + a.Channel.String()
}

func (s *service) activityURL(a *store.Activity) string {
	if s.ActivityURL == nil {
		return ""
	}
	return s.ActivityURL(a.Application, instanceID(a))
}

// Instance returns an activity instance of an application as JSON, or ErrUnknownInstance.
func (s *service) Instance(ctx context.Context, app snowflake.Application, id string) ([]byte, error) {
	rest, ok := strings.CutPrefix(id, "i-")
	digits, _, _ := strings.Cut(rest, "-")
	launch, err := snowflake.Parse[snowflake.Interaction](digits)
	if !ok || err != nil {
		return nil, ErrUnknownInstance
	}
	var a store.Activity
	err = s.store.Read(ctx, func(r store.Reader) (err error) {
		a, err = r.Interactions.Activity(launch)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && (a.Application != app || instanceID(&a) != id) {
		return nil, ErrUnknownInstance
	}
	if err != nil {
		return nil, err
	}
	return append(appendActivity(nil, &a), '}'), nil
}

// appendActivity appends an instance, as an object without its closing brace.
func appendActivity(b []byte, a *store.Activity) []byte {
	b = append(b, `{"application_id":"`...)
	b = append(a.Application.Append(b), `","instance_id":`...)
	b = strconv.AppendQuote(b, instanceID(a)) // only letters, digits and dashes: nothing to escape
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
