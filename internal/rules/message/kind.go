package message

import "github.com/bellhop/bellhop/internal/rules/jsonbody"

// slot describes a member of a component that holds other components.
type slot struct {
	key       string
	low, high int // number of components; high < 0: no limit. Not used for a single child.
	types     []ComponentType
	inModal   []ComponentType // the types in modals; nil: the same
}

// kind describes the members of a component type, except type and id.
type kind struct {
	fields   shape
	fill     []jsonbody.Member // members that the service adds to components of messages that lack them
	children *slot             // a list of components
	child    *slot             // a single component
}

// Limits of components.
const (
	MaxCustomID        = 100
	MaxComponents      = 40   // of a message or a modal
	MaxTextInput       = 4000 // code points
	maxRows            = 5
	maxDisplayed       = 4000
	maxSelectOptions   = 25
	maxUploads         = 10
	maxComponentID     = 1<<31 - 1
	maxModalComponents = 5
)

var (
	customID    = field{"custom_id", true, text(1, MaxCustomID)}
	disabled    = field{"disabled", false, boolean}
	required    = field{"required", false, boolean}
	placeholder = field{"placeholder", false, text(0, 150)}
	spoiler     = field{"spoiler", false, boolean}
	altText     = field{"description", false, text(0, 1024)}
	minValues   = field{"min_values", false, whole(0, maxSelectOptions)}
	maxValues   = field{"max_values", false, whole(1, maxSelectOptions)}

	noSpoiler = jsonbody.Member{Name: "spoiler", Value: jsonbody.BoolOf(false)}
	noAltText = jsonbody.Member{Name: "description", Value: null}
	oneValue  = []jsonbody.Member{{Name: "min_values", Value: integer(1)}, {Name: "max_values", Value: integer(1)}}

	mediaItem = shape{{"media", true, object(shape{{"url", true, mediaURL}})}, altText, spoiler}

	optionShape = shape{
		{"label", true, text(1, 100)},
		{"value", true, text(1, 100)},
		{"description", false, text(0, 100)},
		{"emoji", false, emoji},
		{"default", false, boolean},
	}
	defaultShape = shape{{"id", true, id}, {"type", true, oneOf("user", "role", "channel")}}

	entitySelect = shape{
		customID, placeholder,
		{"default_values", false, list(0, maxSelectOptions, object(defaultShape))},
		minValues, maxValues, required, disabled,
	}
	channelTypes = field{"channel_types", false, list(0, maxSelectOptions, oneOfInts(0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16))}
)

// kinds lists the members of every type of component.
var kinds = map[ComponentType]kind{
	ActionRow: {children: &slot{key: "components", low: 1, high: 5, types: interactive, inModal: inModalRow}},
	Button: {fields: shape{
		{"style", true, oneOfInts(1, 2, 3, 4, linkButton, PremiumButton)},
		{"label", false, text(0, 80)},
		{"emoji", false, emoji},
		{"custom_id", false, text(1, MaxCustomID)},
		{"sku_id", false, id},
		{"url", false, urlWith(512, "http", "https", "discord")},
		disabled,
	}},
	StringSelect: {fields: shape{
		customID,
		{"options", true, list(1, maxSelectOptions, object(optionShape))},
		placeholder, minValues, maxValues, required, disabled,
	}, fill: oneValue},
	TextInput: {fields: shape{
		customID,
		{"style", true, oneOfInts(1, 2)},
		{"label", false, text(1, 45)},
		{"min_length", false, whole(0, MaxTextInput)},
		{"max_length", false, whole(1, MaxTextInput)},
		required,
		{"value", false, text(0, MaxTextInput)},
		{"placeholder", false, text(0, 100)},
	}},
	UserSelect:        {fields: entitySelect, fill: oneValue},
	RoleSelect:        {fields: entitySelect, fill: oneValue},
	MentionableSelect: {fields: entitySelect, fill: oneValue},
	ChannelSelect:     {fields: append(shape{channelTypes}, entitySelect...), fill: oneValue},
	Section: {
		children: &slot{key: "components", low: 1, high: 3, types: inSection},
		child:    &slot{key: "accessory", types: sectionAccessory},
	},
	TextDisplay:  {fields: shape{{"content", true, text(1, maxDisplayed)}}},
	Thumbnail:    {fields: mediaItem, fill: []jsonbody.Member{noAltText, noSpoiler}},
	MediaGallery: {fields: shape{{"items", true, list(1, 10, filled(object(mediaItem), noAltText, noSpoiler))}}},
	FileComponent: {fields: shape{
		{"file", true, object(shape{{"url", true, urlWith(maxURL, "attachment")}})}, spoiler,
	}, fill: []jsonbody.Member{noSpoiler}},
	Separator: {
		fields: shape{{"divider", false, boolean}, {"spacing", false, oneOfInts(1, 2)}},
		fill:   []jsonbody.Member{{Name: "divider", Value: jsonbody.BoolOf(true)}, {Name: "spacing", Value: integer(1)}},
	},
	Container: {
		fields:   shape{{"accent_color", false, whole(0, maxColor)}, spoiler},
		fill:     []jsonbody.Member{{Name: "accent_color", Value: null}, noSpoiler},
		children: &slot{key: "components", low: 1, high: -1, types: inContainer},
	},
	Label: {
		fields: shape{{"label", true, text(1, 45)}, {"description", false, text(0, 100)}},
		child:  &slot{key: "component", types: inLabel},
	},
	FileUpload: {fields: shape{
		customID,
		{"min_values", false, whole(0, maxUploads)},
		{"max_values", false, whole(1, maxUploads)},
		required,
	}},
	RadioGroup: {fields: shape{customID, {"options", true, list(2, 10, object(optionShape))}, required}},
	CheckboxGroup: {fields: shape{
		customID,
		{"options", true, list(1, 10, object(optionShape))},
		{"min_values", false, whole(0, 10)},
		{"max_values", false, whole(1, 10)},
		required,
	}},
	Checkbox: {fields: shape{customID, {"default", false, boolean}}},
}
