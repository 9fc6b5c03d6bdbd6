// Package bellhoptest runs a complete Bellhop in a Go test: in the same process, on a free port, with its own database,
// until the test ends. Parallel tests can each have their own server.
//
//	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
//	srv.Push(t, echo, "commands.yaml")                                        // the commands of the app
//	srv.Connect(t, echo, myBot)                                               // the app
//	got := srv.Invoke(t, "bob", "Lab/general", "/roll sides:6")               // invoke a command as bob
//	if got.Text() != "You rolled a 6." { … }
//	got = srv.Press(t, "bob", got, "Again")                                   // press a button of the answer
//	srv.Advance(t, 24*time.Hour)                                              // advance the clock
//	srv.Fault(t, client.Fault{Route: "/lobbies", RateLimit: 1.5, Count: 2})   // make requests fail
//	for _, e := range srv.Requests(t, nil) { … }                              // recorded requests
//
// The repository has two example bots with tests: examples/httpbot receives interactions over HTTP, examples/discordgo
// receives them through the gateway.
package bellhoptest
