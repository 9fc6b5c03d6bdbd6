package oauth_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
)

// meetingStore delays the first commits until the given number of transactions want to commit. All of them have then
// read the records that the first one changes.
type meetingStore struct {
	store.Store

	expected atomic.Int64
	all      sync.WaitGroup
}

func newMeetingStore(s store.Store, decisions int) *meetingStore {
	m := &meetingStore{Store: s}
	m.expected.Store(int64(decisions))
	m.all.Add(decisions)
	return m
}

func (m *meetingStore) Commit(ctx context.Context, c store.Change) error {
	if m.expected.Add(-1) >= 0 {
		m.all.Done()
		m.all.Wait()
	}
	return m.Store.Commit(ctx, c)
}

// concurrently makes the same token request several times at once. It returns the tokens of the successful requests.
// The test fails when another one does not return an *Error.
func (d *fixture) concurrently(t *testing.T, q oauth.TokenRequest) []oauth.Token {
	t.Helper()
	const requests = 8
	d.Store = newMeetingStore(d.db, requests)
	var mu sync.Mutex
	var tokens []oauth.Token
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			token, err := d.Token(t.Context(), q)
			mu.Lock()
			defer mu.Unlock()
			if e, ok := errors.AsType[*oauth.Error](err); ok && e.Code == oauth.InvalidGrant {
				return
			}
			if err != nil {
				t.Errorf("Token() = %v", err)
			}
			tokens = append(tokens, token)
		})
	}
	all.Wait()
	return tokens
}

// grantsOf returns the number of grants and credentials of a user for Echo.
func (d *fixture) grantsOf(t *testing.T) (pairs, credentials int) {
	t.Helper()
	err := d.db.Read(t.Context(), func(r store.Reader) error {
		all, err := r.Grants.Grants(100, 200)
		if err != nil {
			return err
		}
		tokens, err := r.Credentials.Credentials(store.BearerToken, 100, 200)
		pairs, credentials = len(all), len(tokens)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pairs, credentials
}

func TestConcurrentExchange(t *testing.T) {
	t.Parallel()
	d := open(t)
	q := oauth.TokenRequest{Client: echo, GrantType: "authorization_code", RedirectURI: "https://echo.example/cb"}
	q.Code = d.accept(t, 200, params()).Get("code")
	tokens := d.concurrently(t, q)
	if len(tokens) != 1 {
		t.Fatalf("%d of the exchanges succeeded, want 1", len(tokens))
	}
	if pairs, credentials := d.grantsOf(t); pairs != 0 || credentials != 0 || d.accepts(t, tokens[0].AccessToken) {
		t.Errorf("%d grants and %d tokens are left after the second use of a code, want none", pairs, credentials)
	}
}

func TestConcurrentRefresh(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := d.exchange(t, d.accept(t, 200, params()).Get("code"))
	tokens := d.concurrently(t, oauth.TokenRequest{Client: echo, GrantType: "refresh_token", RefreshToken: first.RefreshToken.Reveal()})
	if len(tokens) != 1 {
		t.Fatalf("%d of the refreshes succeeded, want 1", len(tokens))
	}
	if pairs, credentials := d.grantsOf(t); pairs != 0 || credentials != 0 || d.accepts(t, tokens[0].AccessToken) {
		t.Errorf("%d grants and %d tokens are left after the second use of a refresh token, want none", pairs, credentials)
	}
}

func TestConcurrentPoll(t *testing.T) {
	t.Parallel()
	d := open(t)
	device := d.wait(t)
	if err := d.decide(t, device.UserCode, true); err != nil {
		t.Fatal(err)
	}
	tokens := d.concurrently(t, oauth.TokenRequest{Client: game, GrantType: oauth.DeviceCode, DeviceCode: device.DeviceCode.Reveal()})
	if len(tokens) != 1 || !d.accepts(t, tokens[0].AccessToken) {
		t.Errorf("%d polls returned a token, want 1 that is accepted", len(tokens))
	}
}

// TestConcurrentRotation creates the first key on several nodes at once.
func TestConcurrentRotation(t *testing.T) {
	t.Parallel()
	d := open(t)
	const nodes = 4
	met := newMeetingStore(d.db, nodes)
	var found [nodes][]string
	var all sync.WaitGroup
	for i := range nodes {
		all.Go(func() {
			node := &fixture{Server: &oauth.Server{Store: met, Clock: d.clock, Log: d.Log, Issuer: issuer}}
			found[i] = node.keyIDs(t)
		})
	}
	all.Wait()
	for _, ids := range found {
		if len(ids) != 1 || !slices.Equal(ids, found[0]) {
			t.Fatalf("the nodes have the keys %v, want the same one", found)
		}
	}
}
