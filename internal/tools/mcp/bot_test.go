package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// mistakeVariable makes the test program a bot with a mistake.
const mistakeVariable = "MCP_TEST_BOT"

func TestMain(m *testing.M) {
	if mistake := os.Getenv(mistakeVariable); mistake != "" {
		if err := runBot(context.Background(), mistake); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

type object = map[string]any

// commands has the command that each bot registers.
var commands = map[string]object{
	"slow":   {"name": "report", "description": "Write a report"},
	"option": {"name": "greet", "description": "Greet a guest", "options": []object{{"type": 3, "name": "name", "description": "Who", "required": true}}},
	"button": {"name": "order", "description": "Order breakfast"},
	"silent": {"name": "announce", "description": "Announce dinner", "default_member_permissions": "8"},
}

// testBot is a bot that listens to the gateway.
type testBot struct {
	mistake string
	api     *client.Client
	app     string
}

func runBot(ctx context.Context, mistake string) error {
	base := os.Getenv("BELLHOP_URL")
	b := &testBot{mistake, &client.Client{BaseURL: base + "/api/v10", Authorization: "Bot " + os.Getenv("BELLHOP_BOT_TOKEN")}, os.Getenv("BELLHOP_APPLICATION_ID")}
	conn, early, _, err := ws.Dial(ctx, "ws"+strings.TrimPrefix(base, "http")+"/gateway/?v=10&encoding=json")
	if err != nil {
		return err
	}
	var in io.Reader = conn
	if early != nil {
		in = io.MultiReader(early, conn)
	}
	login := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":513,"properties":{"os":"linux"}}}`, os.Getenv("BELLHOP_BOT_TOKEN"))
	if err := wsutil.WriteClientText(conn, []byte(login)); err != nil {
		return err
	}
	// The commands are registered after the connection, as most bots do it.
	if err := b.send(ctx, http.MethodPut, "/applications/"+b.app+"/commands", []object{commands[mistake]}); err != nil {
		return err
	}
	fmt.Println("registered", commands[mistake]["name"])
	for reader := bufio.NewReader(in); ; {
		frame, err := ws.ReadFrame(reader)
		if err != nil || frame.Header.OpCode == ws.OpClose {
			return err
		}
		v, err := jsonbody.Parse(frame.Payload)
		if err != nil {
			return err
		}
		if v.Get("t").Text() == "INTERACTION_CREATE" {
			go b.handle(ctx, v.Get("d"))
		}
	}
}

// send sends a request and prints its error.
func (b *testBot) send(ctx context.Context, method, path string, body any) error {
	a, err := b.api.Do(ctx, client.Request{Method: method, Path: path, Body: body})
	if err == nil && a.Status >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	if err != nil {
		fmt.Println("error:", err)
	}
	return err
}

// handle answers an interaction, each bot with its mistake.
func (b *testBot) handle(ctx context.Context, in jsonbody.Value) {
	data := in.Get("data")
	reply := func(text string, components ...object) {
		answer := object{"type": 4, "data": object{"content": text, "components": components}}
		_ = b.send(ctx, http.MethodPost, "/interactions/"+in.Get("id").Text()+"/"+in.Get("token").Text()+"/callback", answer) // it is printed
	}
	switch b.mistake {
	case "slow": // it does not defer
		time.Sleep(3500 * time.Millisecond)
		reply("The report")
	case "option": // it reads another name than the one it registered
		for _, o := range data.Get("options").Items() {
			if o.Get("name").Text() == "who" {
				reply("Welcome, " + o.Get("value").Text())
				return
			}
		}
		fmt.Println(`error: required option "who" not found`)
	case "button": // the handler has another custom id than the button
		switch data.Get("custom_id").Text() {
		case "":
			reply("Breakfast?", object{"type": 1, "components": []object{{"type": 2, "style": 1, "label": "Yes", "custom_id": "order-confirm"}}})
		case "order_confirm":
			reply("Ordered")
		default:
			fmt.Println("ignored a component")
		}
	default:
		_ = b.send(ctx, http.MethodPost, "/channels/"+os.Getenv("MCP_TEST_CHANNEL")+"/messages", object{"content": "Dinner"}) // it is printed
		reply("Announced")
	}
}
