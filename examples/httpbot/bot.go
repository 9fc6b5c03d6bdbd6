package main

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Roll is the bot's command.
var Roll = command.Definition{
	Name: "roll", Description: "Roll a die",
	Options: []command.Option{{Type: command.Integer, Name: "sides", Description: "How many sides", Autocomplete: true}},
}

// Register registers the bot's commands.
func Register(ctx context.Context, api *client.Client, app snowflake.Application) error {
	_, err := api.OverwriteCommands(ctx, command.Scope{Application: app}, []client.Item{{Definition: Roll}})
	return err
}

// Dice rolls a die.
func Dice(sides int) int { return rand.IntN(sides) + 1 }

// Bot answers interactions.
type Bot struct {
	Key  ed25519.PublicKey // the application's public key
	Roll func(sides int) int
}

// maxBody is the largest accepted request body.
const maxBody = 1 << 20

// ServeHTTP answers an interaction. A request without a valid signature gets 401.
func (b Bot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return
	}
	signature, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	signed := append([]byte(r.Header.Get("X-Signature-Timestamp")), body...)
	if err != nil || !ed25519.Verify(b.Key, signed, signature) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var in struct {
		Type client.InteractionType `json:"type"`
		Data client.InteractionData `json:"data"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, b.answer(in.Type, in.Data)) // the service may have closed the connection
}

func (b Bot) answer(kind client.InteractionType, data client.InteractionData) client.Callback {
	switch kind {
	case client.Ping:
		return client.Callback{Type: client.Pong}
	case client.Autocomplete:
		choices := []map[string]any{{"name": "a coin", "value": 2}, {"name": "a die", "value": 6}}
		return client.Callback{Type: client.AutocompleteResult, Data: map[string]any{"choices": choices}}
	default:
	}
	sides := 6
	if given := data.Option("sides"); given != nil {
		sides, _ = strconv.Atoi(string(given)) // the service has checked that it is an integer
	}
	if sides < 2 {
		return message("A die has at least two sides.")
	}
	return message(fmt.Sprintf("You rolled a %d of %d.", b.Roll(sides), sides))
}

func message(text string) client.Callback {
	return client.Callback{Type: client.ChannelMessage, Data: map[string]any{"content": text}}
}
