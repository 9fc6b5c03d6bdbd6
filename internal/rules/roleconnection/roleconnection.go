// Package roleconnection has the rules for role connections: what an application says about the accounts of users on its
// platform, and the records that describe these values. It performs no I/O.
package roleconnection

import (
	"regexp"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
)

// Limits of role connections.
const (
	MaxRecords          = 5 // of an application
	maxKey              = 50
	maxName             = 100
	maxDescription      = 200
	maxPlatformName     = 50
	maxPlatformUsername = 100
	maxValue            = 100
)

// The types of values: a comparison of a number, a time or a boolean.
const (
	firstType = 1
	lastType  = 8
)

// KeyTaken is the code of a key that two records have.
const KeyTaken jsonbody.Code = "APPLICATION_ROLE_CONNECTION_METADATA_KEY_DUPLICATE"

var keyForm = regexp.MustCompile(`^[a-z0-9_]*$`)

// Record describes one value of role connections.
type Record struct {
	Type                     int
	Key                      string
	Name                     string
	NameLocalizations        locale.Map
	Description              string
	DescriptionLocalizations locale.Map
}

// ReadRecords reads the list of records that replaces the one of an application. Null is an empty list. The error is a
// *jsonbody.Tree.
func ReadRecords(body jsonbody.Value) ([]Record, error) {
	if body.Kind() == jsonbody.Null {
		return nil, nil
	}
	var t jsonbody.Tree
	items, _ := jsonbody.AsItems(&t, body, MaxRecords)
	list := make([]Record, 0, len(items))
	taken := map[string]bool{}
	for i, item := range items {
		at := t.Index(i)
		item, ok := jsonbody.AsItem(at, item)
		if !ok {
			continue
		}
		r := readRecord(at, item)
		if taken[r.Key] && !at.Failed() {
			at.At("key").Add(KeyTaken, "Keys must be unique.")
		}
		taken[r.Key] = true
		list = append(list, r)
	}
	return list, t.Err()
}

func readRecord(t *jsonbody.Tree, v jsonbody.Value) Record {
	r := Record{
		Key:  jsonbody.ReadText(t, v, "key", true, 1, maxKey),
		Name: jsonbody.ReadText(t, v, "name", true, 1, maxName), NameLocalizations: readLocalizations(t, v, "name_localizations", maxName),
		Description:              jsonbody.ReadText(t, v, "description", true, 1, maxDescription),
		DescriptionLocalizations: readLocalizations(t, v, "description_localizations", maxDescription),
	}
	if !keyForm.MatchString(r.Key) {
		t.At("key").Add(jsonbody.StringRegex, "String value did not match validation regex.")
	}
	if kind := v.Get("type"); !kind.IsSet() {
		t.At("type").Required()
	} else {
		r.Type = jsonbody.OneOf(types()...)(t.At("type"), kind)
	}
	return r
}

func types() []int {
	var list []int
	for n := firstType; n <= lastType; n++ {
		list = append(list, n)
	}
	return list
}

// readLocalizations reads the translations of a text. Null and an empty map are nil.
func readLocalizations(t *jsonbody.Tree, v jsonbody.Value, key string, most int) locale.Map {
	v, t = v.Get(key), t.At(key)
	if !v.IsSet() {
		return nil
	}
	dict, ok := jsonbody.AsDict(t, v)
	if !ok || len(dict.Members()) == 0 {
		return nil
	}
	m := make(locale.Map, len(locale.All()))
	for _, e := range dict.Members() {
		at := t.At(jsonbody.StringOf(e.Name).String())
		switch {
		case !locale.Known(e.Name):
			at.NotOneOf(locale.All()...)
		case e.Value.IsSet():
			m[e.Name] = jsonbody.Text(1, most)(at, e.Value)
		}
		if t.Failed() {
			return nil // more findings do not help
		}
	}
	return m
}

// Connection holds the values that an application gives the account of a user on its platform.
type Connection struct {
	PlatformName     string
	PlatformUsername string
	Metadata         map[string]string // values by the keys of records
}

// ReadConnection reads the connection that replaces the one of a user. Absent members and null are empty. The error is a
// *jsonbody.Tree.
func ReadConnection(body jsonbody.Value) (Connection, error) {
	var t jsonbody.Tree
	body, ok := jsonbody.AsObject(&t, body)
	if !ok {
		return Connection{}, t.Err()
	}
	c := Connection{
		PlatformName:     jsonbody.ReadText(&t, body, "platform_name", false, 0, maxPlatformName),
		PlatformUsername: jsonbody.ReadText(&t, body, "platform_username", false, 0, maxPlatformUsername),
		Metadata:         jsonbody.ReadGiven(&t, body, "metadata", readMetadata).Or(nil),
	}
	return c, t.Err()
}

// readMetadata reads values by their keys. Numbers and booleans become strings: clients send them as they are.
func readMetadata(t *jsonbody.Tree, v jsonbody.Value) map[string]string {
	dict, ok := jsonbody.AsDict(t, v)
	if !ok {
		return nil
	}
	if len(dict.Members()) > MaxRecords {
		t.Length(-1, MaxRecords)
		return nil
	}
	m := make(map[string]string, len(dict.Members()))
	for _, e := range dict.Members() {
		at := t.At(jsonbody.StringOf(e.Name).String())
		if !keyForm.MatchString(e.Name) || e.Name == "" || len(e.Name) > maxKey {
			at.Add(jsonbody.StringRegex, "String value did not match validation regex.")
			continue
		}
		m[e.Name] = readValue(at, e.Value)
	}
	return m
}

func readValue(t *jsonbody.Tree, v jsonbody.Value) string {
	text := v.Text()
	switch v.Kind() {
	case jsonbody.Bool:
		text = "0"
		if v.String() == "true" {
			text = "1"
		}
	case jsonbody.String, jsonbody.Number:
	default:
		jsonbody.AsString(t, v)
		return ""
	}
	jsonbody.CheckLength(t, jsonbody.Len(text), 1, maxValue)
	return text
}
