package command_test

import (
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/google/go-cmp/cmp"
)

const contextRule = "Integration types and interaction context types"

func TestPlaces(t *testing.T) {
	t.Parallel()
	cases := []parseCase{
		{"contexts", contextRule, chat(`"contexts":[0,1,2]`), nil},
		{"contexts null", contextRule, chat(`"contexts":null`), nil},
		{"contexts empty", contextRule, chat(`"contexts":[]`), faults{"contexts": {jsonbody.MinLength}}},
		{"contexts no list", contextRule, chat(`"contexts":0`), faults{"contexts": {jsonbody.ListConvert}}},
		{"contexts object", contextRule, chat(`"contexts":{"0":0}`), faults{"contexts": {jsonbody.ListConvert}}},
		{"contexts 3", contextRule, chat(`"contexts":[0,3]`), faults{"contexts.1": {jsonbody.Choices}}},
		{"contexts -1", contextRule, chat(`"contexts":[-1]`), faults{"contexts.0": {jsonbody.Choices}}},
		{"contexts 256", contextRule, chat(`"contexts":[256]`), faults{"contexts.0": {jsonbody.Choices}}},
		{"contexts word", contextRule, chat(`"contexts":["dm"]`), faults{"contexts.0": {jsonbody.NumberCoerce}}},
		{"contexts twice", contextRule, chat(`"contexts":[1,1]`), nil},
		{"integration types", contextRule, chat(`"integration_types":[0,1]`), nil},
		{"integration types null", contextRule, chat(`"integration_types":null`), nil},
		{"integration types empty", contextRule, chat(`"integration_types":[]`), faults{"integration_types": {jsonbody.MinLength}}},
		{"integration types no list", contextRule, chat(`"integration_types":"0"`), faults{"integration_types": {jsonbody.ListConvert}}},
		{"integration types 2", contextRule, chat(`"integration_types":[2]`), faults{"integration_types.0": {jsonbody.Choices}}},
		{"integration types null item", contextRule, chat(`"integration_types":[null]`), faults{"integration_types.0": {jsonbody.NumberCoerce}}},
		{"private channel without user install", contextRule, chat(`"contexts":[2],"integration_types":[0]`), nil},
	}
	runParse(t, anyApp, cases)
	t.Run("are read in a guild too", func(t *testing.T) { t.Parallel(); runParse(t, inGuild, cases) })
}

func TestPlacesAreBounded(t *testing.T) {
	t.Parallel()
	_, err := command.Parse([]byte(chat(`"contexts":[`+list(1000, `9`)+`]`)), anyApp)
	if n := len(faultsOf(t, err)); n > 4 {
		t.Errorf("1000 wrong contexts give %d findings, want at most 4", n)
	}
}

func TestIntegrationTypesOfTheApplication(t *testing.T) {
	t.Parallel()
	userOnly := command.Env{Supported: []command.IntegrationType{command.UserInstall}}
	for _, tt := range []struct {
		name, give string
		env        command.Env
		want       []command.IntegrationType
		faults     faults
		message    string
	}{
		{"default is what the application supports", chat(`"x":1`), anyApp, []command.IntegrationType{0, 1}, nil, ""},
		{"default of null", chat(`"integration_types":null`), userOnly, []command.IntegrationType{1}, nil, ""},
		{"default of a new application", chat(`"x":1`), command.Env{}, []command.IntegrationType{0}, nil, ""},
		{
			"default is a set", chat(`"x":1`),
			command.Env{Supported: []command.IntegrationType{1, 0, 1}},
			[]command.IntegrationType{0, 1},
			nil, "",
		},
		{"given ones in ascending order, each once", chat(`"integration_types":[1,0,1]`), anyApp, []command.IntegrationType{0, 1}, nil, ""},
		{
			"not supported", chat(`"integration_types":[0,1]`), plainApp, nil,
			faults{"integration_types.1": {jsonbody.Choices}},
			"invalid form body: integration_types.1: Value must be one of (0).",
		},
		{
			"not supported, the other way", chat(`"integration_types":[0]`), userOnly, nil,
			faults{"integration_types.0": {jsonbody.Choices}},
			"invalid form body: integration_types.0: Value must be one of (1).",
		},
		{
			"unknown", chat(`"integration_types":[7]`), plainApp, nil,
			faults{"integration_types.0": {jsonbody.Choices}},
			"invalid form body: integration_types.0: Value must be one of (0, 1).",
		},
		{"supported types are kept in a guild", chat(`"integration_types":[1]`), inGuild, []command.IntegrationType{1}, nil, ""},
		{
			"not supported, in a guild", chat(`"integration_types":[0,1]`),
			command.Env{Guild: true},
			nil,
			faults{"integration_types.1": {jsonbody.Choices}},
			"invalid form body: integration_types.1: Value must be one of (0).",
		},
		{"a guild has no default", chat(`"x":1`), command.Env{Guild: true, Supported: userOnly.Supported}, nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := command.Parse([]byte(tt.give), tt.env)
			if diff := cmp.Diff(tt.faults, faultsOf(t, err)); diff != "" {
				t.Fatalf("%s: findings differ (-want +got):\n%s", contextRule, diff)
			}
			if err != nil && err.Error() != tt.message {
				t.Errorf("error = %v, want %s", err, tt.message)
			}
			if diff := cmp.Diff(tt.want, d.IntegrationTypes); diff != "" {
				t.Errorf("%s: integration types differ (-want +got):\n%s", contextRule, diff)
			}
		})
	}
}

