// Signin signs a user in with package authorization and prints the username.
//
// It needs an application that is a public client with the loopback address as a redirect URI. In a world file:
//
//	applications:
//	  - {id: "100", name: Echo, owner: "200", public_client: true, redirect_uris: ["http://127.0.0.1/callback"]}
//
// Then, while "bellhop dev --world FILE" runs:
//
//	go run ./examples/signin --app 100
//
// The browser opens. When the user has consented, the program prints the username and the granted scopes. With --print it
// prints the address instead of opening the browser. With --device it prints a code to enter on another machine. --refresh
// exchanges the token for a new one. --revoke revokes the token at the end.
//
// It exits with 0 when the user is signed in, with 1 when the sign-in fails, and with 2 for wrong usage. It never prints a
// token.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/bellhop/bellhop/authorization"
)

// options are the flags.
type options struct {
	app              uint64
	apiBase, webBase string
	scopes           string
	print, device    bool
	refresh, revoke  bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := o.signIn(ctx, stdout); err != nil {
		say(stderr, "signin: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("signin", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Uint64Var(&o.app, "app", 0, "application `id`; required")
	fs.StringVar(&o.apiBase, "api-base", "http://127.0.0.1:8080/api/v10", "`address` of the API, with its version")
	fs.StringVar(&o.webBase, "web-base", "http://127.0.0.1:8080", "`address` of the pages that people see")
	fs.StringVar(&o.scopes, "scopes", authorization.DefaultCommunicationScopes(), "`scopes` to ask for, separated by spaces")
	fs.BoolVar(&o.print, "print", false, "print the address instead of opening the browser")
	fs.BoolVar(&o.device, "device", false, "show a code to enter on another machine")
	fs.BoolVar(&o.refresh, "refresh", false, "refresh the token once")
	fs.BoolVar(&o.revoke, "revoke", false, "revoke the token at the end")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if o.app == 0 || fs.NArg() > 0 {
		say(stderr, "signin: --app must name the application, and nothing follows the flags\n")
		fs.Usage()
		return o, errUse
	}
	return o, nil
}

var errUse = errors.New("wrong use")

// signIn runs the sign-in that the flags select.
func (o options) signIn(ctx context.Context, out io.Writer) error {
	client := &authorization.Client{APIBase: o.apiBase, WebBase: o.webBase}
	client.SetApplicationID(o.app)
	if o.print {
		client.OpenBrowser = func(_ context.Context, page string) error {
			_, err := fmt.Fprintln(out, "open", page)
			return err
		}
	}
	obtain := o.byBrowser
	if o.device {
		obtain = o.byDevice
	}
	token, err := obtain(ctx, client, out)
	if err != nil {
		return err
	}
	if o.refresh {
		if token, err = client.Refresh(ctx, token); err != nil {
			return err
		}
	}
	name, err := whoIs(ctx, o.apiBase, token)
	if err != nil {
		return err
	}
	say(out, "signed in as %s with %s for %s\n", name, token.Scopes, token.ExpiresIn)
	if o.revoke {
		if err := client.Revoke(ctx, token); err != nil {
			return err
		}
		say(out, "revoked\n")
	}
	return nil
}

func (o options) byBrowser(ctx context.Context, client *authorization.Client, _ io.Writer) (authorization.Token, error) {
	verifier := client.NewCodeVerifier()
	args := authorization.NewArgs()
	args.SetScopes(o.scopes)
	args.SetCodeChallenge(verifier.Challenge())
	grant, err := client.Authorize(ctx, args)
	if err != nil {
		return authorization.Token{}, err
	}
	return client.Exchange(ctx, grant, verifier)
}

func (o options) byDevice(ctx context.Context, client *authorization.Client, out io.Writer) (authorization.Token, error) {
	device, err := client.AuthorizeDevice(ctx, authorization.DeviceArgs{Scopes: o.scopes})
	if err != nil {
		return authorization.Token{}, err
	}
	say(out, "open %s and enter %s\n", device.VerificationURI, device.UserCode)
	return client.AwaitDevice(ctx, device)
}

func say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format, args...) // the output may be closed
}
