package premium_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/roleconnections"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	rules "github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testWorld = `
users: [{id: "200", username: ada}, {id: "201", username: bob}]
applications:
  - {id: "100", name: Shop, owner: "200", skus: [{id: "50", name: Premium, type: 5}, {id: "51", name: Guild Premium, type: 5, flags: 132}, {id: "52", name: Coins, type: 3}, {id: "53", name: Hat, type: 2}]}
guilds:
  - {id: "300", name: Lab, owner: "200", members: [{user: "200"}, {user: "201"}]}
`

const (
	shop snowflake.Application = 100
	bob  snowflake.User        = 201
	lab  snowflake.Guild       = 300
)

type stillClock struct{ clock.System }

func (stillClock) Now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// service is Premium over its own store, with a running sweeper.
type service struct {
	*premium.Premium

	clock  *clock.Movable
	worlds *provision.Provisioner
	audit  *audit.Log
	links  *roleconnections.Connections
	file   string   // of the store
	events []string // the committed events
}

func open(t *testing.T) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	file := filepath.Join(t.TempDir(), "bellhop.db")
	db, err := sqlite.OpenVolatile(t.Context(), file, clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &service{clock: clock.NewMovable(stillClock{}), file: file}
	states, ids := cache.New(db, 1<<20), store.NewIDs(1, s.clock.Now, time.Time{})
	s.audit = &audit.Log{Store: db, Clock: s.clock, Wall: clock.System{}, IDs: ids, Logger: log}
	dir := directory.New(directory.Config{Store: db, Cache: states, Clock: s.clock, IDs: ids, Audit: s.audit, Log: log})
	s.Premium = premium.New(premium.Config{Store: db, Cache: states, Directory: dir, Clock: s.clock, IDs: ids, Log: log})
	s.links = &roleconnections.Connections{Store: db, Directory: dir}
	dir.Removals.Dependents = []directory.Dependent{s.Premium, s.links}
	s.worlds = &provision.Provisioner{Directory: dir, Clock: s.clock}
	s.apply(t, testWorld)
	db.Subscribe(func(c *store.Change) {
		for _, e := range c.Events {
			s.events = append(s.events, fmt.Sprintf("%s to %d %b: %s", e.Name, e.To.Application, e.To.Intents, e.Data))
		}
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if err := s.WaitUntilRunning(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *service) apply(t *testing.T, text string) {
	t.Helper()
	w, err := world.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.worlds.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// take returns the names of the committed events and forgets them. All of them go to the bot, without an intent.
func (s *service) take(t *testing.T) string {
	t.Helper()
	names := make([]string, len(s.events))
	for i, e := range s.events {
		if names[i], _, _ = strings.Cut(e, " "); !strings.Contains(e, " to 100 0: ") {
			t.Errorf("event %s, want it for the bot without an intent", e)
		}
	}
	s.events = nil
	return strings.Join(names, " ")
}

func parse(t *testing.T, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// valid returns the SKUs of the entitlements that an interaction of bob in the guild has.
func (s *service) valid(t *testing.T) string {
	t.Helper()
	app, err := s.Directory.Applications.Application(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Valid(t.Context(), app, bob, lab)
	if err != nil {
		t.Fatal(err)
	}
	var skus []string
	for _, e := range list {
		skus = append(skus, e.SKUID.String())
	}
	return strings.Join(skus, " ")
}

// Guilds, section 15: each change of an entitlement has an event, which needs no intent.
func TestEntitlementEvents(t *testing.T) {
	t.Parallel()
	s := open(t)
	by := premium.Viewer{Application: shop}
	e, err := s.Grant(t.Context(), shop, parse(t, `{"sku_id":"52","owner_id":"201","owner_type":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.take(t); got != "ENTITLEMENT_CREATE" {
		t.Errorf("events %q of a grant", got)
	}
	if _, err := s.Grant(t.Context(), shop, parse(t, `{"sku_id":"51","owner_id":"300","owner_type":1}`)); err != nil {
		t.Fatal(err)
	}
	s.take(t)
	if got := s.valid(t); got != "52 51" {
		t.Errorf("valid entitlements %q, want those of the user and of the guild", got)
	}
	for range 2 { // the second time changes nothing
		if err := s.Consume(t.Context(), by, e.ID); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.events) != 1 || !strings.Contains(s.events[0], `"consumed":true`) {
		t.Errorf("events %q of a consumption", s.events)
	}
	if got := s.take(t); got != "ENTITLEMENT_UPDATE" {
		t.Errorf("events %q of a consumption", got)
	}
	if err := s.Delete(t.Context(), by, e.ID); err != nil {
		t.Fatal(err)
	}
	if len(s.events) != 1 || !strings.Contains(s.events[0], `"deleted":true`) {
		t.Errorf("events %q of a deletion", s.events)
	}
	if got := s.take(t); got != "ENTITLEMENT_DELETE" {
		t.Errorf("events %q of a deletion", got)
	}
	if got := s.valid(t); got != "51" {
		t.Errorf("valid entitlements %q after a deletion", got)
	}
	if err := s.Delete(t.Context(), by, e.ID); !errors.Is(err, apierror.UnknownEntitlement) {
		t.Errorf("Delete() twice = %v", err)
	}
}

// A subscription is renewed by the clock, and ends with its period after it was canceled. Its entitlement ends then.
func TestSubscription(t *testing.T) {
	t.Parallel()
	s := open(t)
	o := premium.Order{Application: shop, SKU: 50, User: bob}
	bought, err := s.Buy(t.Context(), o)
	if err != nil || bought.Subscription == nil {
		t.Fatal(bought, err)
	}
	if got := s.take(t); got != "SUBSCRIPTION_CREATE ENTITLEMENT_CREATE" {
		t.Errorf("events %q of a subscription", got)
	}
	if _, err := s.Buy(t.Context(), o); !errors.Is(err, premium.ErrOwned) {
		t.Errorf("Buy() twice = %v", err)
	}
	if err := s.Delete(t.Context(), premium.Viewer{Application: shop}, bought.Entitlement.ID); !errors.Is(err, apierror.NotATest) {
		t.Errorf("Delete() of an entitlement of a subscription = %v", err)
	}
	const month = 31 * 24 * time.Hour
	s.clock.Advance(month)
	if got := s.take(t); got != "SUBSCRIPTION_UPDATE" {
		t.Errorf("events %q of a renewal", got)
	}
	for _, step := range []struct {
		resume bool
		events string
	}{{false, "SUBSCRIPTION_UPDATE"}, {false, ""}, {true, "SUBSCRIPTION_UPDATE"}, {true, ""}, {false, "SUBSCRIPTION_UPDATE"}} {
		if _, err := s.Cancel(t.Context(), o, step.resume); err != nil {
			t.Fatal(err)
		}
		if got := s.take(t); got != step.events {
			t.Errorf("events %q with resume %v, want %q", got, step.resume, step.events)
		}
	}
	if got := s.valid(t); got != "50" {
		t.Errorf("valid entitlements %q before the end of the period", got)
	}
	s.clock.Advance(month)
	if got := s.take(t); got != "ENTITLEMENT_UPDATE SUBSCRIPTION_UPDATE" {
		t.Errorf("events %q of the end", got)
	}
	if got := s.valid(t); got != "" {
		t.Errorf("valid entitlements %q after the end", got)
	}
	e, err := s.Get(t.Context(), premium.Viewer{Application: shop}, bought.Entitlement.ID)
	end := stillClock{}.Now().AddDate(0, 2, 0)
	if err != nil || !time.Time(*e.Ends).Equal(end) {
		t.Errorf("the entitlement ends at %v, %v, want %v", time.Time(*e.Ends), err, end)
	}
	if _, err := s.Cancel(t.Context(), o, true); !errors.Is(err, premium.ErrNoSubscription) {
		t.Errorf("Cancel() of an ended subscription = %v", err)
	}
	if _, err := s.Buy(t.Context(), o); err != nil {
		t.Errorf("Buy() after the end = %v", err)
	}
}

// A subscription to a SKU that the application no longer sells is not renewed.
func TestSubscriptionToRemovedSKU(t *testing.T) {
	t.Parallel()
	s := open(t)
	if _, err := s.Buy(t.Context(), premium.Order{Application: shop, SKU: 51, User: bob, Guild: lab}); err != nil {
		t.Fatal(err)
	}
	if got := s.valid(t); got != "51" {
		t.Errorf("valid entitlements %q, want that of the guild", got)
	}
	s.apply(t, strings.Replace(testWorld, "flags: 132", "flags: 128", 1))
	s.take(t)
	s.clock.Advance(32 * 24 * time.Hour)
	if got := s.take(t); got != "ENTITLEMENT_UPDATE SUBSCRIPTION_UPDATE" {
		t.Errorf("events %q", got)
	}
	if got := s.valid(t); got != "" {
		t.Errorf("valid entitlements %q", got)
	}
}

// A subscription is not ended because its application cannot be read. It is renewed when the application can be read again.
func TestSubscriptionOfUnreadableApplication(t *testing.T) {
	t.Parallel()
	s := open(t)
	if _, err := s.Buy(t.Context(), premium.Order{Application: shop, SKU: 51, User: bob, Guild: lab}); err != nil {
		t.Fatal(err)
	}
	s.take(t)
	s.change(t, "UPDATE applications SET checksum = checksum + 1")
	s.clock.Advance(31*24*time.Hour + time.Second)
	if got := s.take(t); got != "" {
		t.Errorf("events %q while the application cannot be read, want none", got)
	}
	s.change(t, "UPDATE applications SET checksum = checksum - 1")
	s.clock.Advance(2 * time.Minute)
	if got := s.take(t); got != "SUBSCRIPTION_UPDATE" {
		t.Errorf("events %q, want that of the renewal", got)
	}
	if got := s.valid(t); got != "51" {
		t.Errorf("valid entitlements %q, want that of the guild", got)
	}
}

// change runs a statement on the database of the service.
func (s *service) change(t *testing.T, statement string) {
	t.Helper()
	db, err := sqlite.OpenTables(s.file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"PRAGMA query_only = 0", statement} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// The entitlements of an owner are bounded: 100 that can be used, and the last 100 others.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := open(t)
	by := premium.Viewer{Application: shop}
	grant := func() (snowflake.Entitlement, error) {
		e, err := s.Grant(t.Context(), shop, parse(t, `{"sku_id":"53","owner_id":"201","owner_type":2}`))
		return e.ID, err
	}
	var list []snowflake.Entitlement
	for range rules.MaxActive {
		id, err := grant()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, id)
	}
	tree, _ := errors.AsType[*jsonbody.Tree](func() error { _, err := grant(); return err }())
	if tree == nil || len(tree.Flat()["owner_id"]) != 1 || tree.Flat()["owner_id"][0] != rules.TooMany {
		t.Errorf("Grant() above the maximum = %v", tree)
	}
	for range 2 {
		for i, id := range list {
			if err := s.Delete(t.Context(), by, id); err != nil {
				t.Fatal(err)
			}
			if list[i], _ = grant(); list[i] == 0 {
				t.Fatal("no entitlement after a deletion")
			}
		}
	}
	var all []store.Entitlement
	err := s.Directory.Read(t.Context(), func(r store.Reader) (err error) {
		all, err = r.Directory.EntitlementsOf(store.Owner{Application: shop, User: bob})
		return err
	})
	if err != nil || len(all) != rules.MaxActive+rules.MaxPast {
		t.Errorf("%d entitlements, %v, want %d", len(all), err, rules.MaxActive+rules.MaxPast)
	}
}

// Entitlements, subscriptions and role connections are removed with their user, guild and application.
func TestRemoval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		delete func(context.Context, *service) error
		want   int // entitlements that are left
	}{
		{"user", func(ctx context.Context, s *service) error { return s.Directory.Users.Delete(ctx, bob) }, 0},
		{"guild", func(ctx context.Context, s *service) error { return s.Directory.Guilds.Delete(ctx, lab) }, 1},
		{"application", func(ctx context.Context, s *service) error { return s.Directory.Applications.Delete(ctx, shop) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			for _, o := range []premium.Order{{Application: shop, SKU: 50, User: bob}, {Application: shop, SKU: 51, User: bob, Guild: lab}} {
				if _, err := s.Buy(t.Context(), o); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.links.Set(t.Context(), shop, bob, parse(t, `{"platform_name":"Bakery"}`)); err != nil {
				t.Fatal(err)
			}
			if err := c.delete(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			err := s.Directory.Read(t.Context(), func(r store.Reader) error {
				left, err := r.Directory.Entitlements(shop, store.EntitlementFilter{Limit: 9})
				due, failed := r.Directory.DueSubscriptions(9)
				links, broken := r.Directory.RoleConnections(shop, 9)
				if len(left) != c.want || len(due) != c.want || len(links) != c.want {
					t.Errorf("left: %v, %v, %v, want %d of each", left, due, links, c.want)
				}
				return errors.Join(err, failed, broken)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
