package authorization

// BrowserCommand lets the tests see the commands of other systems than their own.
var BrowserCommand = browserCommand
