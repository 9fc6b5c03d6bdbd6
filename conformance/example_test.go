package conformance_test

import (
	"fmt"

	"github.com/bellhop/bellhop/conformance"
)

func ExampleChecks() {
	for _, c := range conformance.Checks() {
		if c.ID == "BLK-08" {
			fmt.Println(c.Rule, c.Section)
			fmt.Println("needs", c.Needs)
		}
	}
	// Output:
	// A scope has no more than 15 MESSAGE commands. Limits
	// needs writes
}
