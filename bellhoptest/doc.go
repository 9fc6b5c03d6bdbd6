// Package bellhoptest runs a whole Bellhop inside of a Go test: in the same process, on a port that the system picks, with
// a database of its own, until the test ends. Tests can run side by side, each with a server.
//
//	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
//	srv.Push(t, echo, "commands.yaml")                                        // the app has these commands
//	srv.Connect(t, echo, myBot)                                               // and this is the app
//	got := srv.Invoke(t, "bob", "Lab/general", "/roll sides:6")               // a person uses one
//	if got.Text() != "You rolled a 6." { … }
//	srv.Advance(t, 24*time.Hour)                                              // what falls due has happened
//	srv.Fault(t, client.Fault{Route: "/lobbies", RateLimit: 1.5, Count: 2})   // the service misbehaves
//	for _, e := range srv.Requests(t, nil) { … }                              // what was sent and received
//
// The examples of the repository hold two bots with their tests: examples/httpbot takes signed requests, examples/discordgo
// hears of its interactions through the gateway.
package bellhoptest
