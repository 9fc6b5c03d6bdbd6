package authorization_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"testing"

	"go.uber.org/goleak"

	"github.com/bellhop/bellhop/authorization"
)

// TestMain fails the run when a listener, an opener or a connection outlives its call.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// opener shows a page to the user.
type opener = func(ctx context.Context, page string) error

// response is an HTTP response as a browser receives it.
type response struct {
	status int
	header http.Header
	body   string
}

// visit requests page like a browser, but does not follow redirects.
func visit(page string) (response, error) {
	req, err := http.NewRequest(http.MethodGet, page, nil)
	if err != nil {
		return response{}, err
	}
	return browse(req)
}

// browse sends one request on a connection of its own.
func browse(req *http.Request) (response, error) {
	browser := http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DisableKeepAlives: true},
	}
	resp, err := browser.Do(req)
	if err != nil {
		return response{}, err
	}
	body, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, string(body)}, errors.Join(err, resp.Body.Close())
}

// consent visits the authorize page and returns the address that it redirects to.
func consent(page string) (*url.URL, error) {
	got, err := visit(page)
	if err != nil {
		return nil, err
	}
	if got.status != http.StatusFound {
		return nil, errors.New("the authorize page says: " + got.body)
	}
	return url.Parse(got.header.Get("Location"))
}

// follow is an opener for a user who decides at once. Its browser follows the redirect to the app.
func follow(_ context.Context, page string) error {
	back, err := consent(page)
	if err != nil {
		return err
	}
	_, err = visit(back.String())
	return err
}

// goBack is an opener whose browser follows the redirect with the query changed by edit. It checks the status of the page.
func goBack(t *testing.T, status int, edit func(url.Values)) opener {
	return func(_ context.Context, page string) error {
		back, err := consent(page)
		if err != nil {
			return err
		}
		callback(t, back, status, edit)
		return nil
	}
}

// callback visits back with the query changed by edit.
func callback(t *testing.T, back *url.URL, status int, edit func(url.Values)) {
	t.Helper()
	q := back.Query()
	edit(q)
	changed := *back
	changed.RawQuery = q.Encode()
	got, err := visit(changed.String())
	if err != nil {
		t.Errorf("callback: %v", err)
		return
	}
	if got.status != status {
		t.Errorf("callback answered %d, want %d", got.status, status)
	}
}

func unchanged(url.Values) {}

// communication returns a record with the communication scopes, and its verifier.
func communication() (authorization.Args, authorization.CodeVerifier) {
	verifier := authorization.NewCodeVerifier()
	args := authorization.NewArgs()
	args.SetScopes(authorization.DefaultCommunicationScopes())
	args.SetCodeChallenge(verifier.Challenge())
	return args, verifier
}

// wantKind checks that err is a ResultError with the kind and the message, and returns it.
func wantKind(t *testing.T, err error, kind authorization.Kind, message string) authorization.ResultError {
	t.Helper()
	result, ok := errors.AsType[*authorization.ResultError](err)
	if !ok {
		t.Fatalf("error = %v, want a *ResultError", err)
	}
	if !errors.Is(err, kind) || result.Kind != kind || result.Message != message {
		t.Errorf("error = %v (kind %v, message %q), want kind %v, message %q", err, result.Kind, result.Message, kind, message)
	}
	return *result
}

func closing(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// query returns the parameters of an address.
func query(t interface{ Fatal(...any) }, page string) url.Values {
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}
