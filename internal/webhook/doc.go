// Package webhook posts signed requests to apps and returns their answers. It does not decide what is sent or what an
// answer means. It protects the network that the service runs in from requests to internal addresses.
//
// # Guarantees
//
//   - A delivery reaches the app at most once. It is sent again only if no byte of it had been written, or if an HTTP/2
//     server reports that it has not processed it.
//   - A delivery ends by its deadline. The headers and the body of an answer are limited in size, and so is the total
//     memory of large answers.
//   - Only public addresses are called, and those that the operator allows. A name is resolved once, every address is
//     checked, and the connection goes to one of the checked addresses. The client follows no redirect, keeps no
//     cookie, uses no proxy and accepts no unverified certificate.
//   - No delivery waits for another. A delivery fails at once if its application has too many under way, if its
//     endpoint keeps failing, or if the service is full.
//   - Errors and log lines consist of fixed texts and the host name. They contain nothing of a body, a key, a path, a
//     query or an answer. Only [Error.Explain] contains the beginning of an answer, and only with Policy.Excerpts.
//
// # Where the API documentation leaves a choice
//
//   - An endpoint counts as failing if it times out, cannot be reached, sends too much, or answers 429 or 5xx. Any
//     other answer shows that it works, even if the answer is invalid.
//   - A 202 with a body is an invalid answer.
//   - The PING handshake is made even while deliveries to the endpoint are paused. If it succeeds, the pause ends.
package webhook
