package devservice

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/examples/guesthouse"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

// The demo app is an application of the demo world that answers, so that a new user sees an answer before they write a
// bot. DemoAppLogin is the token of its bot. It is public, like the other tokens of the demo world.
const (
	DemoAppID    snowflake.Application = 1100000000000000150
	DemoAppLogin                       = "MTEwMDAwMDAwMDAwMDAwMDE1MA.ZGVtbw.a-public-token-of-the-guest-house-in-the-demo"
)

// WithDemoApp returns the demo world with the demo app in each guild.
func WithDemoApp(w world.World) world.World {
	w.Applications = append(w.Applications, world.Application{
		ID: DemoAppID, Name: "Guesthouse", Description: "Answers every kind of command. bellhop dev runs it.", Owner: w.Users[0].ID,
		BotToken: DemoAppLogin, IntegrationTypes: []int{0, 1}, Activities: true,
	})
	for i := range w.Guilds {
		w.Guilds[i].Installs = append(w.Guilds[i].Installs, world.GuildInstall{
			Application: DemoAppID, Scopes: []string{"bot", "applications.commands"},
		})
	}
	return w
}

// DemoApp runs the demo app at a port of its own. It calls the service only over HTTP, like any other app.
type DemoApp struct {
	Log *slog.Logger
	app *guesthouse.App
	ln  net.Listener
}

// Listen opens the port of the app. The service is at base.
func (d *DemoApp) Listen(ctx context.Context, base string) (err error) {
	api := &client.Client{
		BaseURL: Reachable(base) + "/api/v10", Authorization: "Bot " + DemoAppLogin,
		HTTP: &http.Client{Transport: &http.Transport{IdleConnTimeout: time.Minute}}, // not over a proxy
	}
	d.app = guesthouse.New(api, DemoAppID, time.Second)
	var lc net.ListenConfig
	d.ln, err = lc.Listen(ctx, "tcp", "127.0.0.1:0")
	return err
}

// Reachable returns a URL at which this machine reaches a service that listens on base: an address such as 0.0.0.0 means
// all addresses.
func Reachable(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
	}
	return u.String()
}

// Run registers the commands of the app and answers interactions until ctx ends.
func (d *DemoApp) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return d.app.Serve(ctx, d.ln) })
	g.Go(func() error { d.Register(ctx); return nil })
	return g.Wait()
}

// Register registers the commands of the app. The service works without them, so an error is only logged.
func (d *DemoApp) Register(ctx context.Context) {
	if d.app == nil {
		return // the service does not listen yet
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := d.app.Register(ctx, "http://"+d.ln.Addr().String()); err != nil && ctx.Err() == nil {
		d.Log.WarnContext(ctx, "the demo app has no commands", "err", err)
	}
}
