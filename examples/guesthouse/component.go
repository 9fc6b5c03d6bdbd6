package guesthouse

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/client"
)

// The types of components.
const (
	row           = 1
	button        = 2
	stringSelect  = 3
	textInput     = 4
	userSelect    = 5
	roleSelect    = 6
	channelSelect = 8
	label         = 18
)

// bell is a message with buttons. The number of rings is in the custom id of a button.
func bell(who string, rings int) object {
	text := "The bell is on the desk."
	if rings > 0 {
		text = fmt.Sprintf("Ding! %s rang. The bell rang %d times.", who, rings)
		if rings == 1 {
			text = "Ding! " + who + " rang. The bell rang once."
		}
	}
	return object{"content": text, "components": []object{{"type": row, "components": []object{
		{"type": button, "style": 1, "label": "Ring", "custom_id": "ring:" + strconv.Itoa(rings)},
		{"type": button, "style": 2, "label": "Put the bell away", "custom_id": "away"},
	}}}}
}

// keys is a message with selects.
func keys() object {
	one := func(component object) object { return object{"type": row, "components": []object{component}} }
	return object{"content": "Which keys do you need, and who gets them?", "components": []object{
		one(object{"type": stringSelect, "custom_id": "keys", "placeholder": "Doors", "min_values": 1, "max_values": 3, "options": []object{
			{"label": "Front door", "value": "the front door"}, {"label": "Garden", "value": "the garden"}, {"label": "Bicycle shed", "value": "the bicycle shed"},
		}}),
		one(object{"type": userSelect, "custom_id": "holder", "placeholder": "Who gets them"}),
		one(object{"type": roleSelect, "custom_id": "floor", "placeholder": "Which group"}),
		one(object{"type": channelSelect, "custom_id": "hook", "placeholder": "Which channel"}),
	}}
}

// component answers the use of a button or a select.
func component(in *interaction) client.Callback {
	id, values := in.Data.CustomID, in.Data.Values
	if count, ok := strings.CutPrefix(id, "ring:"); ok {
		rings, _ := strconv.Atoi(count) // the app wrote it
		return client.Callback{Type: client.UpdateMessage, Data: bell(in.guest().name(), rings+1)}
	}
	switch id {
	case "away":
		return client.Callback{Type: client.UpdateMessage, Data: object{"content": "The bell is in the drawer.", "components": []object{}}}
	case "keys":
		return say("Keys for " + strings.Join(values, " and ") + ".")
	case "holder":
		return say("<@" + strings.Join(values, ">, <@") + "> gets the keys.")
	case "floor":
		return say("<@&" + strings.Join(values, ">, <@&") + "> gets the keys.")
	case "hook":
		return say("The keys hang in <#" + strings.Join(values, ">, <#") + ">.")
	}
	return say("The guest house does not know " + id + ".")
}

// feedbackForm is a form with two fields.
func feedbackForm() object {
	field := func(id, text string, style int, required bool) object {
		return object{"type": label, "label": text, "component": object{"type": textInput, "custom_id": id, "style": style, "required": required}}
	}
	return object{"custom_id": "feedback", "title": "How was your stay?", "components": []object{
		field("liked", "What did you like?", 1, true), field("missed", "What did you miss?", 2, false),
	}}
}

// feedbackGiven answers a form.
func feedbackGiven(in *interaction) client.Callback {
	parts := []string{"Thank you, " + in.guest().name() + "."}
	for _, field := range in.Data.Components {
		if value := field.Component.Value; value != "" {
			parts = append(parts, "You "+field.Component.CustomID+": "+value+".")
		}
	}
	return say(strings.Join(parts, " "))
}
