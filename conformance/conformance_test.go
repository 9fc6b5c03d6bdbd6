package conformance_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/conformance"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	echo = snowflake.Application(1100000000000000100)
	lab  = snowflake.Guild(1100000000000000300)
)

// target returns a target with writes allowed for a test server.
func target(srv *bellhoptest.Server) conformance.Target {
	return conformance.Target{
		BaseURL: srv.BaseURL, BotToken: srv.BotToken(echo), Application: echo, Guild: lab, AllowWrites: true, Prefix: "conform-",
	}
}

// TestBellhop runs every check against Bellhop.
func TestBellhop(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]bool{"without limits": false, "with limits": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := bellhoptest.Config{World: bellhoptest.DemoWorld(), Limits: limits, Traffic: rules.Recording()}.Start(t)
			at := target(srv)
			at.AllowLoad = true
			selected := func(c conformance.Check) bool {
				return c.ID != "EVT-13" && c.Needs&(conformance.Manager|conformance.Seller) == 0 && (c.ID == "LIM-05") == limits // rate limits slow down the other checks
			}
			n := 0
			err := conformance.Run(t.Context(), at, selected, func(r conformance.Result) {
				n++
				if r.Verdict != conformance.Passed {
					t.Errorf("%s (%s) %s: %s: %s", r.ID, r.Cite(), r.Verdict, r.Rule, r.Message)
				}
			})
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d checks", n)
			checkEmpty(t, srv)
		})
	}
}

// TestBellhopOfGuildApps runs checks against an app that supports only one way of installing it.
func TestBellhopOfGuildApps(t *testing.T) {
	t.Parallel()
	w := bellhoptest.DemoWorld()
	w.Applications[0].IntegrationTypes = []int{0}
	runChecks(t, bellhoptest.Start(t, w), "CTX-05", "CTX-09")
}

// activityWorld returns the demo world with an app that has Activities, which only the owner of the guild can use.
func activityWorld() bellhoptest.World {
	w := bellhoptest.DemoWorld()
	w.Applications[0].Activities = true
	everyone := *w.Guilds[0].Everyone &^ permission.UseEmbeddedActivities
	w.Guilds[0].Everyone = &everyone
	return w
}

// TestBellhopWithActivities runs checks against an app with Activities.
func TestBellhopWithActivities(t *testing.T) {
	t.Parallel()
	runChecks(t, bellhoptest.Start(t, activityWorld()), "EVT-13")
}

// managerWorld returns the demo world with a bot that manages the guild.
func managerWorld() bellhoptest.World {
	w := bellhoptest.DemoWorld()
	w.Guilds[0].Installs[0].Permissions = permission.Administrator
	w.Applications[0].SKUs = []bellhoptest.SKU{{ID: 1100000000000000400, Type: 5, Name: "Premium"}}
	return w
}

// TestBellhopWithManager runs the checks against a bot that manages its guild.
func TestBellhopWithManager(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, c := range conformance.Checks() {
		if c.Needs&(conformance.Manager|conformance.Seller) != 0 {
			ids = append(ids, c.ID)
		}
	}
	srv := bellhoptest.Start(t, managerWorld())
	runChecks(t, srv, ids...)
	list, err := srv.Bot(echo).Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/guilds/" + lab.String() + "/channels"})
	if err != nil || strings.Contains(string(list.Body), "conform-") {
		t.Errorf("the run left channels: %s, %v", list.Body, err)
	}
}

// runChecks runs the checks with these ids, which must pass.
func runChecks(t *testing.T, srv *bellhoptest.Server, ids ...string) {
	t.Helper()
	selected := func(c conformance.Check) bool { return slices.Contains(ids, c.ID) }
	err := conformance.Run(t.Context(), target(srv), selected, func(r conformance.Result) {
		if r.Verdict != conformance.Passed {
			t.Errorf("%s (%s) %s: %s: %s", r.ID, r.Cite(), r.Verdict, r.Rule, r.Message)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// checkEmpty checks that a run deleted all commands that it created.
func checkEmpty(t *testing.T, srv *bellhoptest.Server) {
	t.Helper()
	for _, guild := range []snowflake.Guild{0, lab} {
		list, err := srv.Bot(echo).Commands(t.Context(), scope(guild))
		if err != nil || len(list) != 0 {
			t.Errorf("the run left %d commands in guild %v, %v", len(list), guild, err)
		}
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, c := range conformance.Checks() {
		if !regexp.MustCompile(`^[A-Z]{3}-\d\d$`).MatchString(c.ID) || slices.Contains(ids, c.ID) {
			t.Errorf("the id %q is malformed or not unique", c.ID)
		}
		ids = append(ids, c.ID)
		cited := c.Line >= 5 && c.Line <= 329 || c.Line == 0 && strings.Contains(c.Section, ": ")
		if !cited || c.Section == "" || len(c.Rule) < 20 || c.Rule[len(c.Rule)-1] != '.' {
			t.Errorf("%s has no section, line or rule: %+v", c.ID, c)
		}
	}
}
