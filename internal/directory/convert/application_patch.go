package convert

import (
	"math"
	"net/url"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
)

// Problems with a patch.
const (
	InvalidURL         jsonbody.Code = "URL_TYPE_INVALID_URL"
	InvalidScheme      jsonbody.Code = "URL_TYPE_INVALID_SCHEME"
	EndpointUnverified jsonbody.Code = "APPLICATION_INTERACTIONS_ENDPOINT_INVALID"
	EventURLUnverified jsonbody.Code = "APPLICATION_EVENT_WEBHOOKS_URL_INVALID"
	// Unsupported is a setting that Discord has and Bellhop does not.
	Unsupported jsonbody.Code = "BELLHOP_NOT_SUPPORTED"
)

// LimitedIntents are the application flags that an app sets itself: the limited forms of the presence, member and
// message content intents.
const LimitedIntents = 1<<13 | 1<<15 | 1<<19

// Limits of a patch.
const (
	maxDescription   = 400
	maxTags          = 5
	maxTag           = 20
	maxInstallScopes = 50
	maxScope         = 100
)

// ApplicationPatch holds the settings that an app changes. Absent settings keep their values.
type ApplicationPatch struct {
	Description optional.Value[string]
	// Endpoint is the URL to which interactions are posted. It is empty for delivery over the gateway. The caller
	// verifies that it belongs to the app.
	Endpoint optional.Value[string]
	Tags     optional.Value[[]string]
	Intents  optional.Value[uint64]
	// Installs maps each supported integration type to its install parameters, which may be nil.
	Installs optional.Value[map[uint8]*store.InstallParams]
	// DefaultInstall is nil for none.
	DefaultInstall     optional.Value[*store.InstallParams]
	CustomInstallURL   optional.Value[string]
	RoleConnectionsURL optional.Value[string]
	BotName            optional.Value[string]
	// EventURL gets event webhooks of EventTypes if EventStatus is wire.EventWebhooksEnabled. The caller verifies the URL.
	EventURL    optional.Value[string]
	EventStatus optional.Value[int]
	EventTypes  optional.Value[[]string]
	// The images of the application and of its bot. Null removes an image.
	Icon, BotAvatar, BotBanner optional.Value[imagedata.Image]
}

// ReadApplicationPatch reads the body of a request and adds its problems to t. It ignores members that an app cannot
// change, and refuses values of settings that Bellhop does not have. The error is that of an image.
func ReadApplicationPatch(t *jsonbody.Tree, body jsonbody.Value) (p ApplicationPatch, unusable error) {
	body, ok := jsonbody.AsObject(t, body)
	if !ok {
		return p, nil
	}
	if v := body.Get("description"); v.Kind() != jsonbody.Absent {
		p.Description = optional.Of(readText(t.At("description"), v, maxDescription))
	}
	if v := body.Get("interactions_endpoint_url"); v.Kind() != jsonbody.Absent {
		p.Endpoint = optional.Of(readEndpoint(t.At("interactions_endpoint_url"), v))
	}
	if v := body.Get("tags"); v.Kind() != jsonbody.Absent {
		p.Tags = optional.Of(readTexts(t.At("tags"), v, maxTags, maxTag))
	}
	if v := body.Get("flags"); v.IsSet() {
		p.Intents = optional.Of(readFlags(t.At("flags"), v))
	}
	if v := body.Get("integration_types_config"); v.IsSet() {
		p.Installs = optional.Of(readInstalls(t.At("integration_types_config"), v))
	}
	p.readLinks(t, body)
	p.readEventWebhooks(t, body)
	p.Icon = imagedata.ReadMember(t, body, "icon", imagedata.MaxPicture, &unusable)
	if body.Get("cover_image").IsSet() {
		t.At("cover_image").Add(Unsupported, "Bellhop does not store this image")
	}
	for key, same := range fixedSettings {
		if v := body.Get(key); v.IsSet() && !same(v) {
			t.At(key).Add(Unsupported, "Bellhop does not support other values of this setting")
		}
	}
	return p, unusable
}

// Flags that other settings decide. An app sends them back with the flags that it changes.
const otherFlags = wire.PublicOAuth2Client | wire.Embedded | wire.ApplicationCommandBadge