// TestContextsAndDMs checks how contexts and the older dm_permission are combined.
func TestContextsAndDMs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		contexts   []command.Context
		noDM       bool
	}{
		{"neither", `"x":1`, nil, false},
		{"contexts stay null, flag is kept", `"dm_permission":false`, nil, true},
		{"flag true", `"dm_permission":true`, nil, false},
		{"flag null", `"dm_permission":null`, nil, false},
		{"contexts with bot DMs", `"contexts":[0,1,2]`, []command.Context{0, 1, 2}, false},
		{"contexts without bot DMs", `"contexts":[0,2]`, []command.Context{0, 2}, true},
		{"contexts win over the flag", `"contexts":[0],"dm_permission":true`, []command.Context{0}, true},
		{"contexts win over the flag, the other way", `"contexts":[1],"dm_permission":false`, []command.Context{1}, false},
		{"contexts null beside the flag", `"contexts":null,"dm_permission":false`, nil, true},
		{"contexts are a set", `"contexts":[2,0,2,0]`, []command.Context{0, 2}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, chat(tt.give), anyApp)
			if diff := cmp.Diff(tt.contexts, d.Contexts); diff != "" {
				t.Errorf("Application command object: contexts differ (-want +got):\n%s", diff)
			}
			if d.NoDM != tt.noDM {
				t.Errorf("Application command object: NoDM = %v, want %v", d.NoDM, tt.noDM)
			}
		})
	}
}

func TestAvailableIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give              string
		env                     command.Env
		guild, botDM, elsewhere bool
	}{
		{"contexts null", chat(`"x":1`), anyApp, true, true, false},
		{"contexts null without DMs", chat(`"dm_permission":false`), anyApp, true, false, false},
		{"every context", chat(`"contexts":[0,1,2]`), anyApp, true, true, true},
		{"private channels only", chat(`"contexts":[2]`), anyApp, false, false, true},
		{"private channels need user install", chat(`"contexts":[0,2],"integration_types":[0]`), anyApp, true, false, false},
		{"bot DMs only", chat(`"contexts":[1]`), anyApp, false, true, false},
		{"guild command", chat(`"contexts":[1,2]`), inGuild, true, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, tt.give, tt.env)
			got := []bool{d.AvailableIn(command.InGuild), d.AvailableIn(command.InBotDM), d.AvailableIn(command.InPrivateChannel)}
			if diff := cmp.Diff([]bool{tt.guild, tt.botDM, tt.elsewhere}, got); diff != "" {
				t.Errorf("%s: availability differs (-want +got):\n%s", contextRule, diff)
			}
		})
	}
}

// TestDefaultPermission checks how default_member_permissions and the older default_permission are combined.
func TestDefaultPermission(t *testing.T) {
	t.Parallel()
	const null = "null"
	for _, tt := range []struct{ name, give, permissions, flag string }{
		{"neither", `"x":1`, null, null},
		{"true", `"default_permission":true`, null, "true"},
		{"false closes the command", `"default_permission":false`, "0", "false"},
		{"null", `"default_permission":null`, null, null},
		{"permissions decide", `"default_permission":false,"default_member_permissions":"32"`, "32", "false"},
		{"false beside null permissions closes the command", `"default_permission":false,"default_member_permissions":null`, "0", "false"},
		{"true does not open", `"default_permission":true,"default_member_permissions":"0"`, "0", "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, chat(tt.give), anyApp)
			permissions, flag := null, null
			if d.MemberPermissions != nil {
				permissions = d.MemberPermissions.String()
			}
			if d.DefaultPermission != nil {
				flag = map[bool]string{true: "true", false: "false"}[*d.DefaultPermission]
			}
			if permissions != tt.permissions || flag != tt.flag {
				t.Errorf("Application command object: %s, %s, want %s, %s", permissions, flag, tt.permissions, tt.flag)
			}
		})
	}
}
