package dispatch

import (
	"context"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
)

// offlineDetail says why an app is offline.
const offlineDetail = "no gateway session and no endpoint URL"

// AppStatus returns the state of an app.
func (s *service) AppStatus(ctx context.Context, app *store.Application) wire.AppStatus {
	if app.InteractionsEndpointURL == "" {
		if s.isOnline(ctx, app) {
			return wire.AppStatus{State: wire.AppOnline}
		}
		return wire.AppStatus{State: wire.AppOffline, Detail: offlineDetail}
	}
	if s.Endpoint == nil {
		return wire.AppStatus{State: wire.AppEndpoint}
	}
	e := s.Endpoint(app.ID, app.InteractionsEndpointURL)
	if e.Failures == 0 {
		return wire.AppStatus{State: wire.AppEndpoint}
	}
	times := " deliveries failed, the last with "
	if e.Failures == 1 {
		times = " delivery failed with "
	}
	status := wire.AppStatus{State: wire.AppFailing, Detail: strconv.Itoa(e.Failures) + times + strings.TrimPrefix(e.Why, "webhook: ")}
	if e.Paused {
		status.State = wire.AppPaused
	}
	return status
}

// isOnline reports whether an app has a gateway session.
func (s *service) isOnline(ctx context.Context, app *store.Application) bool {
	return s.Online == nil || s.Online(ctx, app.ID)
}
