package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/snowflake"
)

// Config is what a Deliverer is made of. Clock, Metrics, Log and Policy are required.
type Config struct {
	Clock   clock.Clock
	Metrics *metrics.Metrics
	Log     *slog.Logger
	Policy  Policy
	// Roots are whose certificates are trusted; nil: those that the machine trusts.
	Roots *x509.CertPool
	// Resolver finds the addresses of names; nil: the machine's.
	Resolver Resolver
	// Connect opens a connection to an address that has been judged; nil: a net.Dialer that judges it once more.
	Connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// Deliverer posts to apps. It is safe for concurrent use. Its owner closes it.
type Deliverer struct {
	clock     clock.Clock
	log       *slog.Logger
	policy    Policy
	life      life
	dialer    dialer
	transport *http.Transport
	keys      keys
	room      *room
	circuits  circuits
	numbers   *numbers
}

// New returns a Deliverer that has no connections yet.
func New(cfg Config) *Deliverer {
	d := &Deliverer{clock: cfg.Clock, log: cfg.Log, policy: cfg.Policy}
	d.dialer = dialer{policy: &d.policy, resolver: cfg.Resolver, connect: cfg.Connect, life: &d.life}
	if d.dialer.resolver == nil {
		d.dialer.resolver = net.DefaultResolver
	}
	if d.dialer.connect == nil {
		d.dialer.connect = checked(&d.policy).DialContext
	}
	d.transport = newTransport(&d.policy, cfg.Roots, &d.dialer)
	d.room = newRoom(&d.policy)
	d.circuits.rule = cfg.Policy.Circuit
	d.numbers = newNumbers(d)
	cfg.Metrics.Register(d.numbers.collectors()...)
	return d
}

func newTransport(p *Policy, roots *x509.CertPool, d *dialer) *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext: d.dial,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: roots, ClientSessionCache: tls.NewLRUClientSessionCache(1024),
		},
		TLSHandshakeTimeout:    p.Connect,
		DisableCompression:     true, // a few bytes on the wire could be gigabytes
		MaxIdleConns:           p.All,
		MaxIdleConnsPerHost:    p.PerApplication,
		IdleConnTimeout:        p.Idle,
		MaxResponseHeaderBytes: int64(p.MaxHeader),
		Protocols:              protocols,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: 2 << 20, MaxReceiveBufferPerStream: 1 << 20,
			SendPingTimeout: p.Connect, PingTimeout: p.Connect, // a connection that died silently is not used for long
		},
	}
}

// Close cuts off what is under way, refuses what comes and closes all connections. When it returns no delivery, no
// dial and no connection is left.
func (d *Deliverer) Close() {
	d.life.close()
	d.transport.CloseIdleConnections()
}

// Delivery is a request to an app.
type Delivery struct {
	Application snowflake.Application
	URL         string
	Key         []byte // the Ed25519 seed of the application
	Body        []byte // JSON; the owner leaves it unchanged also after the delivery
	Deadline    time.Time
	// Grace is how much longer the body of an answer may take whose headers were there by the deadline. Arriving is called
	// when they are; it may be nil.
	Grace    time.Duration
	Arriving func()
	// Signed is called with what the headers say of the signature, before anything is sent; it may be nil.
	Signed func(timestamp, signature string)
}

// Format writes whose delivery it is under every verb, and nothing of its secrets.
func (v Delivery) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "delivery to application %v", v.Application) // package fmt keeps the first error itself
}

// LogValue says whose delivery it is, and nothing of its secrets.
func (v Delivery) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(v)) }

// Deliver posts an interaction and returns what the app answered. An error is an *[Error] for everything that can
// befall a delivery, [ErrClosed], or wraps the reason why ctx ended.
func (d *Deliverer) Deliver(ctx context.Context, v Delivery) (Answer, error) {
	a, err := d.deliver(ctx, &v)
	d.numbers.note(a.Deferred, err)
	return a, err
}

func (d *Deliverer) deliver(ctx context.Context, v *Delivery) (a Answer, err error) {
	u, err := d.policy.parse(v.URL)
	if err != nil {
		return a, err
	}
	key, ok := d.keys.of(v.Key)
	if !ok {
		return a, fmt.Errorf("webhook: the key of application %v is no seed", v.Application)
	}
	place, err := d.room.enter(v.Application)
	if err != nil {
		return a, err
	}
	defer place.leave()
	at := endpoint{v.Application, v.URL}
	began := d.clock.Now()
	left := v.Deadline.Sub(began)
	if left <= 0 {
		return a, &Error{Kind: Timeout, Detail: "the deadline had passed before anything was sent"}
	}
	pass, err := d.circuits.enter(at, began)
	if err != nil {
		return a, err
	}
	shown := unclear
	defer func() { d.tell(ctx, at, u, d.circuits.leave(at, pass, shown, d.clock.Now())) }()

	seal := sign(key, began, v.Body)
	if v.Signed != nil {
		v.Signed(seal.timestamp, seal.signature)
	}
	r, err := d.post(ctx, &request{
		url: u, seal: seal, body: v.Body, deadline: v.Deadline, limit: d.policy.MaxAnswer, place: place,
		grace: v.Grace, arriving: v.Arriving,
	})
	if err == nil {
		a, err = r.answer()
	}
	shown = judge(err, left)
	if shown != unclear {
		d.numbers.seconds.Observe(d.clock.Now().Sub(began).Seconds())
	}
	return a, err
}

// fairTime is what an endpoint must have had for its silence to speak against it.
const fairTime = time.Second

// judge returns what the outcome of a delivery shows of its endpoint, which had so much time.
func judge(err error, had time.Duration) verdict {
	if err == nil {
		return works
	}
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok || e.Kind == Overloaded || e.Kind == Timeout && had < fairTime:
		return unclear
	case e.failing():
		return fails
	}
	return works
}

// tell logs that an endpoint was taken off or is back.
func (d *Deliverer) tell(ctx context.Context, at endpoint, u *url.URL, c change) {
	switch {
	case c.pause > 0:
		d.log.LogAttrs(ctx, slog.LevelInfo, "endpoint taken off",
			slog.Any("application", at.application), slog.String("host", u.Host), slog.Duration("pause", c.pause))
	case c.back:
		d.log.LogAttrs(ctx, slog.LevelInfo, "endpoint is back",
			slog.Any("application", at.application), slog.String("host", u.Host))
	}
}
