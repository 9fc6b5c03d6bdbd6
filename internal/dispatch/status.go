package dispatch

import (
	"context"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/store"
)

// AppState says whether an app can receive interactions.
type AppState string

// The states of apps.
const (
	AppOnline   AppState = "online"   // a gateway session on any node
	AppOffline  AppState = "offline"  // neither a gateway session nor an endpoint URL
	AppEndpoint AppState = "endpoint" // an endpoint URL, and the last delivery of this node did not fail
	AppFailing  AppState = "failing"  // the last deliveries of this node to the endpoint failed
	AppPaused   AppState = "paused"   // the endpoint kept failing, and deliveries to it fail at once
)

// offlineDetail says why an app is offline.
const offlineDetail = "no gateway session and no endpoint URL"

// AppStatus is the state of an app.
type AppStatus struct {
	State  AppState `json:"state"`
	Detail string   `json:"detail,omitzero"` // why it is not as it should be
}

// AppStatus returns the state of an app.
func (s *service) AppStatus(ctx context.Context, app *store.Application) AppStatus {
	if app.InteractionsEndpointURL == "" {
		if s.isOnline(ctx, app) {
			return AppStatus{State: AppOnline}
		}
		return AppStatus{AppOffline, offlineDetail}
	}
	if s.Endpoint == nil {
		return AppStatus{State: AppEndpoint}
	}
	e := s.Endpoint(app.ID, app.InteractionsEndpointURL)
	if e.Failures == 0 {
		return AppStatus{State: AppEndpoint}
	}
	times := " deliveries failed, the last with "
	if e.Failures == 1 {
		times = " delivery failed with "
	}
	status := AppStatus{AppFailing, strconv.Itoa(e.Failures) + times + strings.TrimPrefix(e.Why, "webhook: ")}
	if e.Paused {
		status.State = AppPaused
	}
	return status
}

// isOnline reports whether an app has a gateway session.
func (s *service) isOnline(ctx context.Context, app *store.Application) bool {
	return s.Online == nil || s.Online(ctx, app.ID)
}
