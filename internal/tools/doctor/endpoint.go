package doctor

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/remote"
)

// endpointTimeout is the time in which an app must answer an interaction.
const endpointTimeout = 3 * time.Second

// checkEndpoint checks that the endpoint of the app can be reached, and that it refuses wrong signatures with 401. The key
// of the application is known to the service only, so the check signs with a key of its own, which must be refused.
func (d *App) checkEndpoint(ctx context.Context) {
	address := d.app.InteractionsEndpointURL
	if address == "" {
		d.Report(Skipped, "endpoint", "the app has no endpoint URL: it receives interactions through the gateway", "")
		d.checkGateway(ctx)
		return
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		d.Report(Broken, "endpoint", err.Error(), "")
		return
	}
	status, date, err := d.ping(ctx, address, key)
	if err != nil {
		d.Report(Broken, "endpoint", fmt.Sprintf("%s: %s", address, connectionFault(err)), "start the bot, or correct its interactions_endpoint_url")
		return
	}
	d.Report(Healthy, "endpoint", address+" can be reached", "")
	d.checkClock("endpoint", date)
	switch {
	case status == http.StatusUnauthorized:
		d.Report(Healthy, "signature", "the app refuses a wrong signature with 401", "")
	case status < http.StatusMultipleChoices:
		d.Report(Broken, "signature", fmt.Sprintf("the app accepts a wrong signature (%d)", status),
			"verify X-Signature-Ed25519 over the timestamp and the body with the verify_key, and answer 401")
	default:
		d.Report(Broken, "signature", fmt.Sprintf("the app answers %d to a wrong signature, not 401", status),
			"answer 401 before the body is parsed; see docs/interactions.md")
	}
}

// checkGateway checks that the bot has a session of the gateway. Only a service with dev controls tells.
func (d *App) checkGateway(ctx context.Context) {
	q := remote.Request{Method: http.MethodGet, URL: remote.Root(d.BaseURL) + "/_dev/applications"}
	response, err := q.Send(ctx)
	v, parseErr := jsonbody.Parse(response)
	if err != nil || parseErr != nil {
		d.Report(Skipped, "gateway", "the service has no dev controls, which tell whether the bot is connected", "")
		return
	}
	for _, app := range v.Items() {
		if app.Get("id").Text() != d.app.ID.String() {
			continue
		}
		state := app.Get("status").Get("state").Text()
		if state == "online" {
			d.Report(Healthy, "gateway", "the bot is connected", "")
			return
		}
		d.Report(Broken, "gateway", "the bot is "+withDetail(state, app.Get("status").Get("detail").Text()),
			"start the bot with this token and base URL, or set its interactions_endpoint_url")
		return
	}
	d.Report(Skipped, "gateway", "the service does not list the app", "")
}

// withDetail joins a state and its detail, which may be empty.
func withDetail(state, detail string) string {
	if state == "" || detail == "" {
		return state + detail
	}
	return state + ": " + detail
}

// ping sends a PING that is signed with a key. It returns the status and the header Date of the response.
func (d *App) ping(ctx context.Context, address string, key ed25519.PrivateKey) (status int, date string, err error) {
	ctx, cancel := context.WithTimeout(ctx, endpointTimeout)
	defer cancel()
	body := fmt.Appendf(nil, `{"application_id":%q,"id":"1","token":"doctor","type":1,"version":1}`, d.app.ID)
	timestamp := strconv.FormatInt(d.Clock.Now().Unix(), 10)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Signature-Timestamp", timestamp)
	r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(key, append([]byte(timestamp), body...))))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, resp.Header.Get("Date"), errors.Join(err, resp.Body.Close())
}

// connectionFault describes why there is no response.
func connectionFault(err error) string {
	var unknownHost *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused: no program listens there"
	case errors.As(err, &unknownHost):
		return "unknown host " + unknownHost.Name
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no response within %v", endpointTimeout)
	}
	return err.Error()
}
