package provision_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
)

const plans = `
users: [{id: 200, username: ada}]
applications: [{id: 100, name: Echo, owner: 200}]
guilds:
  - id: 300
    name: Lab
    owner: 200
    installs: [{application: 100, scopes: [bot]}]
    channels: [{id: 310, name: general}, {id: 311, name: voice, type: 2}, {id: 312, name: stage, type: 13}]
    scheduled_events:
      - {id: 500, name: Feast, description: Bring food, creator: 200, location: Hall, scheduled_start_time: 2040-01-02T12:00:00Z, scheduled_end_time: 2040-01-02T14:00:00Z}
      - {id: 501, creator: 100, channel: 311, scheduled_start_time: 2040-01-03T12:00:00Z}
      - {id: 502, name: Talk, channel: 312, scheduled_start_time: 2020-01-03T12:00:00Z, status: 2}
`

// TestScheduledEvents checks that scheduled events are stored once, that an export has those that have not ended, and that applying
// it again changes nothing.
func TestScheduledEvents(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, plans)
	var got []string
	err := d.Store.Read(t.Context(), func(r store.Reader) error {
		list, err := r.Directory.ScheduledEvents(300)
		for _, e := range list {
			got = append(got, fmt.Sprint(e.ID, " ", e.Name, " by ", e.Creator, " type ", e.Entity, " in ", e.Channel, e.Location, " status ", e.Status, " due ", !e.Due.IsZero()))
		}
		return err
	})
	want := []string{
		"500 Feast by 200 type 3 in 0Hall status 1 due true", "501 event-501 by 100 type 2 in 311 status 1 due false",
		"502 Talk by 0 type 1 in 312 status 2 due false",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("stored events (-want +got):\n%s%v", diff, err)
	}
	if again := d.ApplyText(t, plans); again.Changed != 0 {
		t.Errorf("the second time changed %d records", again.Changed)
	}
	before := d.export(t)
	text, err := before.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if again := d.ApplyText(t, string(text)); again.Changed != 0 {
		t.Errorf("applying the export changed %d records:\n%s", again.Changed, text)
	}
	copied := open(t)
	copied.ApplyText(t, string(text))
	if diff := cmp.Diff(before.Guilds[0].ScheduledEvents, copied.export(t).Guilds[0].ScheduledEvents); diff != "" {
		t.Errorf("the events of the copy (-before +copy):\n%s", diff)
	}
}

// TestScheduledEventProblems checks what a world cannot say about scheduled events.
func TestScheduledEventProblems(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, plans)
	_, err := d.Apply(t.Context(), lab.Parse(t, strings.NewReplacer("creator: 200", "creator: 299", "channel: 311", "channel: 310", "channel: 312", "channel: 319").Replace(plans)))
	const list = "guilds.0.scheduled_events."
	want := map[string][]jsonbody.Code{
		list + "0.creator": {provision.UnknownReference}, list + "1.channel": {world.Misplaced}, list + "2.channel": {provision.UnknownReference},
	}
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("Apply() (-want +got):\n%s", diff)
	}
	_, err = d.Apply(t.Context(), lab.Parse(t, `guilds: [{id: 301, owner: 200, scheduled_events: [{id: 500, location: Hall, scheduled_start_time: 2040-01-02T12:00:00Z, scheduled_end_time: 2040-01-02T14:00:00Z}]}]`))
	if diff := cmp.Diff(map[string][]jsonbody.Code{list + "0.id": {provision.Taken}}, findings(t, err)); diff != "" {
		t.Errorf("an id elsewhere (-want +got):\n%s", diff)
	}
}
