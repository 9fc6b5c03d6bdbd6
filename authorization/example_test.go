package authorization_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/bellhop/bellhop/authorization"
)

// serve starts the authorization server of the examples.
func serve() *server {
	s := newServer()
	s.Server = httptest.NewServer(s)
	return s
}

// A complete sign-in on a desktop: authorize, exchange, refresh and revoke.
func Example() {
	server := serve() // an authorization server on loopback
	defer server.Close()
	ctx := context.Background()

	client := &authorization.Client{
		APIBase:     server.URL + "/api/v10",
		WebBase:     server.URL,
		OpenBrowser: follow, // simulates a user who consents at once; leave it nil to open the system's browser
		HTTP:        server.Client(),
	}
	client.SetApplicationID(1200000000000000001)

	verifier := client.NewCodeVerifier()
	args := authorization.NewArgs()
	args.SetScopes(client.DefaultCommunicationScopes())
	args.SetCodeChallenge(verifier.Challenge())

	grant, err := client.Authorize(ctx, args)
	if err != nil {
		fmt.Println(err)
		return
	}
	token, err := client.Exchange(ctx, grant, verifier)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("granted:", token.Scopes)
	fmt.Println("expires in:", token.ExpiresIn)
	fmt.Println("access token:", token.AccessToken)

	if token, err = client.Refresh(ctx, token); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("revoked:", client.Revoke(ctx, token) == nil)
	// Output:
	// granted: openid sdk.social_layer
	// expires in: 168h0m0s
	// access token: [secret]
	// revoked: true
}

// A new record has every field unset. Assignment copies the record.
func ExampleArgs() {
	args := authorization.NewArgs()
	args.SetScopes(authorization.DefaultPresenceScopes())
	args.SetIntegrationType(authorization.UserInstall)

	other := args
	other.ClearIntegrationType()

	where, ok := args.IntegrationType()
	fmt.Println(where, ok)
	_, ok = other.IntegrationType()
	fmt.Println(ok)
	// Output:
	// USER_INSTALL true
	// false
}

// Move leaves the null record behind, whose setters do nothing.
func ExampleArgs_Move() {
	args := authorization.NewArgs()
	args.SetScopes("openid")

	moved := args.Move()
	args.SetScopes("identify")

	fmt.Printf("%v %q\n", moved.Valid(), moved.Scopes())
	fmt.Printf("%v %q\n", args.Valid(), args.Scopes())
	// Output:
	// true "openid"
	// false ""
}

// A verifier prints as [secret]; its challenge is public. The values are those of RFC 7636.
func ExampleCodeVerifier() {
	verifier, err := authorization.ParseCodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verifier)
	fmt.Println(verifier.Challenge().Method, verifier.Challenge().Challenge)
	// Output:
	// [secret]
	// S256 E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
}

// On a phone, the server redirects to a deep link. The operating system passes the link to the program, which passes it
// to the client.
func ExampleClient_HandleRedirect() {
	client := &authorization.Client{WebBase: "https://bellhop.example"}
	client.SetApplicationID(42)
	client.OpenBrowser = func(_ context.Context, page string) error {
		fmt.Println(page)
		// Later, when the user has consented:
		return client.HandleRedirect("mygame:/authorize/callback?code=one-time&state=only-for-this-example")
	}

	verifier, err := authorization.ParseCodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
	if err != nil {
		fmt.Println(err)
		return
	}
	args := authorization.NewArgs()
	args.SetScopes("openid")
	args.SetState("only-for-this-example") // if unset, the state is random
	args.SetCodeChallenge(verifier.Challenge())
	args.SetCustomSchemeParam("mygame")

	grant, err := client.Authorize(context.Background(), args)
	fmt.Println(grant.RedirectURI, err)
	// Output:
	// https://bellhop.example/oauth2/authorize?response_type=code&client_id=42&scope=openid&redirect_uri=mygame%3A%2Fauthorize%2Fcallback&state=only-for-this-example&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
	// mygame:/authorize/callback <nil>
}

// A device without a browser shows a code. The user enters the code on a machine with a browser.
func ExampleClient_AuthorizeDevice() {
	server := serve()
	defer server.Close()
	ctx := context.Background()
	client := &authorization.Client{APIBase: server.URL + "/api/v10", HTTP: server.Client()}
	client.SetApplicationID(1200000000000000001)

	device, err := client.AuthorizeDevice(ctx, authorization.DeviceArgs{Scopes: client.DefaultCommunicationScopes()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("open", device.VerificationURI, "and enter", device.UserCode)

	ctx, cancel := context.WithCancel(ctx)
	cancel() // the user leaves the screen
	_, err = client.AwaitDevice(ctx, device)
	fmt.Println(errors.Is(err, authorization.ErrAborted))
	// Output:
	// open https://bellhop.example/activate and enter WDJBMJHT
	// true
}

// An error has a kind, the HTTP status and the server's message.
func ExampleResultError() {
	server := serve()
	defer server.Close()
	client := &authorization.Client{APIBase: server.URL + "/api/v10", HTTP: server.Client()}
	client.SetApplicationID(1200000000000000001)

	_, err := client.Refresh(context.Background(), authorization.Token{RefreshToken: "long gone"})
	fmt.Println(err)
	if result, ok := errors.AsType[*authorization.ResultError](err); ok {
		fmt.Println(errors.Is(err, authorization.ErrHTTP), result.Status, result.Message, result.Retryable)
	}
	// Output:
	// authorization: refresh: http error 400: invalid_grant: Invalid "refresh_token" in request
	// true 400 invalid_grant false
}
