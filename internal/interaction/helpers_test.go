package interaction_test

import "github.com/bellhop/bellhop/internal/rulestest"

type codes = rulestest.Codes

// Short names for the helpers of package rulestest.
var (
	parse    = rulestest.Parse
	findings = rulestest.Findings
	wantJS   = rulestest.WantJS
	chars    = rulestest.Chars
	repeat   = rulestest.Repeat
)

const button = `{"type":2,"style":1,"label":"A","custom_id":"b%d"}`

func row(components string) string { return `{"type":1,"components":[` + components + `]}` }
