package authorization_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bellhop/bellhop/authorization"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind  authorization.Kind
		value int
		text  string
	}{
		{authorization.ErrNetwork, 1, "network error"},
		{authorization.ErrHTTP, 2, "http error"},
		{authorization.ErrClientNotReady, 3, "client not ready"},
		{authorization.ErrDisabled, 4, "disabled"},
		{authorization.ErrClientDestroyed, 5, "client destroyed"},
		{authorization.ErrValidation, 6, "validation error"},
		{authorization.ErrAborted, 7, "aborted"},
		{authorization.ErrAuthorizationFailed, 8, "authorization failed"},
		{authorization.ErrRPC, 9, "rpc error"},
		{authorization.Kind(42), 42, "error kind 42"},
	} {
		if int(tt.kind) != tt.value || tt.kind.Error() != tt.text {
			t.Errorf("kind %d says %q, want %d %q", int(tt.kind), tt.kind.Error(), tt.value, tt.text)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		answer  http.HandlerFunc
		want    authorization.ResultError
		text    string
		excerpt int // bytes of the body in the error; -1: all
	}{
		{
			name:   "form of OAuth2",
			answer: answerWith(400, `{"error":"invalid_grant","error_description":"Invalid \"code\" in request."}`),
			want:   authorization.ResultError{Status: 400, Message: "invalid_grant", Description: `Invalid "code" in request.`},
			text:   `authorization: refresh: http error 400: invalid_grant: Invalid "code" in request.`, excerpt: -1,
		},
		{
			name:   "form of the API",
			answer: answerWith(403, `{"message":"Missing Access","code":50001}`),
			want:   authorization.ResultError{Status: 403, Message: "Missing Access", Code: 50001},
			text:   "authorization: refresh: http error 403: Missing Access", excerpt: -1,
		},
		{
			name:   "rate limit with fractions",
			answer: answerWith(429, `{"message":"You are being rate limited.","retry_after":0.25,"global":false}`, "Retry-After", "1"),
			want: authorization.ResultError{
				Status: 429, Message: "You are being rate limited.", Retryable: true, RetryAfter: 250 * time.Millisecond,
			},
			text: "authorization: refresh: http error 429: You are being rate limited.", excerpt: -1,
		},
		{
			name:   "rate limit of a proxy, header only",
			answer: answerWith(429, "slow down", "Retry-After", "7"),
			want:   authorization.ResultError{Status: 429, Retryable: true, RetryAfter: 7 * time.Second},
			text:   "authorization: refresh: http error 429", excerpt: -1,
		},
		{
			name:   "retry after a date",
			answer: answerWith(503, "", "Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"),
			want:   authorization.ResultError{Status: 503, Retryable: true},
			text:   "authorization: refresh: http error 503", excerpt: -1,
		},
		{
			name:   "retry after an invalid duration",
			answer: answerWith(429, `{"retry_after":-3}`),
			want:   authorization.ResultError{Status: 429, Retryable: true},
			text:   "authorization: refresh: http error 429", excerpt: -1,
		},
		{
			name:   "retry after a very long time",
			answer: answerWith(429, `{"retry_after":1e300}`),
			want:   authorization.ResultError{Status: 429, Retryable: true, RetryAfter: (1 << 32) * time.Second},
			text:   "authorization: refresh: http error 429", excerpt: -1,
		},
		{
			name:   "long page of a proxy",
			answer: answerWith(502, "<html>\n"+strings.Repeat("é", 5000)),
			want:   authorization.ResultError{Status: 502, Retryable: true},
			text:   "authorization: refresh: http error 502", excerpt: 512,
		},
		{
			name:   "long error on many lines",
			answer: answerWith(400, `{"error":"`+strings.Repeat(`\n`, 3)+strings.Repeat("e", 300)+`"}`),
			want:   authorization.ResultError{Status: 400, Message: strings.Repeat("e", 200)},
			text:   "authorization: refresh: http error 400: " + strings.Repeat("e", 200), excerpt: -1,
		},
		{
			name:   "members of other types",
			answer: answerWith(400, `{"error":{"code":1}}`),
			want:   authorization.ResultError{Status: 400},
			text:   "authorization: refresh: http error 400", excerpt: -1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.interrupt(tt.answer)
			_, err := s.client(nil).Refresh(t.Context(), authorization.Token{RefreshToken: "a refresh token"})
			got := wantKind(t, err, authorization.ErrHTTP, tt.want.Message)
			if tt.excerpt >= 0 && (len(got.Body) > tt.excerpt || len(got.Body) < tt.excerpt-utf8.UTFMax || !utf8.ValidString(got.Body)) {
				t.Errorf("Body has %d bytes, want %d and whole characters", len(got.Body), tt.excerpt)
			}
			if err.Error() != tt.text {
				t.Errorf("Error() = %q, want %q", err.Error(), tt.text)
			}
			tt.want.Op, tt.want.Kind, tt.want.Body = "refresh", authorization.ErrHTTP, got.Body
			if got != tt.want {
				t.Errorf("error = %+v, want %+v", got, tt.want)
			}
		})
	}
}

