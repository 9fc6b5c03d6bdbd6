package authorization_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bellhop/bellhop/authorization"
)

// onDevice runs fn in a synctest bubble with a server and a client. Time passes only while both wait.
func onDevice(t *testing.T, fn func(t *testing.T, s *server, c *authorization.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, client := newServer(), newClient()
		client.HTTP = &http.Client{Transport: inMemory{s}}
		fn(t, s, client)
	})
}

func authorizeDevice(t *testing.T, client *authorization.Client) authorization.Device {
	t.Helper()
	d, err := client.AuthorizeDevice(t.Context(), authorization.DeviceArgs{Scopes: " openid   sdk.social_layer "})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// polls returns how many requests the token endpoint received.
func (s *server) polls() int { return len(s.forms()) - 1 }

func TestDevice(t *testing.T) {
	t.Parallel()
	onDevice(t, func(t *testing.T, s *server, client *authorization.Client) {
		d := authorizeDevice(t, client)
		want := authorization.Device{
			ClientID: appID, DeviceCode: d.DeviceCode, UserCode: "WDJBMJHT", VerificationURI: "https://bellhop.example/activate",
			VerificationURIComplete: "https://bellhop.example/activate?user_code=WDJBMJHT",
			ExpiresIn:               5 * time.Minute, Interval: 5 * time.Second,
		}
		if d != want || d.DeviceCode == "" {
			t.Errorf("AuthorizeDevice() = %+v, want %+v", d, want)
		}
		begin := time.Now()
		time.AfterFunc(12*time.Second, func() { s.decide(true) })
		token, err := client.AwaitDevice(t.Context(), d)
		if err != nil || !s.alive(token) || token.Scopes != "openid sdk.social_layer" || token.ClientID != appID {
			t.Errorf("AwaitDevice() = %+v, %v, want a live token", token, err)
		}
		if took := time.Since(begin); took != 15*time.Second || s.polls() != 3 {
			t.Errorf("AwaitDevice() took %v and %d polls, want 15s and 3", took, s.polls())
		}
		wantForms := []url.Values{
			{"client_id": {appIDText}, "scope": {"openid sdk.social_layer"}},
			{
				"client_id": {appIDText}, "device_code": {string(d.DeviceCode)},
				"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
			},
		}
		if diff := cmp.Diff(wantForms, s.forms()[:2]); diff != "" {
			t.Errorf("forms differ (-want +got):\n%s", diff)
		}
	})
}

func TestDeviceEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		arrange func(t *testing.T, s *server, d *authorization.Device) context.Context
		kind    authorization.Kind
		message string
		took    time.Duration
	}{
		{
			name: "the user declines", kind: authorization.ErrAuthorizationFailed, message: "access_denied", took: 5 * time.Second,
			arrange: func(t *testing.T, s *server, _ *authorization.Device) context.Context {
				s.decide(false)
				return t.Context()
			},
		},
		{
			name: "the time runs out here", kind: authorization.ErrAuthorizationFailed, message: "expired_token", took: 5 * time.Minute,
			arrange: func(t *testing.T, _ *server, _ *authorization.Device) context.Context { return t.Context() },
		},
		{
			name: "the time runs out there", kind: authorization.ErrAuthorizationFailed, message: "expired_token", took: 305 * time.Second,
			arrange: func(t *testing.T, _ *server, d *authorization.Device) context.Context {
				d.ExpiresIn = time.Hour
				return t.Context()
			},
		},
		{
			name: "the caller aborts", kind: authorization.ErrAborted, took: 8 * time.Second,
			arrange: func(t *testing.T, _ *server, _ *authorization.Device) context.Context {
				ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
				t.Cleanup(cancel)
				return ctx
			},
		},
		{
			name: "an unknown device code", kind: authorization.ErrHTTP, message: "invalid_grant", took: 5 * time.Second,
			arrange: func(t *testing.T, _ *server, d *authorization.Device) context.Context {
				d.DeviceCode = "another"
				return t.Context()
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onDevice(t, func(t *testing.T, s *server, client *authorization.Client) {
				d := authorizeDevice(t, client)
				ctx := tt.arrange(t, s, &d)
				begin := time.Now()
				_, err := client.AwaitDevice(ctx, d)
				wantKind(t, err, tt.kind, tt.message)
				if took := time.Since(begin); took != tt.took {
					t.Errorf("AwaitDevice() took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

// The end of the wait also ends a request that is still running.
func TestDeviceEndsWhileAsking(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		within  time.Duration // of the caller
		kind    authorization.Kind
		message string
		took    time.Duration
	}{
		{"the time runs out", time.Hour, authorization.ErrAuthorizationFailed, "expired_token", 20 * time.Second},
		{"the caller aborts", 10 * time.Second, authorization.ErrAborted, "", 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := newClient()
				client.HTTP = &http.Client{Transport: silent{}}
				ctx, cancel := context.WithTimeout(t.Context(), tt.within)
				defer cancel()
				begin := time.Now()
				_, err := client.AwaitDevice(ctx, authorization.Device{DeviceCode: "d", ExpiresIn: 20 * time.Second})
				wantKind(t, err, tt.kind, tt.message)
				if took := time.Since(begin); took != tt.took {
					t.Errorf("AwaitDevice() took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

// AwaitDevice follows the interval of the server, and backs off from a server that fails.
func TestDevicePace(t *testing.T) {
	t.Parallel()
	broken := answerWith(502, "")
	limited := answerWith(429, `{"message":"You are being rate limited.","retry_after":20.5}`)
	pending := answerWith(400, `{"error":"authorization_pending"}`)
	slower := answerWith(400, `{"error":"slow_down"}`)
	for _, tt := range []struct {
		name     string
		interval time.Duration
		answers  []http.HandlerFunc
		took     time.Duration
	}{
		{"no interval means five seconds", 0, nil, 5 * time.Second},
		{"slow_down adds five seconds for good", 5 * time.Second, []http.HandlerFunc{slower, pending, slower}, (5 + 10 + 10 + 15) * time.Second},
		{"trouble doubles the wait until it is over", 5 * time.Second, []http.HandlerFunc{broken, broken, pending}, (5 + 10 + 20 + 5) * time.Second},
		{"the wait grows to a minute", 40 * time.Second, []http.HandlerFunc{broken, broken}, (40 + 60 + 60) * time.Second},
		{"a longer interval is never cut", 90 * time.Second, []http.HandlerFunc{broken}, (90 + 90) * time.Second},
		{"a rate limit is waited out", 5 * time.Second, []http.HandlerFunc{limited, pending}, 5*time.Second + 20500*time.Millisecond + 5*time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onDevice(t, func(t *testing.T, s *server, client *authorization.Client) {
				d := authorizeDevice(t, client)
				d.Interval = tt.interval
				s.decide(true)
				s.interrupt(tt.answers...)
				begin := time.Now()
				if _, err := client.AwaitDevice(t.Context(), d); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took != tt.took {
					t.Errorf("AwaitDevice() took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

// TestDeviceSlowDown polls too often: the client gets slow_down from the server and then succeeds.
func TestDeviceSlowDown(t *testing.T) {
	t.Parallel()
	onDevice(t, func(t *testing.T, s *server, client *authorization.Client) {
		d := authorizeDevice(t, client)
		d.Interval = time.Second
		s.decide(true)
		begin := time.Now()
		token, err := client.AwaitDevice(t.Context(), d)
		if err != nil || !s.alive(token) {
			t.Fatalf("AwaitDevice() = %+v, %v, want a live token", token, err)
		}
		// The first poll, after one second, is too early. The second, six seconds later, is not.
		if took := time.Since(begin); took != 7*time.Second || s.polls() != 2 {
			t.Errorf("AwaitDevice() took %v and %d polls, want 7s and 2", took, s.polls())
		}
	})
}

func TestDeviceValidation(t *testing.T) {
	t.Parallel()
	client, nameless := newClient(), newClient()
	nameless.SetApplicationID(0)
	for _, tt := range []struct {
		name    string
		call    func(context.Context) error
		message string
	}{
		{"start without scopes", func(ctx context.Context) error {
			_, err := client.AuthorizeDevice(ctx, authorization.DeviceArgs{})
			return err
		}, "the scopes are empty or malformed"},
		{"start without application", func(ctx context.Context) error {
			_, err := nameless.AuthorizeDevice(ctx, authorization.DeviceArgs{Scopes: "openid"})
			return err
		}, "no client id given and no application id set"},
		{"wait for nothing", func(ctx context.Context) error {
			_, err := client.AwaitDevice(ctx, authorization.Device{ExpiresIn: time.Minute})
			return err
		}, "there is no device code"},
		{"wait without application", func(ctx context.Context) error {
			_, err := nameless.AwaitDevice(ctx, authorization.Device{DeviceCode: "d", ExpiresIn: time.Minute})
			return err
		}, "no client id given and no application id set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantKind(t, tt.call(t.Context()), authorization.ErrValidation, tt.message)
		})
	}
}

func TestDeviceAnswers(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no device code":      `{"user_code":"u","verification_uri":"v","expires_in":300}`,
		"no user code":        `{"device_code":"d","verification_uri":"v","expires_in":300}`,
		"no verification URI": `{"device_code":"d","user_code":"u","expires_in":300}`,
		"no lifetime":         `{"device_code":"d","user_code":"u","verification_uri":"v"}`,
		"not JSON":            `device`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.interrupt(answerWith(200, body))
			_, err := s.client(nil).AuthorizeDevice(t.Context(), authorization.DeviceArgs{Scopes: "openid"})
			wantKind(t, err, authorization.ErrHTTP, "the response is malformed")
		})
	}
}