// readFlags reads the flags that an app changes itself. It refuses flags that the app can neither change nor have.
func readFlags(t *jsonbody.Tree, v jsonbody.Value) uint64 {
	n, ok := jsonbody.AsInt(t, v, 0, 1<<53-1)
	if ok && uint64(n)&^(LimitedIntents|otherFlags) != 0 {
		t.Add(Unsupported, "Only the flags of limited intents can be changed")
	}
	return uint64(n) & LimitedIntents
}

// readLinks reads the settings of install links and of the verification of role connections.
func (p *ApplicationPatch) readLinks(t *jsonbody.Tree, body jsonbody.Value) {
	if v := body.Get("install_params"); v.Kind() != jsonbody.Absent {
		p.DefaultInstall = optional.Of(readInstall(t.At("install_params"), v))
	}
	if v := body.Get("custom_install_url"); v.Kind() != jsonbody.Absent {
		p.CustomInstallURL = optional.Of(readEndpoint(t.At("custom_install_url"), v))
	}
	if v := body.Get("role_connections_verification_url"); v.Kind() != jsonbody.Absent {
		p.RoleConnectionsURL = optional.Of(readEndpoint(t.At("role_connections_verification_url"), v))
	}
}

// readEventWebhooks reads where event webhooks go, whether they are sent, and of which types.
func (p *ApplicationPatch) readEventWebhooks(t *jsonbody.Tree, body jsonbody.Value) {
	if v := body.Get("event_webhooks_url"); v.Kind() != jsonbody.Absent {
		p.EventURL = optional.Of(readEndpoint(t.At("event_webhooks_url"), v))
	}
	if v := body.Get("event_webhooks_status"); v.IsSet() {
		at := t.At("event_webhooks_status")
		n, ok := jsonbody.AsInt(at, v, math.MinInt64, math.MaxInt64)
		if ok && n != wire.EventWebhooksDisabled && n != wire.EventWebhooksEnabled {
			at.NotOneOf(strconv.Itoa(wire.EventWebhooksDisabled), strconv.Itoa(wire.EventWebhooksEnabled))
		}
		p.EventStatus = optional.Of(int(n))
	}
	if v := body.Get("event_webhooks_types"); v.Kind() != jsonbody.Absent {
		p.EventTypes = optional.Of(readEventTypes(t.At("event_webhooks_types"), v))
	}
}

// readEventTypes reads types of event webhooks, each once. null counts as an empty list. It returns them in ascending order.
func readEventTypes(t *jsonbody.Tree, v jsonbody.Value) []string {
	known := wire.EventWebhookTypes()
	types := readTexts(t, v, len(known), maxScope)
	seen := map[string]bool{}
	for i, name := range types {
		switch at := t.Index(i); {
		case at.Failed():
		case !wire.KnowsEventWebhook(name):
			at.NotOneOf(known...)
		case seen[name]:
			at.Add(jsonbody.Choices, "Each type can be there once.")
		}
		seen[name] = true
	}
	slices.Sort(types)
	return types
}

// fixedSettings are the settings that Bellhop does not have. Each function reports whether a value is the one that the
// application object shows.
var fixedSettings = map[string]func(jsonbody.Value) bool{
	"explicit_content_filter": func(v jsonbody.Value) bool { return v.Text() == "0" },
	"max_participants":        func(jsonbody.Value) bool { return false },
	"team_id":                 func(jsonbody.Value) bool { return false },
	"type":                    func(jsonbody.Value) bool { return false },
}

// readText reads a string of at most limit characters. null counts as empty.
func readText(t *jsonbody.Tree, v jsonbody.Value, limit int) string {
	if !v.IsSet() {
		return ""
	}
	s, ok := jsonbody.AsString(t, v)
	if ok && jsonbody.Len(s) > limit {
		t.Length(-1, limit)
	}
	return s
}

// readTexts reads a list of strings that are not empty. null counts as an empty list.
func readTexts(t *jsonbody.Tree, v jsonbody.Value, maxItems, limit int) []string {
	if !v.IsSet() {
		return nil
	}
	items, ok := jsonbody.AsList(t, v)
	if !ok {
		return nil
	}
	if len(items) > maxItems {
		t.Length(-1, maxItems)
		return nil
	}
	var all []string
	for i, item := range items {
		s, ok := jsonbody.AsString(t.Index(i), item)
		if n := jsonbody.Len(s); ok && (n < 1 || n > limit) {
			t.Index(i).Length(1, limit)
		}
		all = append(all, s)
	}
	return all
}

