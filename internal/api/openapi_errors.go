package api

import (
	"net/http"
	"strconv"
	"strings"
)

// accessTexts say who may call a route.
var accessTexts = map[Access]string{ //nolint:gosec // texts about tokens, no tokens
	Everyone:            "Needs no token.",
	Bots:                "Needs a bot token.",
	People:              "Needs a user token.",
	Accounts:            "Needs a bot token or a user token.",
	Participants:        "Needs a bot token or a user token.",
	WithIdentify:        "Needs a bot token, a user token, or a bearer token with the scope identify.",
	WithGuilds:          "Needs a bot token, a user token, or a bearer token with the scope guilds.",
	WithMembersRead:     "Needs a user token, or a bearer token with the scope guilds.members.read.",
	OwnCommands:         "Needs the bot token of the application, or a bearer token with the scope applications.commands.update.",
	ReadCommands:        "Needs the bot token or a client-credentials token of the application, or a bearer token with the scope applications.commands.update.",
	OwnBot:              "Needs the bot token of the application.",
	ReadPermissions:     "Needs the bot token or a client-credentials token of the application, or a bearer token with the scope applications.commands.update or applications.commands.permissions.update.",
	WritePermissions:    "Needs a bearer token with the scope applications.commands.permissions.update.",
	Storefront:          "Needs the bot token of the application, or a user token.",
	OwnEntitlements:     "Needs the bot token of the application, or a bearer token with the scope applications.entitlements.",
	Customers:           "Needs a user token, or a bearer token of the application.",
	WriteRoleConnection: "Needs a bearer token of the application with the scope role_connections.write.",
	Apps:                "Needs a bot token or a bearer token.",
	LobbyApps:           "Needs the bot token of the application that owns the lobby.",
	LobbyClients:        "Needs a bearer token with the scope lobbies.write.",
	Clients:             "Needs no token: the request names the application.",
	Browsers:            "Uses the cookie of a signed-in browser.",
	MaybePeople:         "Needs a user token or no token.",
	Bearers:             "Needs a bearer token.",
	WithOpenID:          "Needs a bearer token with the scope openid.",
	TokenHolders:        "Needs the token that is part of the path.",
	Operators:           "Needs an operator's token.",
}

// needsToken reports whether a route answers 401 without a token.
func (r *Route) needsToken() bool {
	switch r.Allow {
	case Everyone, Clients, Browsers, MaybePeople, TokenHolders:
		return false
	default:
		return true
	}
}

// tag returns the name of the group that the route belongs to in the description.
func (r *Route) tag() string {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	switch {
	case first == "admin", first == "_dev", first == "oauth2":
		return strings.TrimPrefix(first, "_")
	case r.Root && first != "interactions":
		return "service"
	case strings.Contains(r.Path, "/commands"):
		return "commands"
	default:
		return first
	}
}

// sampleErrors are the errors that many routes share, with an example of each.
var sampleErrors = []struct {
	status int
	name   string
	text   string
	body   object
}{
	{400, "InvalidForm", "The body is wrong. Each error has the path of its value.", object{
		"message": "Invalid Form Body", "code": 50035,
		"errors": object{"name": object{"_errors": []object{{"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}}}},
	}},
	{401, "Unauthorized", "The token is missing or not valid.", object{"message": "401: Unauthorized", "code": 0}},
	{403, "Forbidden", "The token may not do this.", object{"message": "Missing Access", "code": 50001}},
	{404, "NotFound", "An object in the path does not exist.", object{"message": "Unknown application command", "code": 10063}},
	{429, "RateLimited", "Too many requests. Wait as long as retry_after says.", object{
		"message": "You are being rate limited.", "retry_after": 0.34, "global": false,
	}},
}

// addErrors adds the errors of a route to its responses.
func (r *Route) addErrors(answers object) {
	if r.ErrorSchema != "" {
		return
	}
	applies := map[int]bool{
		http.StatusBadRequest: r.Body != "", http.StatusUnauthorized: r.needsToken(), http.StatusForbidden: r.needsToken(),
		http.StatusNotFound: strings.Contains(r.Path, "{"), http.StatusTooManyRequests: r.Allow != Everyone && r.Allow != Operators,
	}
	for _, e := range sampleErrors {
		status := strconv.Itoa(e.status)
		if _, taken := answers[status]; applies[e.status] && !taken {
			answers[status] = object{"$ref": "#/components/responses/" + e.name}
		}
	}
}

// errorResponses describes the errors that many routes share.
func errorResponses() object {
	responses := object{}
	for _, e := range sampleErrors {
		body := jsonContent("Error")
		body[jsonType[0]].(object)["example"] = e.body
		responses[e.name] = object{"description": e.text, "content": body}
	}
	return responses
}

// addExamples adds an example to each JSON body of the paths.
func addExamples(value any, schemas object) {
	members, ok := value.(object)
	if !ok {
		return
	}
	for name, member := range members {
		body, _ := member.(object)
		schema, _ := body["schema"].(object)
		if name == jsonType[0] && schema != nil {
			x := exampler{schemas: schemas}
			body["example"] = x.of(schema, "")
			continue
		}
		addExamples(member, schemas)
	}
}
