// Package authorization signs a person in from a program that runs on their own machine: a game, a launcher, a tool.
//
// The arguments of a sign-in are a record, [Args]: application, scopes, state, nonce, code challenge, installation type
// and the scheme of a deep link. [Client.Authorize] opens the browser with them and waits for the answer; what it
// returns is exchanged for a [Token], which is refreshed and revoked later:
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
// On a desktop the browser comes back to a listener on 127.0.0.1 that lives as long as the call; on a phone it comes
// back by a deep link, which the program hands to [Client.HandleRedirect]. A device without a browser uses
// [Client.AuthorizeDevice] and [Client.AwaitDevice].
//
// Every error of a client is a [*ResultError] and answers errors.Is with its [Kind]. Codes, verifiers and tokens are of type
// [Secret] or print like one; they appear in no error text.
//
// The package is for public clients: it knows no client secret, for a program on a person's machine cannot keep one.
// It stores nothing and logs nothing. Use https for both addresses anywhere but on loopback.
package authorization