// readEndpoint reads a URL. null counts as empty.
func readEndpoint(t *jsonbody.Tree, v jsonbody.Value) string {
	s := readText(t, v, world.MaxURL)
	if s == "" || t.Failed() {
		return s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "":
		t.Add(InvalidURL, "Not a well formed URL.")
	case u.Scheme != "https" && u.Scheme != "http":
		t.Add(InvalidScheme, `Scheme "`+jsonbody.StringOf(u.Scheme).String()+`" is not supported. Scheme must be one of ('http', 'https').`)
	}
	return s
}

func readInstalls(t *jsonbody.Tree, v jsonbody.Value) map[uint8]*store.InstallParams {
	v, ok := jsonbody.AsDict(t, v)
	if !ok {
		return nil
	}
	all := map[uint8]*store.InstallParams{}
	for _, m := range v.Members() {
		switch m.Name {
		case "0", "1":
			all[m.Name[0]-'0'] = readInstallParams(t.At(m.Name), m.Value)
		default:
			t.At(m.Name).NotOneOf("0", "1")
		}
	}
	if len(all) == 0 && !t.Failed() {
		t.Length(1, -1)
	}
	return all
}

// readInstallParams reads the install parameters of one integration type. It returns nil when there are none.
func readInstallParams(t *jsonbody.Tree, v jsonbody.Value) *store.InstallParams {
	if !v.IsSet() {
		return nil
	}
	v, ok := jsonbody.AsObject(t, v)
	given := v.Get("oauth2_install_params")
	if !ok || !given.IsSet() {
		return nil
	}
	return readInstall(t.At("oauth2_install_params"), given)
}

// readInstall reads the scopes and permissions of an install. null counts as none.
func readInstall(t *jsonbody.Tree, given jsonbody.Value) *store.InstallParams {
	if !given.IsSet() {
		return nil
	}
	given, ok := jsonbody.AsObject(t, given)
	if !ok {
		return nil
	}
	params := &store.InstallParams{Scopes: []string{}}
	if scopes := given.Get("scopes"); scopes.IsSet() {
		params.Scopes = append(params.Scopes, readTexts(t.At("scopes"), scopes, maxInstallScopes, maxScope)...)
	} else {
		t.At("scopes").Required()
	}
	bits := given.Get("permissions")
	if !bits.IsSet() {
		t.At("permissions").Required()
		return params
	}
	var err error
	if params.Permissions, err = permission.ParseBits(bits.Text()); err != nil || params.Permissions > permission.MaxBits {
		t.At("permissions").NotA("int", bits.String())
	}
	return params
}

// Apply returns a with the changes of p, except for images.
func (p ApplicationPatch) Apply(a store.Application) store.Application {
	a.Description = p.Description.Or(a.Description)
	a.InteractionsEndpointURL = p.Endpoint.Or(a.InteractionsEndpointURL)
	a.Tags = p.Tags.Or(a.Tags)
	a.Intents = p.Intents.Or(a.Intents)
	a.DefaultInstall = p.DefaultInstall.Or(a.DefaultInstall)
	a.CustomInstallURL = p.CustomInstallURL.Or(a.CustomInstallURL)
	a.RoleConnectionsURL = p.RoleConnectionsURL.Or(a.RoleConnectionsURL)
	a.BotName = p.BotName.Or(a.BotName)
	a.EventURL = p.EventURL.Or(a.EventURL)
	a.EventTypes = p.EventTypes.Or(a.EventTypes)
	if status, ok := p.EventStatus.Get(); ok {
		a.EventStatus = status
		if status == wire.EventWebhooksDisabled {
			a.EventStatus = 0
		}
	}
	installs, ok := p.Installs.Get()
	if !ok {
		return a
	}
	a.IntegrationTypes, a.InstallParams = nil, nil
	for n, params := range installs {
		a.IntegrationTypes = append(a.IntegrationTypes, n)
		if params == nil {
			continue
		}
		if a.InstallParams == nil {
			a.InstallParams = map[uint8]store.InstallParams{}
		}
		a.InstallParams[n] = *params
	}
	slices.Sort(a.IntegrationTypes)
	return a
}
