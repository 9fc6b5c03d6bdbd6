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

// Config configures a Deliverer. Clock, Log and Policy are required.
type Config struct {
	Clock clock.Clock
	// Metrics gets the metrics; nil: they are kept apart. Only one Deliverer of a service has it.
	Metrics *metrics.Metrics
	Log     *slog.Logger
	Policy  Policy
	// Roots are the trusted certificate authorities; nil: those of the machine.
	Roots *x509.CertPool
	// Resolver resolves host names; nil: the resolver of the machine.
	Resolver Resolver
	// Connect opens a connection to an address that the policy permits; nil: a net.Dialer that checks the address
	// again.
	Connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// Deliverer posts requests to apps. It is safe for concurrent use. The owner closes it.
type Deliverer struct {
	clock     clock.Clock
	log       *slog.Logger
	policy    Policy
	tasks     taskGroup
	dialer    dialer
	transport *http.Transport
	keys      keyCache
	capacity  *capacity
	circuits  circuits
	metrics   *deliveryMetrics
}

// New returns a Deliverer and registers its metrics.
func New(cfg Config) *Deliverer {
	d := &Deliverer{clock: cfg.Clock, log: cfg.Log, policy: cfg.Policy}
	d.dialer = dialer{policy: &d.policy, resolver: cfg.Resolver, connect: cfg.Connect, tasks: &d.tasks}
	if d.dialer.resolver == nil {
		d.dialer.resolver = net.DefaultResolver
	}
	if d.dialer.connect == nil {
		d.dialer.connect = checked(&d.policy).DialContext
	}
	d.transport = newTransport(&d.policy, cfg.Roots, &d.dialer)
	d.capacity = newCapacity(&d.policy)
	d.circuits.rule = cfg.Policy.Circuit
	d.metrics = newDeliveryMetrics(d)
	if cfg.Metrics != nil {
		cfg.Metrics.Register(d.metrics.collectors()...)
	}
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
		DisableCompression:     true, // a small compressed body could expand to gigabytes
		MaxIdleConns:           p.All,
		MaxIdleConnsPerHost:    p.PerApplication,
		IdleConnTimeout:        p.Idle,
		MaxResponseHeaderBytes: int64(p.MaxHeader),
		Protocols:              protocols,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: 2 << 20, MaxReceiveBufferPerStream: 1 << 20,
			SendPingTimeout: p.Connect, PingTimeout: p.Connect, // detect dead connections
		},
	}
}

// Close cancels the deliveries under way, refuses new ones and closes all connections. It returns when no delivery,
// dial or connection is left.
func (d *Deliverer) Close() {
	d.tasks.close()
	d.transport.CloseIdleConnections()
}

// Endpoint returns the state of the endpoint of an application, as the deliveries of this node have found it.
func (d *Deliverer) Endpoint(app snowflake.Application, url string) EndpointState {
	return d.circuits.state(endpoint{app, url}, d.clock.Now())
}

// Delivery is a request to an app.
type Delivery struct {
	Application snowflake.Application
	Interaction snowflake.Interaction // named in the record of the delivery
	URL         string
	Key         []byte // the Ed25519 seed of the application
	Body        []byte // JSON; must not be changed, even after the delivery
	Deadline    time.Time
	// Grace is the time after Deadline in which the body must arrive if the headers arrived by the deadline.
	Grace    time.Duration
	Arriving func() // called when the headers have arrived; may be nil
	// Signed is called with the values of the signature headers before the request is sent; may be nil.
	Signed func(timestamp, signature string)
}

// Format writes the application for every verb. It never writes the key or the body.
func (v Delivery) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "delivery to application %v", v.Application) // fmt.State reports no errors
}

// LogValue returns the application. It never contains the key or the body.
func (v Delivery) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(v)) }

// Deliver posts an interaction and returns the app's answer. The error is an *[Error] if the delivery failed,
// [ErrClosed] if d is closed, and otherwise wraps the cause of the end of ctx.
func (d *Deliverer) Deliver(ctx context.Context, v Delivery) (Answer, error) {
	a, err := d.deliver(ctx, &v, (*reply).answer)
	d.metrics.count(a.Deferred, err)
	return a, err
}

// Notify posts an event, which the app acknowledges with any status of 2xx. The error is like that of Deliver.
func (d *Deliverer) Notify(ctx context.Context, v Delivery) error {
	_, err := d.deliver(ctx, &v, acknowledgement)
	d.metrics.count(false, err)
	return err
}

// deliver posts a delivery. read returns the answer that the reply contains.
func (d *Deliverer) deliver(ctx context.Context, v *Delivery, read func(*reply) (Answer, error)) (a Answer, err error) {
	u, err := d.policy.parse(v.URL)
	if err != nil {
		return a, err
	}
	key, ok := d.keys.key(v.Key)
	if !ok {
		return a, fmt.Errorf("webhook: the key of application %v is not an Ed25519 seed", v.Application)
	}
	slot, err := d.capacity.acquire(v.Application)
	if err != nil {
		return a, err
	}
	defer slot.release()
	at := endpoint{v.Application, v.URL}
	began := d.clock.Now()
	left := v.Deadline.Sub(began)
	if left <= 0 {
		return a, &Error{Kind: Timeout, Detail: "the deadline passed before the request was sent"}
	}
	pass, err := d.circuits.admit(at, began)
	if err != nil {
		return a, err
	}
	shown, why := unclear, ""
	defer func() { d.logTransition(ctx, at, u, d.circuits.record(at, pass, shown, why, d.clock.Now())) }()

	signed := sign(key, began, v.Body)
	if v.Signed != nil {
		v.Signed(signed.timestamp, signed.hex)
	}
	r, err := d.post(ctx, &request{
		url: u, signature: signed, body: v.Body, deadline: v.Deadline, limit: d.policy.MaxAnswer, slot: slot,
		grace: v.Grace, arriving: v.Arriving,
	})
	if err == nil {
		a, err = read(r)
	}
	shown = judge(err, left)
	if err = d.complete(err, r, began); shown == fails {
		why = err.Error()
	}
	if shown != unclear {
		d.metrics.seconds.Observe(d.clock.Now().Sub(began).Seconds())
	}
	return a, err
}

// fairTime is the time that an endpoint must have had for a timeout to count as its failure.
const fairTime = time.Second

// judge returns the verdict of a delivery. had is the time that the endpoint had to answer.
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

// logTransition logs that the deliveries to an endpoint are paused or resumed.
func (d *Deliverer) logTransition(ctx context.Context, at endpoint, u *url.URL, c transition) {
	switch {
	case c.pause > 0:
		d.log.LogAttrs(ctx, slog.LevelInfo, "deliveries to endpoint paused",
			slog.Any("application", at.application), slog.String("host", u.Host), slog.Duration("pause", c.pause))
	case c.back:
		d.log.LogAttrs(ctx, slog.LevelInfo, "deliveries to endpoint resumed",
			slog.Any("application", at.application), slog.String("host", u.Host))
	}
}
