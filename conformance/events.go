package conformance

// eventChecks are about what apps receive.
func eventChecks() []Check { return nil }
