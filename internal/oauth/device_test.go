package oauth_test

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
)

func (d *fixture) wait(t *testing.T) oauth.Device {
	t.Helper()
	device, err := d.AuthorizeDevice(t.Context(), game, "openid sdk.social_layer")
	if err != nil {
		t.Fatal(err)
	}
	return device
}

func (d *fixture) poll(t *testing.T, device oauth.Device) (oauth.Token, string) {
	t.Helper()
	token, err := d.Token(t.Context(), oauth.TokenRequest{Client: game, GrantType: oauth.DeviceCode, DeviceCode: device.DeviceCode.Reveal()})
	return token, text(err)
}

func (d *fixture) decide(t *testing.T, code string, accept bool) error {
	t.Helper()
	waiting, err := d.PendingDevice(t.Context(), code)
	if err != nil {
		return err
	}
	return d.DecideDevice(t.Context(), waiting, 201, accept)
}

// TestDevice follows RFC 8628.
func TestDevice(t *testing.T) {
	t.Parallel()

	t.Run("user codes are easy to type", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		form := regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{8}$`)
		seen := map[string]bool{}
		for range 50 {
			code := d.wait(t).UserCode
			if !form.MatchString(code) || seen[code] {
				t.Fatalf("user code %q", code)
			}
			seen[code] = true
			for _, typed := range []string{code, strings.ToLower(code), code[:4] + "-" + code[4:], " " + code[:4] + " " + code[4:]} {
				if w, err := d.PendingDevice(t.Context(), typed); err != nil || w.App.ID != 101 {
					t.Errorf("PendingDevice(%q) = %v", typed, err)
				}
			}
		}
	})

	t.Run("polls, slows down and gets one token", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		device := d.wait(t)
		steps := []struct {
			wait time.Duration
			want string
		}{
			{0, "authorization_pending"}, {4 * time.Second, "slow_down"}, {9 * time.Second, "slow_down"}, {15 * time.Second, "authorization_pending"},
		}
		for i, step := range steps {
			d.clock.Advance(step.wait)
			if _, got := d.poll(t, device); got != step.want {
				t.Errorf("step %d: %q, want %q", i, got, step.want)
			}
		}
		if err := d.decide(t, device.UserCode, true); err != nil {
			t.Fatal(err)
		}
		d.clock.Advance(15 * time.Second)
		token, refusal := d.poll(t, device)
		if refusal != "" || !d.accepts(t, token.AccessToken) || token.RefreshToken == "" {
			t.Errorf("token: %s", refusal)
		}
		if _, got := d.poll(t, device); got != `invalid_grant: Invalid "device_code" in request.` {
			t.Errorf("second poll: %q", got)
		}
	})

	t.Run("declined", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		device := d.wait(t)
		if err := d.decide(t, device.UserCode, false); err != nil {
			t.Fatal(err)
		}
		if err := d.decide(t, device.UserCode, true); !errors.Is(err, oauth.ErrUserCode) {
			t.Errorf("decided twice: %v", err)
		}
		if _, got := d.poll(t, device); got != "access_denied" {
			t.Errorf("declined: %q", got)
		}
	})

	t.Run("expires after five minutes", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		device := d.wait(t)
		d.clock.Advance(5 * time.Minute)
		if _, got := d.poll(t, device); got != "expired_token" {
			t.Errorf("expired: %q", got)
		}
		if err := d.decide(t, device.UserCode, true); !errors.Is(err, oauth.ErrUserCode) {
			t.Errorf("decided too late: %v", err)
		}
	})

	t.Run("belongs to one client", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		device := d.wait(t)
		if err := d.decide(t, device.UserCode, true); err != nil {
			t.Fatal(err)
		}
		_, err := d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: oauth.DeviceCode, DeviceCode: device.DeviceCode.Reveal()})
		refused(t, err, oauth.InvalidGrant)
		if _, err := d.AuthorizeDevice(t.Context(), oauth.Client{ID: "100"}, "identify"); err == nil {
			t.Error("a confidential client was accepted without its secret")
		}
	})

	t.Run("at most 10,000 of an application wait", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		err := store.Decide(t.Context(), d.db, func(tx *store.Tx) (err error) {
			for i := range 9_999 {
				id := auth.Hash(strconv.Itoa(i))
				err = errors.Join(err, tx.Put(store.Device{Hash: id, UserCode: id, Application: 101, Until: d.clock.Now().Add(time.Hour)}))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		d.wait(t)
		_, err = d.AuthorizeDevice(t.Context(), game, "openid")
		refused(t, err, oauth.SlowDown)
		if _, err := d.AuthorizeDevice(t.Context(), echo, "openid"); err != nil {
			t.Errorf("another application: %v", err)
		}
		d.clock.Advance(time.Hour + time.Second)
		if err := d.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.wait(t)
	})

	t.Run("installs nothing", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for _, scope := range []string{"", "bot", "identify applications.commands", "applications.commands.update", "nonsense"} {
			_, err := d.AuthorizeDevice(t.Context(), game, scope)
			refused(t, err, oauth.InvalidScope)
		}
	})
}

// expired returns the number of expired records, up to 1000 of each kind.
func (d *fixture) expired(t *testing.T) (n int) {
	t.Helper()
	err := d.db.Read(t.Context(), func(r store.Reader) error {
		keys, err := r.Grants.Outdated(d.clock.Now(), 1000)
		if err != nil {
			return err
		}
		tokens, err := r.Credentials.Expired(d.clock.Now(), 1000)
		n = len(keys) + len(tokens)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSweep(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.wait(t)
	token := d.exchange(t, d.accept(t, 200, params()).Get("code"))
	d.clock.Advance(8 * 24 * time.Hour)
	if n := d.expired(t); n != 3 { // the device, the code and the access token
		t.Errorf("%d records have expired, want 3", n)
	}
	if err := d.Sweep(t.Context()); err != nil || d.expired(t) != 0 {
		t.Errorf("Sweep() = %v, and %d expired records are left", err, d.expired(t))
	}
	if _, err := d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "refresh_token", RefreshToken: token.RefreshToken.Reveal()}); err != nil {
		t.Errorf("a refresh token does not expire: %v", err)
	}
	err := d.db.Read(t.Context(), func(r store.Reader) error {
		all, err := r.Grants.Grants(100, 200)
		if len(all) != 1 {
			t.Errorf("%d grants are left, want 1", len(all))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
