// Package eventhook sends event webhooks: signed requests that tell an application what happened to it. The application chooses
// the URL and the types. An event is a delivery of package outbox, so it is stored with the change that it reports. Events have
// no order.
package eventhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// answerTime bounds how long an application may take to acknowledge an event.
	answerTime = 3 * time.Second
	// maxAttempts is the number of times that an event is sent. With the pauses between them, that is about nine minutes.
	maxAttempts = 10
	// maxFailures is the number of failures in a row after which the service switches the event webhooks of an application off.
	maxFailures = 100
	atOnce      = 64 // events of all applications that are sent at the same time
	atOnceOfOne = 16 // events of one application that are sent at the same time
)

// Config contains the dependencies of Webhooks. All fields but Sealer are required.
type Config struct {
	Directory *directory.Directory
	Sealer    *auth.Sealer // decrypts the keys that sign requests; nil: they are not encrypted
	Outbox    *outbox.Outbox
	Clock     clock.Clock
	Wall      clock.Clock // the system's time, also when dev controls move Clock
	Log       *slog.Logger
	// Send posts an event, which the application acknowledges.
	Send func(ctx context.Context, event string, v webhook.Delivery) error
}

// Webhooks sends event webhooks. It is safe for concurrent use.
type Webhooks struct {
	Config

	queue *outbox.Queue
	turns turns
}

// New returns the service, and adds its queue to the outbox.
func New(c Config) *Webhooks {
	w := &Webhooks{Config: c}
	w.queue = c.Outbox.Queue(outbox.Settings{
		Name: "event webhooks", Send: w.send, Timeout: answerTime + time.Second, Concurrency: atOnce, Pause: pause,
	})
	return w
}

// pause returns the time until the next attempt: 1, 2, 4 and so on up to 256 seconds.
func pause(attempts int) (time.Duration, bool) {
	return time.Second << (attempts - 1), attempts < maxAttempts
}

// timeLayout is the form of times in event webhooks: in UTC, without a zone.
const timeLayout = "2006-01-02T15:04:05.000000"

// envelope is the body of a request.
type envelope struct {
	Version     int                   `json:"version"`
	Application snowflake.Application `json:"application_id"`
	Type        int                   `json:"type"` // 1; a PING has 0
	Event       body                  `json:"event"`
}

type body struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      any    `json:"data"`
}

// stored is the payload of a delivery.
type stored struct {
	Application snowflake.Application `json:"application"`
	URL         string                `json:"url,omitzero"` // empty: that of the application when the event is sent
	Event       string                `json:"event"`
	Body        jsontext.Value        `json:"body"`
}

// Records returns the record of the delivery of an event, such as wire.ApplicationAuthorized, or none if the application does not
// want it. The caller puts it into the change that the event reports. An empty url is that of the application. data becomes JSON.
func (w *Webhooks) Records(app *store.Application, event, url string, data any) ([]store.Record, error) {
	if !convert.WantsEvent(app, event) || url == "" && app.EventURL == "" {
		return nil, nil
	}
	text, err := json.Marshal(envelope{1, app.ID, 1, body{event, w.Clock.Now().UTC().Format(timeLayout), data}})
	if err != nil {
		return nil, fmt.Errorf("encode the event %s: %w", event, err)
	}
	payload, err := json.Marshal(stored{app.ID, url, event, text})
	if err != nil {
		return nil, err
	}
	return []store.Record{w.queue.Row(store.Subject{}, payload)}, nil
}

// errOff says that an application does not get event webhooks any more.
var errOff = errors.New("the event webhooks are switched off")

// send posts an event, and counts failures of the application's own URL.
func (w *Webhooks) send(ctx context.Context, d outbox.Delivery) error {
	var e stored
	if err := json.Unmarshal(d.Payload, &e); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	app, err := w.Directory.Applications.Application(ctx, e.Application)
	if errors.Is(err, directory.ErrUnknownApplication) {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	if err != nil {
		return err
	}
	url := e.URL
	if url == "" {
		url = app.EventURL
	}
	if url == "" || app.EventStatus != wire.EventWebhooksEnabled {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, errOff)
	}
	key, err := w.Sealer.ApplicationKey(app)
	if err != nil {
		return err
	}
	if wait := w.turns.begin(app.ID); wait > 0 {
		return &outbox.Later{After: wait}
	}
	began := w.Wall.Now()
	err = w.Send(ctx, e.Event, webhook.Delivery{
		Application: app.ID, URL: url, Key: key, Body: e.Body, Deadline: began.Add(answerTime),
	})
	w.turns.end(app.ID, w.Wall.Now().Sub(began))
	if e.URL != "" {
		return err // that URL belongs to a lobby
	}
	if failed := w.count(context.WithoutCancel(ctx), app.ID, err); failed != nil {
		w.Log.WarnContext(ctx, "outcome of an event webhook not counted", "application", app.ID, "err", failed)
	}
	return err
}
