// Package webhook posts signed requests to apps and brings their answers back. It decides neither what is sent nor what
// an answer means: it carries, and it does so without being turned against the network it stands in.
//
// # Guarantees
//
//   - A delivery reaches the app at most once. It is sent again only when nothing of it had been written, or when an
//     HTTP/2 server says that it has not touched it.
//   - It ends by its deadline, whatever the app does. Headers and body of an answer are bounded, and so is the memory
//     that all large answers under way take together.
//   - Only public addresses are called, those that an operator allows aside. A name is resolved once, every address it
//     has is judged, and a connection goes to one of those very addresses. No redirect is followed, no cookie kept, no
//     proxy of the environment used, no certificate taken unverified.
//   - Nobody waits: an application with too many deliveries under way, an endpoint that keeps failing and a service that
//     is full are told at once.
//   - Errors and log lines are made of fixed words and the host's name. They hold nothing of a body, a key, a path, a
//     query or an answer.
//
// # Where the sources leave a choice
//
//   - An endpoint counts as failing when it is silent, cannot be reached, overflows, or answers 429 or 5xx. Any other
//     answer shows that it is alive, even when it is of no use.
//   - A 202 with a body is no promise of a callback.
//   - The PING handshake is made whether or not the endpoint is taken off, and puts it back when it succeeds.
package webhook
