package manage

import (
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// ReadTokenRequest reads the optional members user and scopes of a request for an access token.
func ReadTokenRequest(t *jsonbody.Tree, body jsonbody.Value) (user snowflake.User, scopes []string) {
	if v := body.Get("user"); v.IsSet() {
		user, _ = jsonbody.AsID[snowflake.User](t.At("user"), v)
	}
	if v := body.Get("scopes"); v.IsSet() {
		items, _ := jsonbody.AsList(t.At("scopes"), v)
		for i, item := range items {
			scope, _ := jsonbody.AsString(t.At("scopes").Index(i), item)
			scopes = append(scopes, scope)
		}
	}
	return user, scopes
}