// An error contains no secret, even if the server repeats the request in its response.
func TestErrorsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	const secret = "hush/hush+hush=="
	echo := func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // the server repeats what did parse
		words := r.PostForm.Encode() + " " + strings.Join(slices.Concat(slices.Collect(maps.Values(r.PostForm))...), " ")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"` + words + `","error_description":"` + words + `","message":"` + words + `"}`))
	}
	verifier := authorization.NewCodeVerifier()
	for name, call := range map[string]func(*authorization.Client) error{
		"exchange": func(c *authorization.Client) error {
			_, err := c.Exchange(t.Context(), authorization.Grant{Code: secret, RedirectURI: "x:/y"}, verifier)
			return err
		},
		"refresh": func(c *authorization.Client) error {
			_, err := c.Refresh(t.Context(), authorization.Token{RefreshToken: secret})
			return err
		},
		"revoke": func(c *authorization.Client) error {
			return c.Revoke(t.Context(), authorization.Token{AccessToken: secret})
		},
		"await device": func(c *authorization.Client) error {
			_, err := c.AwaitDevice(t.Context(), authorization.Device{DeviceCode: secret, ExpiresIn: time.Minute, Interval: time.Nanosecond})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.interrupt(echo)
			err := call(s.client(nil))
			result, ok := errors.AsType[*authorization.ResultError](err)
			if !ok || !strings.Contains(result.Body, "[secret]") {
				t.Fatalf("error = %v, want a refusal with the secret hidden", err)
			}
			for _, words := range []string{err.Error(), result.Body, result.Message, result.Description} {
				if strings.Contains(words, "hush") || strings.Contains(words, string(verifier.Verifier())) {
					t.Errorf("%s shows a secret", words)
				}
			}
		})
	}
}

// Every response gives either a usable token or a bounded error without secrets of the request.
func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"access_token":"a","token_type":"Bearer","expires_in":60}`))
	f.Add(400, []byte(`{"error":"invalid_grant","error_description":"stored-refresh-token"}`))
	f.Add(429, []byte(`{"message":"slow","retry_after":0.3,"code":20028}`))
	f.Add(502, []byte("\xff\xfe<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return // net/http rejects other statuses
		}
		client := newClient()
		client.HTTP = &http.Client{Transport: inMemory{answerWith(status, string(body))}}
		const refresh = "stored-refresh-token"
		token, err := client.Refresh(t.Context(), authorization.Token{RefreshToken: refresh})
		if err == nil {
			if token.AccessToken == "" || token.RefreshToken == "" || token.Type != "Bearer" || token.ExpiresIn < 0 {
				t.Errorf("Refresh() = %+v, want a usable token", token)
			}
			return
		}
		result, ok := errors.AsType[*authorization.ResultError](err)
		if !ok || result.Status != status || result.RetryAfter < 0 || token != (authorization.Token{}) {
			t.Fatalf("error = %#v beside %+v, want a result with status %d", err, token, status)
		}
		if len(result.Body) > 512 || len(result.Message) > 200 || len(result.Description) > 200 || !utf8.ValidString(err.Error()+result.Body) {
			t.Errorf("error is not bounded text: %q", err)
		}
		if strings.Contains(err.Error()+result.Body, refresh) {
			t.Errorf("error shows the token: %q", err)
		}
	})
}
