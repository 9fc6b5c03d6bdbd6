package authorization

// BrowserCommand gives the tests the commands of other operating systems.
var BrowserCommand = browserCommand
