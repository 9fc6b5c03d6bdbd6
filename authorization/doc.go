// Package authorization is an OAuth2 client for a program that runs on the user's own machine: a game, a launcher, a tool.
//
// [Args] holds the arguments of a sign-in: application, scopes, state, nonce, code challenge, installation type and
// the scheme of a deep link. [Client.Authorize] opens the browser with these arguments, waits for the redirect and
// returns a [Grant]. [Client.Exchange] exchanges the grant for a [Token]. [Client.Refresh] and [Client.Revoke] take the
// token later:
//
//	client := &authorization.Client{
//		APIBase: "https://bellhop.example/api/v10",
//		WebBase: "https://bellhop.example",
//	}
//	client.SetApplicationID(1200000000000000001)
//
//	verifier := client.NewCodeVerifier()
//	args := authorization.NewArgs()
//	args.SetScopes(client.DefaultCommunicationScopes())
//	args.SetCodeChallenge(verifier.Challenge())
//
//	grant, err := client.Authorize(ctx, args)
//	if err != nil {
//		return err
//	}
//	token, err := client.Exchange(ctx, grant, verifier)
//
// On a desktop, the server redirects the browser to a listener on 127.0.0.1, which Authorize opens and closes. On a
// phone, the server redirects to a deep link, and the program passes the link to [Client.HandleRedirect]. A device
// without a browser uses [Client.AuthorizeDevice] and [Client.AwaitDevice].
//
// Every error that a client returns is a [*ResultError]; errors.Is finds its [Kind]. Codes and tokens have the type
// [Secret], which prints as [secret]; a code verifier prints the same way. No error text contains one.
//
// Args is an unusual type in Go: it has getters and setters, a null record, Clone and Move. The specification asks for
// this record. Each field has a getter and a setter, the record can be copied and moved, it reports whether it is valid,
// and there is an uninitialized instance. A struct with exported fields could not tell that instance from an empty record.
//
// The PKCE functions come from golang.org/x/oauth2. The token requests do not, for three reasons. Its device flow ends at
// the first network error and at the first response with the status 429 or 5xx. It starts the device flow without the
// context of the caller. Its errors contain the body of the response, which may repeat a token.
//
// The package is for public clients. It takes no client secret, because a program on the user's machine cannot keep
// one. It stores nothing and logs nothing. Use https for both addresses, except on loopback.
package authorization
