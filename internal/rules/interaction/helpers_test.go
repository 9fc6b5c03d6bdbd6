package interaction_test

import "github.com/bellhop/bellhop/internal/testkit/rules"

type codes = rules.Codes

// Short names for the helpers of package testkit/rules.
var (
	parse    = rules.Parse
	findings = rules.Findings
	wantJS   = rules.WantJS
	chars    = rules.Chars
	repeat   = rules.Repeat
)

const button = `{"type":2,"style":1,"label":"A","custom_id":"b%d"}`

func row(components string) string { return `{"type":1,"components":[` + components + `]}` }
