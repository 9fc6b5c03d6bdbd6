package wire

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

// AppStatus is the state of an app.
type AppStatus struct {
	State  AppState `json:"state"`
	Detail string   `json:"detail,omitzero"` // why it is not as it should be
}
